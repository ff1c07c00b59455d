"""Reading a journal's files: whole lines from byte offsets, whatever the bytes are.

The reader trusts nothing but newlines. A piece of a line at the end of a file is not
returned: its writer may be in the middle of it, or died there. Lines are never judged
here; what is no event becomes a dead letter in the loader.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.log.port import Chunk, LogError, Position

SUFFIX: Final = ".jsonl"
LONGEST_LINE_BYTES: Final = 64 << 20
"""A line beyond this comes in pieces: no reader has to hold more."""


def segments(folder: Path) -> list[Path]:
    """The files of a journal, a source's in the order in which they were written."""
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LogError(f"cannot read the journal ({error.strerror})", where=folder) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One file of a journal, as long as it was when it was looked at."""

    path: Path
    size: int

    @property
    def name(self) -> str:
        """As positions have it."""
        return self.path.name.removesuffix(SUFFIX)

    @property
    def source(self) -> str:
        """Who writes it."""
        return self.path.name.partition(".")[0]

    def chunks(self, start: int, *, max_bytes: int) -> Iterator[Chunk]:
        """Whole lines from an offset on. Raises as ``chunks``."""
        return _file_chunks(self.path, self.name, start, self.size, max_bytes)


def streams(folder: Path) -> list[Stream]:
    """The files of a journal with their sizes. Raises as ``chunks``."""
    found = [(path, _size(path)) for path in segments(folder)]
    return [Stream(path=path, size=size) for path, size in found if size is not None]


def chunks(folder: Path, position: Position, *, max_bytes: int) -> Iterator[Chunk]:
    """Whole lines of all files behind ``position``; see ``Log.read``.

    Raises:
        LogError: a file cannot be read, or is shorter than the position says.

    """
    for stream in streams(folder):
        start = position.get(stream.name, 0)
        if start > stream.size:
            raise LogError(
                f"the file has {stream.size} bytes, but {start} were read before",
                where=stream.path,
                remedy="restore the file; a journal is never shortened",
            )
        if start < stream.size:
            yield from stream.chunks(start, max_bytes=max_bytes)


def torn_tails(folder: Path) -> dict[str, tuple[int, int]]:
    """Stream -> (offset, bytes) of a last line that has no end."""
    torn: dict[str, tuple[int, int]] = {}
    for path in segments(folder):
        size = _size(path)
        if size is None:
            continue
        end = _last_line_end(path, size)
        if end < size:
            torn[path.name.removesuffix(SUFFIX)] = (end, size - end)
    return torn


def _size(path: Path) -> int | None:
    """Of a file; None where it was replaced since it was listed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LogError(f"cannot read the journal ({error.strerror})", where=path) from error


def _file_chunks(path: Path, stream: str, start: int, end: int, max_bytes: int) -> Iterator[Chunk]:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # replaced since it was listed (barograph.log.rewriting): read from there
    except OSError as error:
        raise LogError(f"cannot read the journal ({error.strerror})", where=path) from error
    try:
        while start < end:
            data = _whole_lines(fd, start, end, max_bytes)
            if not data:
                return
            yield Chunk(stream=stream, start=start, end=start + len(data), data=data)
            start += len(data)
    except OSError as error:
        raise LogError(f"cannot read the journal ({error.strerror})", where=path) from error
    finally:
        os.close(fd)


def _whole_lines(fd: int, start: int, end: int, max_bytes: int) -> bytes:
    """The lines at ``start``: about ``max_bytes``, more for a single long line."""
    want = max_bytes
    while True:
        data = os.pread(fd, min(want, end - start), start)
        cut = data.rfind(b"\n") + 1
        if cut:
            return data[:cut]
        if len(data) >= LONGEST_LINE_BYTES:
            return data[:LONGEST_LINE_BYTES]
        if len(data) >= end - start or not data:
            return b""
        want *= 4


def _last_line_end(path: Path, size: int) -> int:
    step = 1 << 16
    with path.open("rb") as file:
        at = size
        while at > 0:
            begin = max(0, at - step)
            file.seek(begin)
            cut = file.read(at - begin).rfind(b"\n")
            if cut >= 0:
                return begin + cut + 1
            at = begin
    return 0
