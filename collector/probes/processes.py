"""What ``/proc`` says about one process, for as long as it is there.

A killed process stays visible as a zombie until its parent has waited for it. By then it has
left its version 1 cgroups (it shows as in the root), but its version 2 path still stands.
"""

from typing import NamedTuple

_SESSION_FIELD = 3


class Leader(NamedTuple):
    """Which command a process belongs to."""

    session: int
    """Pid of the session's leader: the command that was started."""
    comm: str


def leader(pid: int) -> Leader | None:
    """Session and name of a process; None when it is gone."""
    data = _read(f"/proc/{pid}/stat")
    # The name is in brackets and may hold brackets and blanks itself.
    head, bracket, tail = data.rpartition(b")")
    fields = tail.split()
    if not bracket or len(fields) <= _SESSION_FIELD:
        return None
    return Leader(
        session=int(fields[_SESSION_FIELD]),
        comm=head.partition(b"(")[2].decode(errors="replace"),
    )


def cgroups(pid: int) -> set[str]:
    """Paths of a process in the memory hierarchy and in the version 2 tree; empty when gone."""
    paths: set[str] = set()
    for line in _read(f"/proc/{pid}/cgroup").decode(errors="replace").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or "memory" in controllers.split(","):
            paths.add(path.removesuffix(" (deleted)"))
    paths.discard("/")
    return paths


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - thousands a second
            return file.read()
    except OSError:
        return b""
