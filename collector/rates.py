"""Readings to facts: two of a target are a sample, its last one is how it ended. Pure."""

from typing import Literal

from barograph.facts import Sample, SandboxDestroyed
from collector.counters import delta
from collector.probes.port import Reading

EndReason = Literal["finished", "owner_gone", "left_over"]


def sample(before: Reading, after: Reading, *, interval_us: int) -> Sample:
    """What a target did between two reads.

    Args:
        before: the earlier read.
        after: the later read; gauges and the peak are taken from it.
        interval_us: monotonic time between them.

    """
    return Sample(
        interval_us=interval_us,
        usage_bytes=after.usage_bytes,
        working_set_bytes=after.working_set_bytes,
        anon_bytes=after.anon_bytes,
        peak_bytes=after.peak_bytes,
        peak_kind=after.peak_kind,
        limit_bytes=after.limit_bytes,
        oom_delta=delta(before.oom_total, after.oom_total),
        oom_kill_delta=delta(before.oom_kill_total, after.oom_kill_total),
        psi_memory_some_us=delta(before.psi_memory_some_us, after.psi_memory_some_us),
        psi_memory_full_us=delta(before.psi_memory_full_us, after.psi_memory_full_us),
        psi_cpu_some_us=delta(before.psi_cpu_some_us, after.psi_cpu_some_us),
        psi_cpu_full_us=delta(before.psi_cpu_full_us, after.psi_cpu_full_us),
        psi_io_some_us=delta(before.psi_io_some_us, after.psi_io_some_us),
        psi_io_full_us=delta(before.psi_io_full_us, after.psi_io_full_us),
        cpu_usage_us=delta(before.cpu_usage_us, after.cpu_usage_us),
        cpu_periods=delta(before.cpu_periods, after.cpu_periods),
        cpu_throttled_periods=delta(before.cpu_throttled_periods, after.cpu_throttled_periods),
        cpu_throttled_us=delta(before.cpu_throttled_us, after.cpu_throttled_us),
        pids=after.pids,
        io_read_bytes=delta(before.io_read_bytes, after.io_read_bytes),
        io_write_bytes=delta(before.io_write_bytes, after.io_write_bytes),
        net_rx_bytes=delta(before.net_rx_bytes, after.net_rx_bytes),
        net_tx_bytes=delta(before.net_tx_bytes, after.net_tx_bytes),
        limit_hits=delta(before.limit_hits_total, after.limit_hits_total),
    )


def final(
    last: Reading | None,
    *,
    read_by: Literal["collector", "runner"],
    reason: EndReason,
    samples: int | None,
) -> SandboxDestroyed:
    """The totals of a target that ends.

    Args:
        last: its last read; None when there never was one.
        read_by: who read.
        reason: why it ends.
        samples: how many were written for it by this reader.

    """
    reading = last or Reading()
    return SandboxDestroyed(
        read_by=read_by,
        reason=reason,
        peak_bytes=reading.lifetime_peak_bytes,
        oom_kill_total=reading.oom_kill_total,
        oom_group_kill_total=reading.oom_group_kill_total,
        oom_total=reading.oom_total,
        limit_hits_total=reading.limit_hits_total,
        cpu_usage_us=reading.cpu_usage_us,
        cpu_periods=reading.cpu_periods,
        cpu_throttled_periods=reading.cpu_throttled_periods,
        cpu_throttled_us=reading.cpu_throttled_us,
        psi_memory_some_us=reading.psi_memory_some_us,
        psi_memory_full_us=reading.psi_memory_full_us,
        samples=samples,
    )
