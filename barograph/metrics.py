"""The one table of every number in a ``sample``: name, unit, kind, bounds, formatter.

The order of the table *is* the compact encoding: a sample travels as an array of
integers in this order, because samples are 99% of all bytes. So rows are only ever
appended; a row is never moved, renamed or given another unit. A reader meets a longer
array than it knows with the extra values kept, and a shorter one with nulls.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

from barograph.units import format_bytes, format_duration

MetricKind = Literal["gauge", "delta", "peak", "code"]


class PeakKind(IntEnum):
    """What ``peak_bytes`` means, worst to best being 2, 1, 0."""

    INTERVAL = 0
    """The highest usage since the last read: the kernel's peak was reset then."""
    LIFETIME = 1
    """The highest usage since the cgroup began (no reset possible)."""
    SAMPLED = 2
    """The highest usage that polling happened to see: a lower bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One number of a sample."""

    name: str
    """Column name; the unit is its ending."""
    unit: Literal["bytes", "us", "count", "code"]
    kind: MetricKind
    """gauge: value at the read; delta: change of a counter since the last read;
    peak: highest value in the interval; code: a small enumeration."""
    meaning: str
    low: int = 0
    high: int = 2**62

    def format(self, value: int | None) -> str:
        """The value as people read it; a dash where it is missing."""
        return _FORMATTERS[self.unit](value)


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _microseconds(value: int | None) -> str:
    return format_duration(None if value is None else value / 1e6)


_FORMATTERS: Final[dict[str, Callable[[int | None], str]]] = {
    "bytes": format_bytes,
    "us": _microseconds,
    "count": _count,
    "code": _count,
}


def _bytes(name: str, kind: MetricKind, meaning: str) -> Metric:
    return Metric(name=name, unit="bytes", kind=kind, meaning=meaning)


def _us(name: str, meaning: str) -> Metric:
    return Metric(name=name, unit="us", kind="delta", meaning=meaning)


def _counted(name: str, kind: MetricKind, meaning: str) -> Metric:
    return Metric(name=name, unit="count", kind=kind, meaning=meaning)


METRICS: Final[tuple[Metric, ...]] = (
    _us("interval_us", "time since the target's previous read (the first: since watch)"),
    _bytes("usage_bytes", "gauge", "memory charged to the cgroup, page cache included"),
    _bytes("working_set_bytes", "gauge", "usage less inactive file pages"),
    _bytes("anon_bytes", "gauge", "anonymous memory: what cannot be dropped"),
    _bytes("peak_bytes", "peak", "highest usage; see peak_kind for over which time"),
    Metric(
        name="peak_kind",
        unit="code",
        kind="code",
        meaning="0 interval, 1 lifetime, 2 sampled",
        high=2,
    ),
    _bytes("limit_bytes", "gauge", "the ceiling in force; null when there is none"),
    _counted("oom_delta", "delta", "times the ceiling was hit with nothing left to reclaim"),
    _counted("oom_kill_delta", "delta", "processes that the kernel's OOM killer killed"),
    _us("psi_memory_some_us", "stall of at least one task for memory"),
    _us("psi_memory_full_us", "stall of all tasks for memory"),
    _us("psi_cpu_some_us", "stall of at least one task for CPU"),
    _us("psi_cpu_full_us", "stall of all tasks for CPU"),
    _us("psi_io_some_us", "stall of at least one task for I/O"),
    _us("psi_io_full_us", "stall of all tasks for I/O"),
    _us("cpu_usage_us", "CPU time used"),
    _counted("cpu_periods", "delta", "CPU quota periods that passed"),
    _counted("cpu_throttled_periods", "delta", "periods in which the quota ran out"),
    _us("cpu_throttled_us", "time spent throttled"),
    _counted("pids", "gauge", "processes and threads"),
    _bytes("io_read_bytes", "delta", "bytes read from block devices"),
    _bytes("io_write_bytes", "delta", "bytes written to block devices"),
    _bytes("net_rx_bytes", "delta", "bytes received; null without a network of its own"),
    _bytes("net_tx_bytes", "delta", "bytes sent; null without a network of its own"),
    _counted("limit_hits", "delta", "times usage ran into the ceiling and was reclaimed"),
)

METRIC_NAMES: Final[tuple[str, ...]] = tuple(metric.name for metric in METRICS)
