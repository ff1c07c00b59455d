"""A target that is a process and what it started, where there is no cgroup to read.

By psutil, at about 2 ms a read. What this cannot see is much: memory is the sum of resident
sets (shared pages counted once for each process), the peak is only the highest sum that
polling met, no ceiling and no kill is known, and a child that left the tree is lost. All of
that is None or flagged ``sampled``; results that rest on it say so.
"""

from typing import TYPE_CHECKING

import psutil

from barograph.metrics import PeakKind
from collector.errors import TargetGone
from collector.probes.port import Gap, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

_US_PER_S = 1_000_000


class ProcessTree:
    """A process and its descendants. See ``port.Probe`` for the methods."""

    name = "process"
    counts_descendants = False
    announces_early = False
    wake_fd: int | None = None
    wake_mask = 0

    def __init__(self, pid: int) -> None:
        """Find the process.

        Raises:
            TargetGone: no such process.

        """
        self.gaps: Sequence[Gap] = (
            Gap(probe="process.peak", reason="polled: short peaks are missed"),
            Gap(probe="process.oom_kill", reason="no cgroup: kills cannot be counted"),
        )
        self._highest_bytes = 0
        self._cpu_gone_us = 0
        self._cpu_us: dict[tuple[int, float], int] = {}
        try:
            self._root = psutil.Process(pid)
        except psutil.NoSuchProcess as error:
            raise TargetGone("no such process", value=pid) from error

    def woken(self) -> bool:
        """Nothing wakes this probe."""
        return False

    def read(self) -> Reading:
        """Sum over the tree; processes that end during the read are left out."""
        resident = threads = 0
        cpu_us: dict[tuple[int, float], int] = {}
        for process in self._tree():
            try:
                with process.oneshot():
                    times = process.cpu_times()
                    resident += process.memory_info().rss
                    threads += process.num_threads()
                    identity = (process.pid, process.create_time())
            except psutil.Error:
                continue
            cpu_us[identity] = round((times.user + times.system) * _US_PER_S)
        # What ended since the last read keeps the time it was last seen with, so that
        # the sum never falls.
        self._cpu_gone_us += sum(us for key, us in self._cpu_us.items() if key not in cpu_us)
        self._cpu_us = cpu_us
        self._highest_bytes = max(self._highest_bytes, resident)
        return Reading(
            usage_bytes=resident,
            peak_bytes=resident,
            peak_kind=PeakKind.SAMPLED,
            lifetime_peak_bytes=self._highest_bytes,
            cpu_usage_us=self._cpu_gone_us + sum(cpu_us.values()),
            pids=threads,
        )

    def kill_count(self) -> int | None:
        """Unknown without a cgroup."""
        return None

    def members(self) -> list[int]:
        """Pids of the tree."""
        return [process.pid for process in self._tree()]

    def close(self) -> None:
        """Nothing is held."""

    def _tree(self) -> list[psutil.Process]:
        try:
            if not self._root.is_running() or self._root.status() == psutil.STATUS_ZOMBIE:
                raise TargetGone("the process ended", value=self._root.pid)
            return [self._root, *self._root.children(recursive=True)]
        except psutil.NoSuchProcess as error:
            raise TargetGone("the process ended", value=self._root.pid) from error
