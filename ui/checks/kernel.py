"""What the kernel lets us do here: hold ceilings, be told of kills, see pressure.

Everything is read from the places that the sandboxes and the collector use themselves. A
permission is asked for (``access``) instead of tried, so that a doctor leaves no trace.
"""

import ctypes
import os
import platform
from pathlib import Path
from typing import Final

from ui.checks.check import Check, fail, ok, warn

_MOUNTS: Final = Path("/proc/self/mounts")
_V1_NEEDED: Final = ("memory", "cpu", "pids")
_V1_WANTED: Final = ("cpuacct", "blkio")
_V2_NEEDED: Final = ("memory", "cpu", "pids")
_ROOT_REMEDY: Final = "run as root (sudo), on a machine or in a container that owns its cgroups"
_PEAK_RESET_SINCE: Final = (6, 12)
_TIMEX_BYTES: Final = 512  # struct timex has 208 on 64 bits; the kernel writes no more
_TIME_ERROR: Final = 5  # <sys/timex.h>: the clock is not synchronised


def kernel_checks() -> list[Check]:
    """Every check of this file, in the order in which they matter."""
    return [
        _root(),
        *_cgroups(),
        _namespaces(),
        _kmsg(),
        _pressure(),
        _vmstat(),
        _clock(),
    ]


def _root() -> Check:
    if os.geteuid() == 0:
        return ok("root", "running as root")
    return fail("root", f"running as user {os.geteuid()}; local sandboxes need root", _ROOT_REMEDY)


def _cgroups() -> list[Check]:
    mounts = _cgroup_mounts()
    if "memory" in mounts:
        return _version_1(mounts)
    if "unified" in mounts:
        return _version_2(mounts["unified"])
    return [fail("cgroups", "no memory controller is mounted", "mount cgroup2 at /sys/fs/cgroup")]


def _version_1(mounts: dict[str, Path]) -> list[Check]:
    missing = [name for name in _V1_NEEDED if name not in mounts]
    closed = [name for name in _V1_NEEDED if name in mounts and not _writable(mounts[name])]
    lesser = [name for name in _V1_WANTED if name not in mounts]
    if missing:
        said, remedy = f"version 1 without {', '.join(missing)}", "mount these controllers"
        return [fail("cgroups", said, remedy)]
    if closed:
        said = f"version 1, but {', '.join(closed)} cannot be written to"
        return [fail("cgroups", said, _ROOT_REMEDY)]
    found = [
        warn("cgroups", f"version 1 without {', '.join(lesser)}", "mount these controllers too")
        if lesser
        else ok("cgroups", "version 1, all controllers writable")
    ]
    memory = mounts["memory"]
    if (memory / "cgroup.event_control").exists() and (memory / "memory.oom_control").exists():
        found.append(ok("kill notifications", "by eventfd on memory.oom_control"))
    else:
        said = "no memory.oom_control here: kills are seen once a second only"
        found.append(warn("kill notifications", said, "none, short of another kernel"))
    found.append(ok("peaks", "the true peak of every second (reset of max_usage_in_bytes)"))
    return found


def _version_2(root: Path) -> list[Check]:
    here = _words(root / "cgroup.controllers")
    missing = [name for name in _V2_NEEDED if name not in here]
    if missing:
        said = f"version 2 without {', '.join(missing)}"
        remedy = f"enable them: echo +{' +'.join(missing)} > cgroup.subtree_control above {root}"
        return [fail("cgroups", said, remedy)]
    if not _writable(root):
        return [fail("cgroups", f"version 2, but {root} cannot be written to", _ROOT_REMEDY)]
    found = [
        ok("cgroups", "version 2, all controllers there"),
        ok("kill notifications", "by poll on memory.events"),
    ]
    release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    if release >= _PEAK_RESET_SINCE:
        found.append(ok("peaks", "the true peak of every second (reset of memory.peak)"))
    else:
        said = "this kernel cannot reset memory.peak: lifetime peaks, flagged"
        found.append(warn("peaks", said, "Linux 6.12 or newer gives the peak of every second"))
    return found


def _namespaces() -> Check:
    name = "user namespaces"
    most = _words(Path("/proc/sys/user/max_user_namespaces"))
    if not Path("/proc/self/ns/user").exists() or most[:1] == ["0"]:
        remedy = "sysctl user.max_user_namespaces=10000"
        return fail(name, "switched off, but every sandbox has its own", remedy)
    return ok(name, "can be made")


def _kmsg() -> Check:
    name = "kernel log"
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        said = f"/dev/kmsg cannot be read ({(error.strerror or '').lower()})"
        remedy = "without it kills are counted, but the victim's size is not known; run as root"
        return warn(name, said, remedy)
    return ok(name, "/dev/kmsg can be read: names the victim of each kill")


def _pressure() -> Check:
    try:
        Path("/proc/pressure/memory").read_text(encoding="ascii")
    except OSError:
        said, remedy = "no /proc/pressure", "boot with psi=1 to have stall times in the results"
        return warn("pressure (PSI)", said, remedy)
    return ok("pressure (PSI)", "stall times can be read")


def _vmstat() -> Check:
    name = "audit of kills"
    try:
        text = Path("/proc/vmstat").read_text(encoding="ascii")
    except OSError:
        text = ""
    if "oom_kill " in text:
        return ok(name, "the host counts its kills (/proc/vmstat)")
    return warn(name, "this kernel does not count its kills", "Linux 4.13 or newer does")


def _clock() -> Check:
    buffer = ctypes.create_string_buffer(_TIMEX_BYTES)  # modes = 0: read only
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        state = libc.adjtimex(buffer)
    except AttributeError:
        state = -1
    if state == _TIME_ERROR:
        remedy = "start chrony or systemd-timesyncd if the hour of the day is to be trusted"
        return warn("clock", "not synchronised", remedy)
    return ok("clock", "synchronised" if state >= 0 else "the kernel does not say how it is set")


def _cgroup_mounts() -> dict[str, Path]:
    """Controller -> where it is mounted; ``unified`` for version 2."""
    found: dict[str, Path] = {}
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return found
    for line in lines:
        _device, where, kind, options, *_rest = line.split(" ")
        if kind == "cgroup2":
            found["unified"] = Path(where)
        elif kind == "cgroup":
            found.update((option, Path(where)) for option in options.split(","))
    return found


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK) and not os.statvfs(folder).f_flag & os.ST_RDONLY


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except OSError:
        return []
