"""Which probe for which target: decided by what the target names, never by guessing.

The names are those of ``/proc/self/cgroup`` and of the socket protocol: a ``memory``
folder is version 1, ``unified`` alone is version 2, a pid alone is a process tree.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from collector.errors import ProbeRefusal
from collector.probes.cgroup_v1 import CgroupV1
from collector.probes.cgroup_v2 import CgroupV2
from collector.probes.port import Probe

if TYPE_CHECKING:
    from collections.abc import Callable


def open_probe(
    cgroups: Mapping[str, str], *, reset_peaks: bool = False, pid: int | None = None
) -> Probe:
    """Open a target for reading.

    Args:
        cgroups: controller -> absolute folder of the target; see the module.
        reset_peaks: v1 only: whether the shared peak may be reset at every read.
        pid: root of a process tree, used when no cgroup is given.

    Raises:
        TargetGone: the target does not exist.
        ProbeRefusal: it cannot be read here.

    """
    if "memory" in cgroups:
        return CgroupV1(cgroups, reset_peaks=reset_peaks)
    if "unified" in cgroups:
        return CgroupV2(cgroups["unified"])
    if pid is None:
        raise ProbeRefusal(
            "names no memory cgroup, no unified cgroup and no process",
            field="cgroups",
            value=dict(cgroups),
            remedy="name one of them",
        )
    # A lazy backend: psutil costs 5 MB that a collector of cgroups never uses.
    process = importlib.import_module("collector.probes.process")
    opener = cast("Callable[[int], Probe]", process.ProcessTree)
    return opener(pid)
