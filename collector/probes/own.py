"""What the collector itself costs: CPU time, resident memory, open files."""

import os
import time
from pathlib import Path
from typing import NamedTuple

_US_PER_NS = 1000
_LARGE = 256


class OwnCost(NamedTuple):
    """Since the process began."""

    cpu_us: int
    """User and system time of all threads."""
    rss_bytes: int | None
    open_files: int | None


class OwnProbe:
    """This process, by its own clock and ``/proc/self``."""

    def __init__(self) -> None:
        """Hold ``/proc/self/statm``; None where there is no ``/proc``."""
        self._page = os.sysconf("SC_PAGE_SIZE")
        try:
            self._statm: int | None = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._statm = None

    def read(self) -> OwnCost:
        """Cost so far."""
        resident = None
        if self._statm is not None:
            resident = int(os.pread(self._statm, _LARGE, 0).split()[1]) * self._page
        try:
            files = sum(1 for _ in Path("/proc/self/fd").iterdir())
        except OSError:
            files = None
        return OwnCost(
            cpu_us=time.process_time_ns() // _US_PER_NS, rss_bytes=resident, open_files=files
        )

    def close(self) -> None:
        """Give the descriptor back."""
        if self._statm is not None:
            os.close(self._statm)
            self._statm = None
