"""Room on the disk that is kept back for what must still be said when it is full.

The reserve is a file of allocated blocks beside the journal. Giving some of it back to
the file system is a truncation, which needs no room itself. All writers of a folder share
one reserve: it is for outcomes and kills, a few hundred bytes each, so a few MiB last long.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 4 << 20
_STEP_BYTES: Final = 64 << 10
_RESTORE_EVERY_S: Final = 10.0


class Reserve:
    """One preallocated file; a disk too full (or too simple) to hold it has none."""

    def __init__(self, path: Path, size_bytes: int) -> None:
        """Name the file; nothing is written before ``fill``."""
        self._path = path
        self._size_bytes = size_bytes
        self._used = False
        self._next_restore_s = 0.0

    def spares(self, size_bytes: int) -> bool:
        """Whether so much can be written without living on what was given back.

        Blocks that were given back are for outcomes and kills. Samples, which come each
        second, would eat up one step after the other.
        """
        if not self._used:
            return True
        try:
            stats = os.statvfs(self._path.parent)
            given_back = self._size_bytes - self._path.stat().st_size
        except OSError:
            return True
        return stats.f_bavail * stats.f_frsize - given_back >= size_bytes

    def fill(self) -> bool:
        """Allocate the reserve to its full size; False when there is no room for it."""
        if self._size_bytes == 0:
            return True
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            os.posix_fallocate(fd, 0, self._size_bytes)
        except OSError:
            # A partial allocation is no use to anybody else: keep what was there before.
            return False
        finally:
            os.close(fd)
        return True

    def release(self) -> bool:
        """Give one step back to the file system; False when nothing is left."""
        try:
            left = self._path.stat().st_size
            if left == 0:
                return False
            os.truncate(self._path, max(0, left - _STEP_BYTES))
        except OSError:
            return False
        self._used = True
        self._next_restore_s = time.monotonic() + _RESTORE_EVERY_S
        return True

    def restore_if_due(self) -> None:
        """Fill up again, now and then, once there is room."""
        if self._used and time.monotonic() >= self._next_restore_s:
            self._next_restore_s = time.monotonic() + _RESTORE_EVERY_S
            with contextlib.suppress(OSError):
                stats = os.statvfs(self._path.parent)
                if stats.f_bavail * stats.f_frsize > 2 * self._size_bytes:
                    self._used = not self.fill()
