"""What an agent printed, on the disk within bounds: its beginning as it comes, its end at last.

The beginning is written at once, so that it is there even when the runner is killed. What
follows is held as a tail and written when the agent has ended, with a line in between that
says how much is missing. An agent that prints for hours costs no more than its bound.
"""

import contextlib
from collections import deque
from pathlib import Path
from typing import Final

HEAD_BYTES: Final = 512 << 10
TAIL_BYTES: Final = 512 << 10


class BoundedLog:
    """One file. A disk that takes nothing makes it incomplete, and nothing else."""

    def __init__(
        self, path: Path, *, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES
    ) -> None:
        """Begin the file; whatever was at ``path`` is replaced."""
        self._path = path
        self._room = head_bytes
        self._tail_bytes = tail_bytes
        self._tail: deque[bytes] = deque()
        self._in_tail = 0
        self._left_out = 0
        self._write(b"", "wb")

    def feed(self, data: bytes) -> None:
        """Take in what was printed."""
        head, rest = data[: self._room], data[self._room :]
        if head:
            self._room -= len(head)
            self._write(head, "ab")
        if not rest:
            return
        self._tail.append(rest)
        self._in_tail += len(rest)
        # Whole pieces in front that the end would be long enough without.
        while self._tail and self._in_tail - len(self._tail[0]) >= self._tail_bytes:
            piece = self._tail.popleft()
            self._in_tail -= len(piece)
            self._left_out += len(piece)

    def close(self) -> None:
        """Write the end."""
        tail = b"".join(self._tail)
        over = max(0, len(tail) - self._tail_bytes)
        self._left_out += over
        gap = b"\n[... %d bytes left out ...]\n" % self._left_out if self._left_out else b""
        if gap or tail:
            self._write(gap + tail[over:], "ab")
        self._tail.clear()

    def _write(self, data: bytes, mode: str) -> None:
        with contextlib.suppress(OSError), self._path.open(mode) as file:
            file.write(data)
