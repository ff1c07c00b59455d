"""Where this machine's cgroup hierarchies are mounted, and what a cgroup is called in each.

The kernel log and ``/proc/<pid>/cgroup`` name a cgroup by its path from the root of a
hierarchy; files lie under a mount point. ``/proc/self/mountinfo`` joins the two.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from collector.errors import ProbeRefusal, TargetGone

CONTROLLERS: Final = ("memory", "cpu", "cpuacct", "pids", "blkio")
"""The version 1 controllers that a target is read from."""
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


def mounts(mountinfo: str | None = None) -> dict[str, str]:
    """Controller (``unified`` for version 2) -> mount point.

    Args:
        mountinfo: text of ``/proc/self/mountinfo``; read when None.

    """
    if mountinfo is None:
        try:
            mountinfo = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return {}
    found: dict[str, str] = {}
    for line in mountinfo.splitlines():
        place, dash, kind = line.partition(" - ")
        words, kinds = place.split(), kind.split()
        if not dash or len(words) < 5 or len(kinds) < 3:  # noqa: PLR2004 - see proc(5)
            continue
        folder = _OCTAL.sub(lambda match: chr(int(match[1], 8)), words[4])
        if kinds[0] == "cgroup2":
            found.setdefault("unified", folder)
        elif kinds[0] == "cgroup":
            for controller in kinds[2].split(","):
                if controller in CONTROLLERS:
                    found.setdefault(controller, folder)
    return found


def memory_version(found: Mapping[str, str]) -> int | None:
    """Which version the memory controller is in: 1, 2, or None for neither."""
    if "memory" in found:
        return 1
    return 2 if "unified" in found else None


def kernel_path(cgroups: Mapping[str, str], found: Mapping[str, str] | None = None) -> str | None:
    """A target's cgroup as the kernel log prints it; None for one outside any mount."""
    known = mounts() if found is None else found
    for controller in ("memory", "unified"):
        folder, root = cgroups.get(controller), known.get(controller)
        if folder is not None and root is not None:
            try:
                below = Path(folder).relative_to(root)
            except ValueError:
                return None
            return "/" if below == Path() else f"/{below}"
    return None


def resolve(path: str, found: Mapping[str, str] | None = None) -> dict[str, str]:
    """All folders of one cgroup, given any of them or its kernel path.

    Args:
        path: ``/sys/fs/cgroup/memory/docker/abc``, ``/sys/fs/cgroup/docker/abc`` or
            ``/docker/abc``.
        found: mount points; looked up when None.

    Returns:
        Controller -> folder, of the hierarchies in which the cgroup exists.

    Raises:
        ProbeRefusal: no cgroup hierarchy is mounted.
        TargetGone: there is no such cgroup, or its memory is not counted.

    """
    known = mounts() if found is None else found
    version = memory_version(known)
    if version is None:
        raise ProbeRefusal("no cgroup file system is mounted here", where="/proc/self/mountinfo")
    below = _below(path, known)
    folders = {controller: str(Path(root) / below) for controller, root in known.items()}
    wanted = {
        controller: folder
        for controller, folder in folders.items()
        if (version == 1 or controller == "unified") and Path(folder).is_dir()
    }
    needed = "memory" if version == 1 else "unified"
    if needed not in wanted:
        raise TargetGone(
            "no such cgroup",
            where=folders[needed],
            remedy="give its folder under the mount point or its path in /proc/PID/cgroup",
        )
    return wanted


def _below(path: str, known: Mapping[str, str]) -> Path:
    """The path from the root of its hierarchy; the deepest mount point counts."""
    for root in sorted(known.values(), key=len, reverse=True):
        if Path(path) == Path(root) or Path(root) in Path(path).parents:
            return Path(path).relative_to(root)
    return Path(path.lstrip("/"))
