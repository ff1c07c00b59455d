"""The machine: what every trial on it shares.

``oom_kill`` of ``/proc/vmstat`` counts every kill of the kernel's OOM killer since boot,
whatever cgroup it was in. It is the audit: its growth, less the kills of watched targets and
those the kernel log gives to others, is the number of kills that nobody claims.
"""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.facts import HostInfo, HostSample
from collector.counters import delta
from collector.probes import parsing
from collector.probes.port import Gap

_LARGE: Final = 1 << 20
_US_PER_S: Final = 1_000_000
_KIB: Final = 1024
_FILES: Final = {
    "stat": "/proc/stat",
    "meminfo": "/proc/meminfo",
    "vmstat": "/proc/vmstat",
    "loadavg": "/proc/loadavg",
    "net": "/proc/net/dev",
    "psi_memory": "/proc/pressure/memory",
    "psi_cpu": "/proc/pressure/cpu",
    "psi_io": "/proc/pressure/io",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counters:
    """What the host counts since boot."""

    cpu_busy_us: int | None
    memory: parsing.Pair
    cpu: parsing.Pair
    io: parsing.Pair
    network: parsing.Pair


class HostProbe:
    """The host's files, held open; differences are since the previous ``sample``."""

    def __init__(self, folder: Path) -> None:
        """Open them.

        Args:
            folder: where free room is looked at: the data folder.

        """
        self.gaps: list[Gap] = []
        self._folder = folder
        self._us_per_tick = _US_PER_S // os.sysconf("SC_CLK_TCK")
        self._fds: dict[str, int] = {}
        for part, path in _FILES.items():
            try:
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                os.pread(fd, 1, 0)
            except OSError as error:
                reason = f"{path}: {(error.strerror or str(error)).lower()}"
                self.gaps.append(Gap(probe=f"host.{part}", reason=reason))
            else:
                self._fds[part] = fd
        self._before = self._counters()

    def sample(self, *, interval_us: int, targets: int) -> HostSample:
        """Read the host at a tick.

        Args:
            interval_us: time since the previous sample.
            targets: how many targets are watched.

        """
        before, self._before = self._before, self._counters()
        after = self._before
        meminfo = self._read("meminfo")
        load = self._read("loadavg").split()
        return HostSample(
            interval_us=interval_us,
            load1=float(load[0]) if load else None,
            memory_available_bytes=_kib(meminfo, b"MemAvailable:"),
            memory_total_bytes=_kib(meminfo, b"MemTotal:"),
            cpu_busy_us=delta(before.cpu_busy_us, after.cpu_busy_us),
            psi_memory_some_us=delta(before.memory.first, after.memory.first),
            psi_memory_full_us=delta(before.memory.second, after.memory.second),
            psi_cpu_some_us=delta(before.cpu.first, after.cpu.first),
            psi_io_some_us=delta(before.io.first, after.io.first),
            psi_io_full_us=delta(before.io.second, after.io.second),
            net_rx_bytes=delta(before.network.first, after.network.first),
            net_tx_bytes=delta(before.network.second, after.network.second),
            targets=targets,
            oom_kill_total=self.oom_kill_total(),
            disk_free_bytes=self._disk_free(),
        )

    def oom_kill_total(self) -> int | None:
        """Kills since boot; None before Linux 4.13."""
        return parsing.flat(self._read("vmstat"), b"oom_kill")

    def close(self) -> None:
        """Give the descriptors back."""
        while self._fds:
            os.close(self._fds.popitem()[1])

    def _read(self, part: str) -> bytes:
        fd = self._fds.get(part)
        if fd is None:
            return b""
        try:
            return os.pread(fd, _LARGE, 0)
        except OSError:
            return b""

    def _counters(self) -> _Counters:
        busy = parsing.cpu_busy_ticks(self._read("stat"))
        network = self._read("net")
        return _Counters(
            cpu_busy_us=None if busy is None else busy * self._us_per_tick,
            memory=parsing.psi(self._read("psi_memory")),
            cpu=parsing.psi(self._read("psi_cpu")),
            io=parsing.psi(self._read("psi_io")),
            network=parsing.net_dev(network) if network else parsing.NEITHER,
        )

    def _disk_free(self) -> int | None:
        try:
            stats = os.statvfs(self._folder)
        except OSError:
            return None
        return stats.f_bavail * stats.f_frsize


def describe_host(cgroup_version: int | None) -> HostInfo:
    """What does not change while a collector lives.

    Args:
        cgroup_version: which version the memory controller is in.

    """
    meminfo = _text(Path("/proc/meminfo"))
    return HostInfo(
        host=platform.node(),
        cores=os.cpu_count() or 1,
        memory_bytes=_kib(meminfo, b"MemTotal:") or 0,
        kernel=platform.release(),
        cgroup_version=cgroup_version,
        psi=bool(_text(Path("/proc/pressure/memory"))),
        swap_bytes=_kib(meminfo, b"SwapTotal:"),
        cpu_model=_cpu_model(_text(Path("/proc/cpuinfo"))),
        virtualisation=_virtualisation(lambda path: _text(Path(path))),
    )


def _kib(meminfo: bytes, key: bytes) -> int | None:
    start = meminfo.find(key)
    words = meminfo[start : start + 64].split() if start >= 0 else []
    return int(words[1]) * _KIB if len(words) > 1 else None


def _cpu_model(cpuinfo: bytes) -> str | None:
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(b":")
        if key.strip() == b"model name":
            return value.strip().decode(errors="replace")
    return None


def _virtualisation(read: Callable[[str], bytes]) -> str | None:
    """The hypervisor's product as the firmware names it, else that there is one."""
    product = read("/sys/class/dmi/id/product_name").strip().decode(errors="replace")
    if b" hypervisor" in read("/proc/cpuinfo"):
        return product or "hypervisor"
    return None


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
