"""Make go what was planned: said in the log first, then taken out of everything.

The order is what makes a kill harmless. Before anything is removed, the log says what goes,
so tables that are made from it have none of it, whether or not a journal still has the lines.
Everything after that follows from what the log says and can be done again: ``finish`` does it
for every pruning there is, so the next ``barograph prune`` ends what a killed one began, and on
another machine that shares the log it does there what was said here.

Where the journal is the whole log, the database file is made anew at the end. That it is still
to be is a note in ``run/``, because nothing else shows it: the lines have gone by then.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from barograph.daemons import is_held
from barograph.folder import DataFolder
from store.errors import StoreBusyError
from store.failures import running_failure
from store.pruning import Pruned, pruned_by
from store.retention.journals import (
    Amount,
    measure,
    printed,
    refuse_written,
    remove,
    size_of,
    take_out,
)
from store.retention.planning import Plan, past
from store.serving.client import Served
from store.serving.starting import end

Meanwhile = Callable[[str], None]
"""Called with what is done next, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What goes, or went, from the disk of this machine."""

    lines: int
    """Of the journal."""
    journal_bytes: int
    outputs: int
    """Trials of which something printed is there."""
    output_bytes: int
    store_bytes: int | None
    """Size of the database file; None: there is none."""


def foreseen(folder: DataFolder, plan: Plan) -> Effect:
    """What a plan would take from the disk.

    Raises:
        LogError: the journal cannot be read.

    """
    pruned = Pruned.of(plan.ranges, {})
    return _effect(folder, measure(folder, pruned), size_of(printed(folder, plan.trials)))


def begin(folder: DataFolder, served: Served, plan: Plan, author: str) -> None:
    """Say in the log what goes. The tables are without it when this returns.

    The caller owns the data folder, so that no campaign is in it.

    Args:
        folder: whose journal.
        served: its store.
        plan: what goes.
        author: who says so.

    Raises:
        StoreBusyError: a process still writes what is to go; nothing was said.
        StoreRefusal: the write token is missing or another.
        LogError: the log does not take it.

    """
    if is_held(folder.collector_lock):
        raise StoreBusyError(
            "a collector is at work in this data folder",
            where=folder.collector_lock,
            remedy="wait until it ends, then run the same command again",
        )
    pruned = Pruned.of(plan.ranges, {})
    try:
        refuse_written(folder, pruned)
    except StoreBusyError:
        # It may be the server, which keeps the file open that it writes people's words to.
        if end(folder) is None:
            raise
        refuse_written(folder, pruned)
    for fact in plan.facts(author):
        served.append(fact)


def finish(folder: DataFolder, served: Served, meanwhile: Meanwhile) -> Effect:
    """Take everything that the log says is pruned from this machine's disk; what went.

    Args:
        folder: owned by the caller.
        served: its store, up to date.
        meanwhile: hears what is done.

    Raises:
        StoreBusyError: a process still writes what is to go; all else is done.
        StoreError: something cannot be removed; the same again goes on.
        LogError: the journal cannot be read or written; likewise.

    """
    pruned, before = pruned_by(served), past(served)
    # A file that rows were deleted from still has their bytes, until others come there.
    anew = folder.shared_log_url is None and left(folder, served)
    if anew:
        _note(folder)
    meanwhile("rewriting the journal")
    # The server keeps the file open that it writes people's words to.
    lines = take_out(folder, pruned, release=lambda: end(folder) is not None)
    meanwhile("deleting what trials printed")
    outputs = remove(printed(folder, before.trials))
    if anew:
        meanwhile("making the tables anew")
        served.rebuild()
        folder.prune_note.unlink(missing_ok=True)
    return _effect(folder, lines, outputs)


def left(folder: DataFolder, served: Served) -> bool:
    """Whether something that was pruned before is still on this machine's disk.

    Raises:
        LogError: the journal cannot be read.

    """
    if folder.prune_note.exists():
        return True
    pruned = pruned_by(served)
    return measure(folder, pruned).things > 0 or bool(printed(folder, past(served).trials))


def _note(folder: DataFolder) -> None:
    """Note that the tables are to be made anew; on the disk when this returns."""
    note = folder.prune_note
    try:
        note.touch(mode=0o600)
        run = os.open(note.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(run)
        finally:
            os.close(run)
    except OSError as error:
        raise running_failure(error, note) from error


def _effect(folder: DataFolder, lines: Amount, outputs: Amount) -> Effect:
    try:
        store = folder.store_file.stat().st_size
    except OSError:
        store = None
    return Effect(
        lines=lines.things,
        journal_bytes=lines.bytes,
        outputs=outputs.things,
        output_bytes=outputs.bytes,
        store_bytes=store,
    )
