"""Bytes that DuckDB reads as a file, and that never touch a disk.

``read_ndjson`` wants a path. A file in memory (``memfd_create``) has one, is reused batch
after batch without new pages, and is gone with the process however that ends. Where
there is none, a temporary file without a name of its own worth keeping does.
"""

import os
import tempfile
from types import TracebackType
from typing import Final, Self

_ALL_AT_ONCE: Final = 1 << 30


class Feed:
    """A file that is written from the beginning, read by path, and cleared."""

    def __init__(self) -> None:
        """Make it, empty."""
        self._unlink: str | None = None
        if hasattr(os, "memfd_create"):
            self._fd = os.memfd_create("barograph", os.MFD_CLOEXEC)
            self.path = f"/proc/self/fd/{self._fd}"
        else:
            self._fd, self.path = tempfile.mkstemp(prefix="barograph-", suffix=".jsonl")
            self._unlink = self.path
        self.size = 0

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See ``close``."""
        self.close()

    def clear(self) -> None:
        """Begin anew; the pages are kept for what comes next."""
        self.size = 0

    def write(self, data: bytes) -> None:
        """Put bytes at the end."""
        view = memoryview(data)
        while view:
            done = os.pwrite(self._fd, view, self.size)
            self.size += done
            view = view[done:]

    def seal(self) -> str:
        """Cut off what an earlier, longer content left; the path to read it by."""
        os.ftruncate(self._fd, self.size)
        return self.path

    def read(self) -> bytes:
        """All that was written."""
        parts: list[bytes] = []
        at = 0
        while at < self.size:
            part = os.pread(self._fd, min(_ALL_AT_ONCE, self.size - at), at)
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Let it go. Closing twice is no error."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if self._unlink is not None:
            os.unlink(self._unlink)  # noqa: PTH108 - a path that mkstemp gave
            self._unlink = None
