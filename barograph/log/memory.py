"""A log in memory: for tests of everything that reads or writes a log."""

import threading
from collections.abc import Iterator, Sequence

from barograph.codec import encode
from barograph.envelope import Event
from barograph.log.port import DEFAULT_CHUNK_BYTES, Chunk, Position

STREAM = "memory"


class MemoryLog:
    """One stream of lines; the offset is the number of the line."""

    def __init__(self) -> None:
        """Begin empty."""
        self._lines: list[bytes] = []
        self._lock = threading.Lock()

    def append(self, events: Sequence[Event]) -> None:
        """See ``Log.append``; never refuses."""
        lines = [encode(event) for event in events]
        with self._lock:
            self._lines += lines

    def append_raw(self, line: bytes) -> None:
        """Put any bytes into the log as one line: what a broken writer might do."""
        with self._lock:
            self._lines.append(line if line.endswith(b"\n") else line + b"\n")

    def read(self, position: Position, *, max_bytes: int = DEFAULT_CHUNK_BYTES) -> Iterator[Chunk]:
        """See ``Log.read``."""
        with self._lock:
            lines = list(self._lines)
        start = position.get(STREAM, 0)
        while start < len(lines):
            end, size = start + 1, len(lines[start])
            while end < len(lines) and size + len(lines[end]) <= max_bytes:
                size += len(lines[end])
                end += 1
            yield Chunk(stream=STREAM, start=start, end=end, data=b"".join(lines[start:end]))
            start = end
