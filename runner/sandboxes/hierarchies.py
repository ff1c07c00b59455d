"""Where this machine keeps its cgroups: which version, which mount, which controllers.

Two kinds of machines are served. Version 1: each controller in a hierarchy of its own
(or two sharing one), often with an empty version 2 tree beside them, which still counts
pressure (PSI). Version 2: one tree for everything. What decides is who has the memory
controller, because a controller lives in one version at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from runner.sandboxes.errors import SandboxRefusal

UNIFIED: Final = "unified"
_NEEDED: Final = ("memory", "cpu", "pids")
_WELCOME: Final = ("cpuacct", "blkio")
"""Version 1 only: nothing is limited by them, the collector reads them."""
_MOUNTS: Final = Path("/proc/self/mountinfo")
_REMEDY: Final = "run on a machine or virtual machine where cgroups belong to root"


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """The trees in which every sandbox gets a cgroup."""

    version: Literal[1, 2]
    mounts: Mapping[str, Path]
    """Controller (version 1) or ``unified`` -> mount point."""
    kernel_prefix: str
    """What the kernel puts before our paths of the memory tree: empty, but in a container."""


def find(mountinfo: Path = _MOUNTS) -> Hierarchies:
    """Read the mount table.

    Args:
        mountinfo: the table, for tests.

    Raises:
        SandboxRefusal: a controller that ceilings need is not there.

    """
    mounts: dict[str, Path] = {}
    roots: dict[str, str] = {}
    for line in mountinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), (*after.split(), "", "", "")[:3]
        for name in _names(kind, options):
            if name not in mounts:
                mounts[name] = Path(_unescaped(fields[4]))
                roots[name] = _unescaped(fields[3]).rstrip("/")
    if "memory" in mounts:
        return _version_1(mounts, roots)
    if UNIFIED in mounts:
        return _version_2(mounts, roots)
    raise SandboxRefusal("no cgroup file system is mounted", where=mountinfo, remedy=_REMEDY)


def _names(kind: str, options: str) -> list[str]:
    if kind == "cgroup2":
        return [UNIFIED]
    if kind != "cgroup":
        return []
    return [option for option in options.split(",") if option in (*_NEEDED, *_WELCOME)]


def _version_1(mounts: dict[str, Path], roots: dict[str, str]) -> Hierarchies:
    missing = [name for name in _NEEDED if name not in mounts]
    if missing:
        raise SandboxRefusal(
            f"cgroup version 1 without the controller {missing[0]}", where=_MOUNTS, remedy=_REMEDY
        )
    return Hierarchies(version=1, mounts=mounts, kernel_prefix=roots["memory"])


def _version_2(mounts: dict[str, Path], roots: dict[str, str]) -> Hierarchies:
    top = mounts[UNIFIED]
    listed = top / "cgroup.controllers"
    offered = listed.read_text(encoding="ascii").split() if listed.exists() else []
    missing = [name for name in _NEEDED if name not in offered]
    if missing:
        raise SandboxRefusal(
            f"the controller {missing[0]} is not available", where=listed, remedy=_REMEDY
        )
    return Hierarchies(version=2, mounts={UNIFIED: top}, kernel_prefix=roots[UNIFIED])


def _unescaped(path: str) -> str:
    """Undo the octal escapes of the mount table (space, tab, newline, backslash)."""
    parts = path.split("\\")
    octal = [chr(int(part[:3], 8)) + part[3:] for part in parts[1:]]
    return parts[0] + "".join(octal)
