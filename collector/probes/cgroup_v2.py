"""A target that is a cgroup of version 2: one folder with all controllers.

* ``memory.peak`` can be reset for one descriptor alone (Linux 6.12): whoever writes to it
  reads from then on the peak since that write, and nobody else notices. So the interval's
  peak costs no agreement with anybody; a second descriptor, never written to, reads the
  lifetime peak. Older kernels refuse the write and get the lifetime peak, flagged.
* ``memory.events`` changes wake a poller (EPOLLPRI). It counts ``max`` too, so a target
  that lives at its ceiling wakes us often: the kernel holds that to once in 10 ms.
* Counters include the cgroups below the target.
* A target at the root of the hierarchy has no ``memory.current``; it is refused.
"""

import os
import select
from collections.abc import Sequence

from barograph.metrics import PeakKind
from collector.errors import ProbeRefusal, TargetGone
from collector.probes import parsing
from collector.probes.held import UNREADABLE, HeldFiles, opens, pread, read_all, rewrite
from collector.probes.network import TargetNetwork
from collector.probes.port import Gap, Reading
from collector.probes.pressure import Pressure

_RESET = b"r"


class CgroupV2:
    """One target's files, held open. See ``port.Probe`` for the methods."""

    name = "cgroup_v2"
    counts_descendants = True
    announces_early = False

    def __init__(self, folder: str) -> None:
        """Open the files of the cgroup at ``folder``.

        Raises:
            TargetGone: the cgroup does not exist.
            ProbeRefusal: it cannot be read, or no descriptors are left.

        """
        files = self._files = HeldFiles(self.name)
        self._network = TargetNetwork()
        self._highest_bytes = 0
        try:
            self._open(folder)
            self._ooms = _ooms(pread(self._events))
        except BaseException:
            files.close()
            raise

    def _open(self, folder: str) -> None:
        files = self._files
        self._folder = files.need(folder, ".", os.O_RDONLY | os.O_DIRECTORY)
        self._usage = files.need(folder, "memory.current")
        self._stat = files.need(folder, "memory.stat")
        self._events = files.need(folder, "memory.events")
        self._limit = files.need(folder, "memory.max")
        self._open_peak(folder)
        self._cpu = files.want(folder, "cpu.stat", "cpu")
        self._pids = files.want(folder, "pids.current", "pids")
        self._io = files.want(folder, "io.stat", "io")
        self._pressure = Pressure(files, folder)

    def _open_peak(self, folder: str) -> None:
        self._lifetime = self._files.want(folder, "memory.peak", "lifetime_peak")
        self._interval = UNREADABLE
        if not opens(self._lifetime):
            return
        try:
            held = self._files.need(folder, "memory.peak", os.O_RDWR)
            rewrite(held, _RESET)
        except ProbeRefusal as refusal:
            reason = f"{refusal.problem}; per-descriptor reset needs Linux 6.12 and write access"
            self._files.gaps.append(Gap(probe="cgroup_v2.interval_peak", reason=reason))
            return
        self._interval = held

    @property
    def gaps(self) -> Sequence[Gap]:
        """What could not be opened."""
        return self._files.gaps

    @property
    def wake_fd(self) -> int | None:
        """``memory.events`` itself."""
        return self._events

    @property
    def wake_mask(self) -> int:
        """EPOLLPRI alone: the file is always readable."""
        return select.EPOLLPRI

    def woken(self) -> bool:
        """Read the file: that is what quiets it. True when one of the OOM counters moved."""
        try:
            events = pread(self._events)
        except (TargetGone, ProbeRefusal):
            return True
        before, self._ooms = self._ooms, _ooms(events)
        return self._ooms != before

    def read(self) -> Reading:
        """Read all files, usage before peak, so that no peak is below its usage."""
        usage = parsing.whole(pread(self._usage))
        lifetime = parsing.whole(pread(self._lifetime))
        peak, kind = self._read_peak(usage, lifetime)
        stat = pread(self._stat)
        events = pread(self._events)
        cpu = pread(self._cpu)
        pressure = self._pressure.read()
        io = parsing.io_stat(pread(self._io)) if opens(self._io) else parsing.NEITHER
        network = self._network.read()
        self._highest_bytes = max(self._highest_bytes, peak or 0, lifetime or 0)
        return Reading(
            usage_bytes=usage,
            working_set_bytes=parsing.less(usage, parsing.flat(stat, b"inactive_file")),
            anon_bytes=parsing.flat(stat, b"anon"),
            peak_bytes=peak,
            peak_kind=kind,
            lifetime_peak_bytes=self._highest_bytes or lifetime,
            limit_bytes=parsing.limit(pread(self._limit)),
            oom_total=parsing.flat(events, b"oom"),
            oom_kill_total=parsing.flat(events, b"oom_kill"),
            oom_group_kill_total=parsing.flat(events, b"oom_group_kill"),
            limit_hits_total=parsing.flat(events, b"max"),
            psi_memory_some_us=pressure.memory.first,
            psi_memory_full_us=pressure.memory.second,
            psi_cpu_some_us=pressure.cpu.first,
            psi_cpu_full_us=pressure.cpu.second,
            psi_io_some_us=pressure.io.first,
            psi_io_full_us=pressure.io.second,
            cpu_usage_us=parsing.flat(cpu, b"usage_usec"),
            cpu_periods=parsing.flat(cpu, b"nr_periods"),
            cpu_throttled_periods=parsing.flat(cpu, b"nr_throttled"),
            cpu_throttled_us=parsing.flat(cpu, b"throttled_usec"),
            pids=parsing.whole(pread(self._pids)),
            io_read_bytes=io.first,
            io_write_bytes=io.second,
            net_rx_bytes=network.first,
            net_tx_bytes=network.second,
        )

    def kill_count(self) -> int | None:
        """``oom_kill`` of ``memory.events``: kills in this cgroup and below."""
        return parsing.flat(pread(self._events), b"oom_kill")

    def members(self) -> list[int]:
        """Pids in the cgroup (not below it); also looks for a network of their own."""
        pids = parsing.numbers(read_all(self._folder, "cgroup.procs"))
        self._network.look(pids)
        return pids

    def close(self) -> None:
        """Close the files."""
        self._network.close()
        self._files.close()

    def _read_peak(
        self, usage: int | None, lifetime: int | None
    ) -> tuple[int | None, PeakKind | None]:
        if opens(self._interval):
            peak = parsing.whole(pread(self._interval))
            rewrite(self._interval, _RESET)
            return peak, PeakKind.INTERVAL
        if lifetime is not None:
            return lifetime, PeakKind.LIFETIME
        # Before Linux 5.19 nobody remembers: what was seen is a lower bound.
        return usage, None if usage is None else PeakKind.SAMPLED


def _ooms(events: bytes) -> tuple[int | None, int | None]:
    return parsing.flat(events, b"oom"), parsing.flat(events, b"oom_kill")
