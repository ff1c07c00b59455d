"""What the collector saw: samples of targets and host, and what it could not see."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from barograph.facts.base import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample(Fact):
    """One target at one tick. Fields, units and order: ``barograph.metrics``."""

    type: ClassVar[str] = "sample"

    interval_us: int | None = None
    usage_bytes: int | None = None
    working_set_bytes: int | None = None
    anon_bytes: int | None = None
    peak_bytes: int | None = None
    peak_kind: int | None = None
    limit_bytes: int | None = None
    oom_delta: int | None = None
    oom_kill_delta: int | None = None
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
    limit_hits: int | None = None

    @classmethod
    def of(cls, values: Mapping[str, int | None]) -> "Sample":
        """A sample of metrics by name; metrics that are not named are missing."""
        fields: dict[str, Any] = dict(values)
        return replace(cls(), **fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInfo(Fact):
    """The machine, once a writer."""

    type: ClassVar[str] = "host.info"

    host: str
    cores: int
    memory_bytes: int
    kernel: str
    cgroup_version: int | None = None
    psi: bool | None = None
    swap_bytes: int | None = None
    cpu_model: str | None = None
    virtualisation: str | None = None
    cloud: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSample(Fact):
    """The machine at one tick."""

    type: ClassVar[str] = "host.sample"

    interval_us: int | None = None
    load1: float | None = None
    memory_available_bytes: int | None = None
    memory_total_bytes: int | None = None
    cpu_busy_us: int | None = None
    psi_memory_some_us: int | None = None
    psi_memory_full_us: int | None = None
    psi_cpu_some_us: int | None = None
    psi_io_some_us: int | None = None
    psi_io_full_us: int | None = None
    net_rx_bytes: int | None = None
    net_tx_bytes: int | None = None
    targets: int | None = None
    """Targets watched at this tick: running trials."""
    oom_kill_total: int | None = None
    """``/proc/vmstat`` oom_kill, a counter since boot: the audit of all kills."""
    disk_free_bytes: int | None = None
    """Free room where the data folder lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOomKill(Fact):
    """A kill in a cgroup that nobody asked to watch, told by the kernel log."""

    type: ClassVar[str] = "host.oom_kill"

    victim_pid: int | None = None
    victim_comm: str | None = None
    victim_rss_bytes: int | None = None
    constraint: str | None = None
    oom_cgroup: str | None = None
    task_cgroup: str | None = None
    kernel_us: int | None = None
    """Stamp of the kernel log: microseconds since boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorSelf(Fact):
    """The collector's own cost since its last such event."""

    type: ClassVar[str] = "collector.self"

    interval_us: int
    cpu_us: int
    rss_bytes: int | None = None
    ticks: int
    targets: int
    lateness_max_us: int
    lateness_mean_us: int
    events_written: int
    samples_dropped: int
    open_files: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeUnavailable(Fact):
    """A probe cannot work here; said once a writer and target kind, with the reason."""

    type: ClassVar[str] = "probe.unavailable"

    probe: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TickMissed(Fact):
    """Ticks that could not be served in time: a stated gap, not a silent one."""

    type: ClassVar[str] = "tick.missed"

    first_tick: int
    ticks: int
    late_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeqRange:
    """Events of one source, first and last included."""

    source: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesThinned(Fact):
    """Samples given up so that outcomes and kills could still be written.

    ``ranges`` names samples that had been in the log; ``dropped`` counts samples that
    never got there (the disk was full), whose seq was therefore never used.
    """

    type: ClassVar[str] = "samples.thinned"

    reason: str
    ranges: list[SeqRange]
    dropped: int | None = None
    first_t_us: int | None = None
    last_t_us: int | None = None
    """Wall times of the first and the last dropped sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStepped(Fact):
    """The wall clock moved against the monotonic one."""

    type: ClassVar[str] = "clock.stepped"

    step_us: int
    """Positive: the wall clock was set forward."""
