"""A target that is a cgroup of version 1: one folder in each controller's own hierarchy.

Three things are peculiar to v1.

* ``memory.max_usage_in_bytes`` is the peak since anybody last wrote 0 to it. Writing 0
  after each read makes it the true peak of the interval, to the byte, but changes what
  every other reader of the file sees; so it is done for our own sandboxes and where the
  user asked for it, else the lifetime peak is given and flagged as such. The parent's peak
  is not touched. The lifetime peak survives in ``memory.memsw.max_usage_in_bytes``, which
  nobody resets; without swap it can differ only by a charge that memory then refused.
* The kernel announces an OOM on an eventfd registered through ``cgroup.event_control``,
  *before* it kills: the counter may still be old when we wake. The eventfd fires for an OOM
  of a parent's ceiling too, and once more when the cgroup is removed.
* ``cgroup.procs`` must be opened anew for each read: a held descriptor goes on reading a
  list that the kernel keeps for as long as it is read once a second.

On a hybrid host the version 2 tree (``unified``) has no memory controller but does have
each cgroup's pressure files, so both are joined (``pressure``).
"""

import contextlib
import os
import select
from collections.abc import Mapping, Sequence
from pathlib import Path

from barograph.metrics import PeakKind
from collector.errors import ProbeRefusal
from collector.probes import parsing
from collector.probes.held import UNREADABLE, HeldFiles, opens, pread, read_all, rewrite
from collector.probes.network import TargetNetwork
from collector.probes.port import Gap, Reading
from collector.probes.pressure import Pressure

_US_PER_NS = 1000


class CgroupV1:
    """One target's files, held open. See ``port.Probe`` for the methods."""

    name = "cgroup_v1"
    counts_descendants = False
    announces_early = True

    def __init__(self, cgroups: Mapping[str, str], *, reset_peaks: bool) -> None:
        """Open the files and ask to be woken.

        Args:
            cgroups: controller -> folder of the target in its hierarchy. ``memory`` must
                be there; ``cpu``, ``cpuacct``, ``pids``, ``blkio`` and ``unified`` may.
            reset_peaks: whether the peak is ours to reset.

        Raises:
            TargetGone: the memory cgroup does not exist.
            ProbeRefusal: it cannot be read, or no descriptors are left.

        """
        files = self._files = HeldFiles(self.name)
        try:
            self._open(cgroups, reset_peaks=reset_peaks)
        except BaseException:
            files.close()
            raise
        self._network = TargetNetwork()
        self._highest_bytes = 0

    def _open(self, cgroups: Mapping[str, str], *, reset_peaks: bool) -> None:
        files, memory, unified = self._files, cgroups["memory"], cgroups.get("unified")
        self._folder = files.need(memory, ".", os.O_RDONLY | os.O_DIRECTORY)
        self._usage = files.need(memory, "memory.usage_in_bytes")
        self._stat = files.need(memory, "memory.stat")
        self._oom = files.need(memory, "memory.oom_control")
        self._limit = files.need(memory, "memory.limit_in_bytes")
        self._failcnt = files.want(memory, "memory.failcnt", "limit_hits")
        self._open_peak(memory, reset_peaks=reset_peaks)
        self._cpu = files.want(cgroups.get("cpu"), "cpu.stat", "cpu")
        self._cpuacct = files.want(cgroups.get("cpuacct"), "cpuacct.usage", "cpuacct")
        self._pids = files.want(cgroups.get("pids"), "pids.current", "pids")
        blkio = "blkio.throttle.io_service_bytes_recursive"
        self._blkio = files.want(cgroups.get("blkio"), blkio, "blkio")
        self._pressure = Pressure(files, unified)
        self._wake = self._register(memory)

    def _open_peak(self, memory: str, *, reset_peaks: bool) -> None:
        self._resets = reset_peaks
        name = "memory.max_usage_in_bytes"
        try:
            self._peak = self._files.need(memory, name, os.O_RDWR if reset_peaks else os.O_RDONLY)
        except ProbeRefusal as refusal:
            if not reset_peaks:
                raise
            self._resets = False
            self._files.gaps.append(Gap(probe="cgroup_v1.interval_peak", reason=refusal.problem))
            self._peak = self._files.need(memory, name)
        self._swap_peak = UNREADABLE
        if not _swap_is_in_use():
            swap_peak = "memory.memsw.max_usage_in_bytes"
            self._swap_peak = self._files.want(memory, swap_peak, "lifetime_peak")

    def _register(self, memory: str) -> int | None:
        """Ask for the OOM notification; None (and a gap) where it cannot be had."""
        wake = self._files.adopt(os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC))
        control = self._files.want(memory, "cgroup.event_control", "oom_wake", os.O_WRONLY)
        if not opens(control):
            return None
        try:
            os.write(control, b"%d %d" % (wake, self._oom))
        except OSError as error:
            reason = f"cgroup.event_control: {(error.strerror or str(error)).lower()}"
            self._files.gaps.append(Gap(probe="cgroup_v1.oom_wake", reason=reason))
            return None
        return wake

    @property
    def gaps(self) -> Sequence[Gap]:
        """What could not be opened."""
        return self._files.gaps

    @property
    def wake_fd(self) -> int | None:
        """The eventfd, or None."""
        return self._wake

    @property
    def wake_mask(self) -> int:
        """An eventfd is readable when it was fired."""
        return select.EPOLLIN

    def woken(self) -> bool:
        """Set the eventfd back to 0: it is fired for an OOM (or the end) and nothing else."""
        if self._wake is not None:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._wake)
        return True

    def read(self) -> Reading:
        """Read all files, usage before peak, so that no peak is below its usage."""
        usage = parsing.whole(pread(self._usage))
        peak = parsing.whole(pread(self._peak))
        if self._resets:
            rewrite(self._peak, b"0")
        stat = pread(self._stat)
        limit = parsing.limit(pread(self._limit))
        inactive = parsing.flat(stat, b"total_inactive_file")
        cpu = pread(self._cpu)
        cpu_ns = parsing.whole(pread(self._cpuacct))
        throttled_ns = parsing.flat(cpu, b"throttled_time")
        pressure = self._pressure.read()
        io = parsing.blkio(pread(self._blkio)) if opens(self._blkio) else parsing.NEITHER
        network = self._network.read()
        return Reading(
            usage_bytes=usage,
            working_set_bytes=parsing.less(usage, inactive),
            anon_bytes=parsing.flat(stat, b"total_rss"),
            peak_bytes=peak,
            peak_kind=PeakKind.INTERVAL if self._resets else PeakKind.LIFETIME,
            lifetime_peak_bytes=self._lifetime_peak(peak, limit),
            limit_bytes=limit,
            oom_kill_total=self.kill_count(),
            limit_hits_total=parsing.whole(pread(self._failcnt)),
            psi_memory_some_us=pressure.memory.first,
            psi_memory_full_us=pressure.memory.second,
            psi_cpu_some_us=pressure.cpu.first,
            psi_cpu_full_us=pressure.cpu.second,
            psi_io_some_us=pressure.io.first,
            psi_io_full_us=pressure.io.second,
            cpu_usage_us=None if cpu_ns is None else cpu_ns // _US_PER_NS,
            cpu_periods=parsing.flat(cpu, b"nr_periods"),
            cpu_throttled_periods=parsing.flat(cpu, b"nr_throttled"),
            cpu_throttled_us=None if throttled_ns is None else throttled_ns // _US_PER_NS,
            pids=parsing.whole(pread(self._pids)),
            io_read_bytes=io.first,
            io_write_bytes=io.second,
            net_rx_bytes=network.first,
            net_tx_bytes=network.second,
        )

    def kill_count(self) -> int | None:
        """``oom_kill`` of ``memory.oom_control``: kills of tasks in this very cgroup."""
        return parsing.flat(pread(self._oom), b"oom_kill")

    def members(self) -> list[int]:
        """Pids in the memory cgroup; also looks whether they are in the other trees."""
        pids = parsing.numbers(read_all(self._folder, "cgroup.procs"))
        self._network.look(pids)
        self._pressure.look(pids)
        return pids

    def close(self) -> None:
        """Close the files; closing the eventfd also withdraws its registration."""
        self._wake = None
        self._network.close()
        self._files.close()

    def _lifetime_peak(self, peak: int | None, limit: int | None) -> int | None:
        self._highest_bytes = max(self._highest_bytes, peak or 0)
        kept = parsing.whole(pread(self._swap_peak))
        if kept is not None:
            kept = kept if limit is None else min(kept, limit)
            self._highest_bytes = max(self._highest_bytes, kept)
        return self._highest_bytes or peak


def _swap_is_in_use() -> bool:
    """Whether any swap area is active: memory-and-swap peaks then say more than memory."""
    try:
        return len(Path("/proc/swaps").read_bytes().splitlines()) > 1
    except OSError:
        return True
