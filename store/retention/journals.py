"""Take pruned lines out of the files of a journal, and what pruned trials printed from the disk.

Both can be done again and again, and by anybody who has the folder: what goes is said in the
log. Lines are told by how they begin; one that is written otherwise is looked at closely. A
broken line that does not say whose it is goes with the last line of its file that does.
"""

import re
import shutil
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from barograph.facts import LogPruned
from barograph.folder import DataFolder
from barograph.log.rewriting import lines, replace, sealed, tidy
from barograph.log.segments import Stream, streams
from store.errors import StoreBusyError, StoreRefusal
from store.lines import Bad, Good, canonical, dissect
from store.pruning import Pruned

_HEAD: Final = re.compile(
    rb'\{"v":\d{1,9},"type":"(?P<type>[^"\\]+)","source":"(?P<source>[^"\\]+)",'
    rb'"seq":(?P<seq>\d{1,18}),'
)
_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
"""As the id of a trial may be for a folder to be named after it."""
_BEGIN: Final = b'{"v":'
_PRUNING: Final = LogPruned.type.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Some of a journal, or of what trials printed."""

    things: int = 0
    """Lines, or folders of trials."""
    bytes: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        """Both."""
        return Amount(things=self.things + other.things, bytes=self.bytes + other.bytes)


def measure(folder: DataFolder, pruned: Pruned) -> Amount:
    """How much of the journal is pruned and still there.

    Raises:
        LogError: it cannot be read.

    """
    return sum((_found(stream, pruned)[0] for stream in _about(folder, pruned)), Amount())


def refuse_written(folder: DataFolder, pruned: Pruned) -> None:
    """Refuse while somebody writes a file that has, or will have, what is to go.

    Raises:
        StoreBusyError: somebody does.
        LogError: the journal cannot be read.

    """
    for stream in _about(folder, pruned):
        with sealed(stream) as free:
            if not free and stream.size and stream.path.exists():
                raise StoreBusyError(
                    "a process still writes this file of the journal, of which lines are to go",
                    where=stream.path,
                    remedy="wait for it (a campaign, a collector), then run the same command again",
                )


def take_out(
    folder: DataFolder, pruned: Pruned, *, release: Callable[[], bool] = lambda: False
) -> Amount:
    """Rewrite the files that hold pruned lines; what went.

    Args:
        folder: whose journal.
        pruned: which lines.
        release: called once where somebody writes such a file; whether that may have ended.

    Raises:
        StoreBusyError: somebody writes one of them; the others are done.
        LogError: one cannot be read or written; the same again goes on.

    """
    if not folder.journal.is_dir():
        return Amount()
    tidy(folder.journal)
    gone, written = _rewrite(folder, pruned)
    if written and release():
        more, written = _rewrite(folder, pruned)
        gone += more
    if written:
        raise StoreBusyError(
            "a process still writes this file of the journal, and pruned lines are in it",
            where=written[0],
            remedy="run the same command again when it has ended",
        )
    return gone


def _rewrite(folder: DataFolder, pruned: Pruned) -> tuple[Amount, list[Path]]:
    """What went, and files that somebody writes."""
    gone = Amount()
    written: list[Path] = []
    for stream in _about(folder, pruned):
        with sealed(stream) as free:
            amount, stay = _found(stream, pruned)
            if not amount.things:
                continue
            if not free:
                written.append(stream.path)
                continue
            replace(stream, _kept(stream, pruned) if stay else ())
            gone += amount
    return gone, written


def printed(folder: DataFolder, trials: Iterable[str]) -> list[Path]:
    """The folders of what these trials printed, as far as there are any."""
    # The names are from the log: none may lead elsewhere.
    paths = [folder.trials / name for name in trials if _NAME.fullmatch(name)]
    return [path for path in paths if path.is_dir() and not path.is_symlink()]


def size_of(folders: Iterable[Path]) -> Amount:
    """How much they hold."""
    total = Amount()
    for folder in folders:
        sizes = [path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()]
        total += Amount(things=1, bytes=sum(sizes))
    return total


def remove(folders: Iterable[Path]) -> Amount:
    """Delete them; what went.

    Raises:
        StoreRefusal: one cannot be deleted.

    """
    gone = Amount()
    for folder in folders:
        size = size_of([folder])
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise StoreRefusal(
                f"what a trial printed cannot be deleted ({error.strerror})", where=folder
            ) from error
        gone += size
    return gone


def _about(folder: DataFolder, pruned: Pruned) -> list[Stream]:
    """Files that may hold what is pruned: a file is named after the source that writes it.

    But for those of a copy that was brought in, which may have sources that no file is named after.
    """
    found = streams(folder.journal)
    if pruned.runs and folder.imported.exists():
        return found
    return [stream for stream in found if stream.source in pruned.runs]


class _Fate(NamedTuple):
    """Whether anything of a line goes, and whether anything stays; neither: nobody's line."""

    goes: bool
    stays: bool


def _found(stream: Stream, pruned: Pruned) -> tuple[Amount, int]:
    """What of a file goes, and how many of its lines stay; with the last, all goes."""
    gone, nobodys, stay = Amount(), Amount(), 0
    for line in lines(stream):
        fate = _fate(line, pruned)
        stay += fate.stays
        if fate.goes:
            gone += Amount(things=1, bytes=len(line))
        elif not fate.stays:
            nobodys += Amount(things=1, bytes=len(line))
    return (gone + nobodys if gone.things and not stay else gone), stay


def _kept(stream: Stream, pruned: Pruned) -> Generator[bytes]:
    for line in lines(stream):
        fate = _fate(line, pruned)
        if not fate.goes:
            yield line
        elif fate.stays:
            yield from _kept_parts(line, pruned)


def _fate(line: bytes, pruned: Pruned) -> _Fate:
    head = _head(line)
    if head is not None and (source := _text(head["source"])) is not None:
        goes = head["type"] != _PRUNING and pruned.has(source, int(head["seq"]))
        return _Fate(goes, not goes)
    told = [_part_goes(part, pruned) for part in dissect(line.removesuffix(b"\n"))]
    return _Fate(True in told, False in told)


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _head(line: bytes) -> re.Match[bytes] | None:
    """How a line begins that holds one event, or the beginning of one."""
    return None if line.find(_BEGIN, 1) > 0 else _HEAD.match(line)


def _part_goes(part: Good | Bad, pruned: Pruned) -> bool | None:
    if isinstance(part, Good):
        event = part.event
        return not isinstance(event.payload, LogPruned) and pruned.has(event.source, event.seq)
    return None if part.identity is None else pruned.has(*part.identity)


def _kept_parts(line: bytes, pruned: Pruned) -> Generator[bytes]:
    """What stays of a line of several events, each in a line of its own."""
    for part in dissect(line.removesuffix(b"\n")):
        if _part_goes(part, pruned) is False:
            yield (canonical(part.event) if isinstance(part, Good) else part.raw) + b"\n"
