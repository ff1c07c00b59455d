"""Watching what others started: a cgroup by its path, left exactly as it is.

Kills that happened before we came are not ours to tell, and the peak is not reset unless
the user says so, because on cgroup v1 everybody else who reads it would see that.
"""

from collector.probes.hierarchies import kernel_path, mounts, resolve
from collector.protocol import Watch


def foreign(path: str, *, reset_peaks: bool = False) -> Watch:
    """The request that watches the cgroup at ``path``.

    Args:
        path: a folder below a cgroup mount point, or the path that ``/proc/PID/cgroup``
            shows.
        reset_peaks: reset its peak at each read (v1).

    Raises:
        TargetGone: there is no such cgroup.
        ProbeRefusal: no cgroup file system here.

    """
    found = mounts()
    folders = resolve(path, found)
    inside = kernel_path(folders, found)
    return Watch(
        target=inside or path,
        cgroups=folders,
        ours=False,
        reset_peaks=reset_peaks,
        kernel_path=inside,
    )
