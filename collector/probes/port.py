"""What a probe of a target is: it says what it lacks, wakes on a kill, reads raw counters.

Counters are given as the kernel has them, since the cgroup began; differences are taken in
``collector.rates``, where a reset can be seen. Everything optional is None when this
machine (or this target) does not have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from barograph.metrics import PeakKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A part of a probe that does not work here, and why."""

    probe: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One read of a target. ``*_total`` and times are counters, the rest are gauges."""

    usage_bytes: int | None = None
    working_set_bytes: int | None = None
    anon_bytes: int | None = None
    peak_bytes: int | None = None
    peak_kind: PeakKind | None = None
    lifetime_peak_bytes: int | None = None
    """Highest usage since the target began, as far as this machine can tell."""
    limit_bytes: int | None = None
    oom_total: int | None = None
    oom_kill_total: int | None = None
    oom_group_kill_total: int | None = None
    limit_hits_total: int | None = None
    psi_memory_some_us: int | None = None
    psi_memory_full_us: int | None = None
    psi_cpu_some_us: int | None = None
    psi_cpu_full_us: int | None = None
    psi_io_some_us: int | None = None
    psi_io_full_us: int | None = None
    cpu_usage_us: int | None = None
    cpu_periods: int | None = None
    cpu_throttled_periods: int | None = None
    cpu_throttled_us: int | None = None
    pids: int | None = None
    io_read_bytes: int | None = None
    io_write_bytes: int | None = None
    net_rx_bytes: int | None = None
    net_tx_bytes: int | None = None


class Probe(Protocol):
    """A target that is open for reading."""

    @property
    def name(self) -> str:
        """Kind of the probe, e.g. ``cgroup_v1``."""
        ...

    @property
    def gaps(self) -> Sequence[Gap]:
        """What this probe cannot read here."""
        ...

    @property
    def counts_descendants(self) -> bool:
        """Whether ``oom_kill_total`` includes kills in cgroups below the target (v2)."""
        ...

    @property
    def wake_fd(self) -> int | None:
        """A descriptor on which the kernel announces an OOM; None where it cannot."""
        ...

    @property
    def wake_mask(self) -> int:
        """The epoll events to wait for on ``wake_fd``."""
        ...

    @property
    def announces_early(self) -> bool:
        """Whether the notification may come before the counter moves (v1)."""
        ...

    def woken(self) -> bool:
        """Take the notification, so that ``wake_fd`` is quiet until the next one.

        Returns:
            Whether an OOM is under way or has happened; False for a lesser event.

        """
        ...

    def read(self) -> Reading:
        """Read everything; resets the interval's peak if the probe was opened to do so.

        Raises:
            TargetGone: the target ended.
            ProbeRefusal: a file that could be read before no longer can.

        """
        ...

    def kill_count(self) -> int | None:
        """Read ``oom_kill_total`` only: a microsecond, for use in a tight re-read.

        Raises:
            TargetGone: the target ended.

        """
        ...

    def members(self) -> list[int]:
        """Pids (in this process' PID namespace) of what runs in the target now.

        Raises:
            TargetGone: the target ended.

        """
        ...

    def close(self) -> None:
        """Give all descriptors back. May be called twice."""
        ...
