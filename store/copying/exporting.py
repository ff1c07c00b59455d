"""Write one sweep of a log as a folder that needs nothing else.

The lines are the copy: they are what ``importing`` puts into a journal again, and what a later
version still reads when its tables are others. The tables beside them are for whoever has
other tools. They are made from the copied lines alone, by the same loader and policy, so that a
copy that can be written is one that can be loaded.
"""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import barograph
from barograph.clock import Clock, SystemClock
from barograph.envelope import Belongs, Event
from barograph.facts import FACTS, EventsLeftOut, SeqRange
from barograph.ids import new_source
from barograph.log.port import Log
from store.catalogue import catalogue, copying
from store.copying import manifest
from store.copying.copied_log import CopiedLog
from store.copying.failures import refusal
from store.copying.manifest import (
    EVENTS,
    UNREADABLE,
    CopiedFile,
    Counts,
    LeftOut,
    Manifest,
    described,
)
from store.copying.sifting import Sifter, runs_of
from store.database import Database, Settings, open_database, scratch_database
from store.errors import StoreInputError, StoreRefusal
from store.judging import JudgingPolicy, refresh
from store.literals import literal
from store.loader import Loader
from store.reader import Reader
from store.rows import SweepRow

_WORK: Final = ".work"
_OWNER_ONLY: Final = 0o700
_SETTINGS: Final = Settings(memory_limit="512MiB")
"""Trials may run beside it; what does not fit waits on the disk."""
_RANGES_AT_ONCE: Final = 5_000
_PRINTED: Final = LeftOut(
    what="what agents and verifiers printed (trials/)",
    why="no answer needs it, and it may be private; copy the folder by hand",
)

Meanwhile = Callable[[str], None]
"""Called with what is done next, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A copy that was made."""

    root: Path
    manifest: Manifest
    size_bytes: int


def export(
    log: Log,
    sweep: SweepRow,
    to: Path,
    *,
    policy: JudgingPolicy,
    meanwhile: Meanwhile = lambda _: None,
    clock: Clock | None = None,
) -> Exported:
    """Copy a sweep into a new folder.

    Args:
        log: that has the sweep; read once, from its beginning.
        sweep: which one.
        to: the folder; it is made, or empty.
        policy: makes the verdicts in the tables.
        meanwhile: hears how far it is.
        clock: the system's own when None.

    Raises:
        StoreInputError: the folder holds something.
        LogError: the log cannot be read.
        StoreError: the copy cannot be written; nothing of it is left.

    """
    with _new_folder(to):
        files: list[CopiedFile] = []
        meanwhile("reading the log")
        lines = _write_lines(log, sweep, to, files)
        meanwhile("making the tables")
        counts = _write_tables(to, policy, files)
        made = Manifest(
            barograph_version=barograph.__version__,
            store_version=len(catalogue("migrations")),
            event_versions={kind: fact.v for kind, fact in sorted(FACTS.items())},
            policy={"name": policy.name, "version": policy.version, "digest": policy.digest},
            made_t_us=(clock or SystemClock()).wall_us(),
            sweep=sweep.sweep,
            name=sweep.name,
            digest=sweep.digest,
            first_t_us=lines.first_t_us,
            last_t_us=lines.last_t_us,
            counts=counts,
            files=files,
            left_out=[*lines.left_out, _PRINTED],
        )
        shutil.rmtree(to / _WORK)
        manifest.write(to, made)
    return Exported(root=to, manifest=made, size_bytes=sum(one.size_bytes for one in files))


@contextmanager
def _new_folder(to: Path) -> Generator[None]:
    """A folder with room for a copy; what is written into it goes again when that fails."""
    try:
        to.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        if any(to.iterdir()):
            raise StoreInputError(
                "the folder is not empty",
                field="--to",
                value=str(to),
                remedy="name a new one; what an export that was killed left can be deleted",
            )
        made = [to / part for part in ("events", "tables", _WORK)]
        for part in made:
            part.mkdir(mode=_OWNER_ONLY)
    except (FileExistsError, NotADirectoryError) as error:
        raise StoreInputError(
            "this is a file, not a folder", field="--to", value=str(to)
        ) from error
    except OSError as error:
        raise refusal(error, to) from error
    try:
        yield
    except BaseException as error:
        (to / manifest.NAME).unlink(missing_ok=True)
        for part in made:
            shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError):
            raise refusal(error, to) from error
        if isinstance(error, StoreRefusal):
            error.where = str(to)  # a file in it that was worked on is gone again
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    first_t_us: int | None
    last_t_us: int | None
    left_out: list[LeftOut]


def _write_lines(log: Log, sweep: SweepRow, to: Path, files: list[CopiedFile]) -> _Lines:
    """Write the lines that the sweep needs."""
    path = to / _WORK / "lines.duckdb"
    with scratch_database(path, _SETTINGS) as database, Sifter(database, sweep.sweep) as sifter:
        sifter.read(log)
        runs = sifter.left_out()
        others = sifter.others()
        first_t_us, last_t_us = sifter.span()
        if runs:
            source = new_source("x")
            for event in _explanations(source, sweep.sweep, runs):
                sifter.add(event)
            sifter.choose()
        files.append(_written(database, to, EVENTS, "write_events", "The lines of the log."))
        unreadable = _written(
            database, to, UNREADABLE, "write_unreadable", "Pieces of the log that are no events."
        )
    path.unlink()
    if unreadable.rows:
        files.append(unreadable)
    else:
        (to / UNREADABLE).unlink()
    left_out = [
        LeftOut(what="events of other sweeps", why="not asked for", events=others.of_other_sweeps),
        LeftOut(
            what="events of no sweep",
            why="of other hosts, or of other times on the same",
            events=others.not_needed,
        ),
    ]
    if runs:
        why = "of this sweep's writers, but not of this sweep"
        left_out.append(LeftOut(what="numbered gaps", why=why, events=runs_of(runs), ranges=runs))
    return _Lines(
        first_t_us=first_t_us,
        last_t_us=last_t_us,
        left_out=[one for one in left_out if one.events],
    )


def _explanations(source: str, sweep: str, runs: list[tuple[str, int, int]]) -> Iterator[Event]:
    """Events that say why the copy's writers have gaps."""
    now = SystemClock()
    for at in range(0, len(runs), _RANGES_AT_ONCE):
        yield Event(
            source=source,
            seq=at // _RANGES_AT_ONCE,
            t_us=now.wall_us(),
            mono_us=now.mono_us(),
            belongs=Belongs(sweep=sweep),
            payload=EventsLeftOut(
                sweep_copied=sweep,
                reason="not of this sweep",
                ranges=[
                    SeqRange(source=name, first=first, last=last)
                    for name, first, last in runs[at : at + _RANGES_AT_ONCE]
                ],
            ),
        )


def _write_tables(to: Path, policy: JudgingPolicy, files: list[CopiedFile]) -> Counts:
    """Load what was copied, judge it, and write the tables."""
    path = to / _WORK / "store.duckdb"
    with open_database(path, settings=_SETTINGS) as database:
        with Loader(database) as loader:
            loader.load(CopiedLog(to))
        refresh(database, policy, None)
        rows: dict[str, int] = {}
        for name, question in catalogue("exported").items():
            sql = copying("write_table").sql.replace("a_question", question.sql)
            one = _copied(database, to, f"tables/{name}.parquet", sql, question.says)
            files.append(one)
            rows[name] = one.rows
        found = Reader(database).counts()
    return Counts(
        events=found.events,
        samples=found.samples,
        trials=rows["trials"],
        tries=rows["tries"],
        kills=rows["kills"],
        unreadable=found.dead_letters,
    )


def _written(database: Database, to: Path, path: str, name: str, says: str) -> CopiedFile:
    return _copied(database, to, path, copying(name).sql, says)


def _copied(database: Database, to: Path, path: str, sql: str, says: str) -> CopiedFile:
    """Have DuckDB write a file, and look at what it wrote."""
    ((rows,),) = database.ask(sql.replace("$path", literal(str(to / path)))).rows
    return described(to, path, says, int(str(rows)))
