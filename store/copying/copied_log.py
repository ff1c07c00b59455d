"""A copy of a sweep, read as a log: its lines as they were written, writer by writer."""

import re
from collections.abc import Generator, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from barograph.envelope import Event
from barograph.log.port import DEFAULT_CHUNK_BYTES, Chunk, LogError, Position
from store.catalogue import copying
from store.copying.manifest import EVENTS, UNREADABLE
from store.database import memory_connection
from store.errors import StoreInputError

_AT_ONCE: Final = 20_000
_PLAIN: Final = re.compile(r"[a-z0-9]{1,64}")
_NOBODY: Final = "unreadable"


class Piece(NamedTuple):
    """Some lines of one writer; those of the next piece follow them."""

    name: str
    """Of the writer, as a file may be called."""
    lines: bytes


class CopiedLog:
    """The lines of one copy. Implements ``barograph.log.port.Log``, but takes nothing."""

    def __init__(self, root: Path) -> None:
        """Read the copy in this folder."""
        self._root = root

    def pieces(self) -> Generator[Piece]:
        """All lines, writer by writer in the order of their seqs; what is no event comes last.

        Raises:
            StoreError: a file cannot be read.
            StoreInputError: the lines are not in order.

        """
        path = self._root / EVENTS
        before = ("", -1)
        with memory_connection() as database:
            sql = copying("read_events").fill({"path": str(path)})
            for rows in database.stream(sql, _AT_ONCE):
                for source, some in groupby(rows, key=lambda row: str(row[0])):
                    lines = list(some)
                    # The same again may follow: a log may say two things of one identity.
                    if (source, int(str(lines[0][1]))) < before:
                        raise StoreInputError("lines are not in order", where=path)
                    before = (source, int(str(lines[-1][1])))
                    text = "\n".join([str(line) for _, _, line in lines])
                    yield Piece(_file_name(source), f"{text}\n".encode())
            if (self._root / UNREADABLE).exists():
                sql = copying("read_unreadable").fill({"path": str(self._root / UNREADABLE)})
                for rows in database.stream(sql, _AT_ONCE):
                    yield Piece(_NOBODY, b"".join(_raw(row[0]) + b"\n" for row in rows))

    def append(self, events: Sequence[Event]) -> None:  # noqa: ARG002 - the port has it
        """Nothing is added to a copy."""
        raise LogError("a copy takes no events", where=self._root)

    def read(
        self,
        position: Position,
        *,
        max_bytes: int = DEFAULT_CHUNK_BYTES,  # noqa: ARG002 - the port has it
    ) -> Iterator[Chunk]:
        """See ``Log.read``; a copy is read from its beginning, and in pieces of its own size."""
        if position:
            raise LogError("a copy is read as a whole", where=self._root)
        ends: dict[str, int] = {}
        for name, lines in self.pieces():
            start = ends.get(name, 0)
            ends[name] = end = start + len(lines)
            yield Chunk(stream=name, start=start, end=end, data=lines)


def _file_name(source: str) -> str:
    """A source's name, or a digest of one that no writer of ours has."""
    if _PLAIN.fullmatch(source) and source != _NOBODY:
        return source
    return "z" + sha256(source.encode()).hexdigest()[:16]


def _raw(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
