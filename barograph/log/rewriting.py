"""Take lines out of a journal's files, whatever is killed meanwhile.

A file that nobody writes any more is replaced by a *version* of it, ``source.000003-1.jsonl`` for
``source.000003.jsonl``, which is a stream of its own: offsets in the old one mean nothing in
it, and whoever has read the old one drops what it meets again by (source, seq). The version is
written aside, brought to the disk and renamed before the old file goes, so that at every
moment each kept line is in a file that readers see. Where both are found, the old one is what a
kill left, and goes.

That nobody writes a file is told by its lock, which its writer holds as long as it has it open.
"""

import fcntl
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from barograph.log.port import LogError
from barograph.log.segments import LONGEST_LINE_BYTES, SUFFIX, Stream, streams

_DRAFT: Final = ".draft"


def tidy(folder: Path) -> None:
    """Remove what a killed rewriting left: drafts, and files that have a version.

    Raises:
        LogError: the journal cannot be read or changed.

    """
    by_segment: dict[str, list[tuple[int, Path]]] = {}
    try:
        for path in folder.glob("*" + _DRAFT):
            _remove_abandoned(path)
        for stream in streams(folder):
            segment, version = _version(stream.name)
            by_segment.setdefault(segment, []).append((version, stream.path))
        for found in by_segment.values():
            for _, path in sorted(found)[:-1]:
                path.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot(error, folder) from error


def version_of(stream: Stream) -> int:
    """How often its file was rewritten."""
    return _version(stream.name)[1]


@contextmanager
def sealed(stream: Stream) -> Generator[bool]:
    """Whether nobody writes its file any more; then nobody else rewrites it in the block.

    An empty file is never sealed: its writer may not have locked it yet.
    """
    if stream.size == 0:
        yield False
        return
    try:
        fd = os.open(stream.path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    except OSError as error:
        raise _cannot(error, stream.path) from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield stream.path.exists()
    finally:
        os.close(fd)


def lines(stream: Stream, start: int = 0) -> Generator[bytes]:
    """Its lines from an offset on, each with its end; what follows the last end is left out."""
    for chunk in stream.chunks(start, max_bytes=LONGEST_LINE_BYTES):
        yield from chunk.data.splitlines(keepends=True)


def replace(stream: Stream, kept: Iterable[bytes]) -> Stream | None:
    """Put a version in the place of a sealed file.

    Args:
        stream: to be held by ``sealed``.
        kept: the lines of the version; where there are none, the file just goes.

    Returns:
        The version; None where nothing was kept.

    Raises:
        LogError: it could not be written, and the old file is still there; or the old file
            would not go.

    """
    segment, version = _version(stream.name)
    path = stream.path.with_name(f"{segment}-{version + 1}{SUFFIX}")
    draft = path.with_suffix(_DRAFT)
    try:
        with _opened(draft) as file:
            size = sum(map(file.write, kept))
            file.flush()
            os.fsync(file.fileno())
            if size:
                draft.rename(path)
            else:
                draft.unlink()
        _sync_folder(path.parent)
        stream.path.unlink(missing_ok=True)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _cannot(error, stream.path) from error
    return Stream(path=path, size=size) if size else None


def _opened(draft: Path) -> BinaryIO:
    """For writing, and locked as long as it is open."""
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return os.fdopen(fd, "wb", buffering=1 << 20)


def _remove_abandoned(draft: Path) -> None:
    """Remove a draft, unless somebody is writing it."""
    try:
        fd = os.open(draft, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.unlink(missing_ok=True)
    except BlockingIOError:
        pass
    finally:
        os.close(fd)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _version(name: str) -> tuple[str, int]:
    segment, _, version = name.partition("-")
    return segment, int(version) if version.isdigit() else 0


def _cannot(error: OSError, where: Path) -> LogError:
    return LogError(f"cannot rewrite the journal ({error.strerror})", where=where)
