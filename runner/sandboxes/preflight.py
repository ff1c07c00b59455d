"""Can this root, on this kernel, make sandboxes at all? Asked once, before any trial.

Root in a container is often root in name only. Each of its trials would end with "Operation
not permitted", counted as the infrastructure's failure; one refusal beforehand says what
is missing instead.
"""

import os
from pathlib import Path
from typing import Final

from runner.sandboxes.errors import SandboxRefusal
from runner.sandboxes.supervisor.inside import FIRST_UID

_OLDEST_KERNEL: Final = (5, 12)
"""``mount_setattr``; everything else that is used is older."""
_POWERS: Final = {
    "CAP_CHOWN": 0,
    "CAP_DAC_OVERRIDE": 1,
    "CAP_FOWNER": 3,
    "CAP_KILL": 5,
    "CAP_SETGID": 6,
    "CAP_SETUID": 7,
    "CAP_SETPCAP": 8,
    "CAP_SYS_CHROOT": 18,
    "CAP_SYS_PTRACE": 19,
    "CAP_SYS_ADMIN": 21,
    "CAP_MKNOD": 27,
}
_LAST_UID: Final = FIRST_UID + (1 << 23)
"""Tasks' and inits' users lie below."""
_CONTAINER: Final = "use a virtual machine, or a container that was started as privileged"


def refuse_if_unable(proc: Path = Path("/proc"), release: str | None = None) -> None:
    """Look for what is missing.

    Args:
        proc: where ``/proc`` is, for tests.
        release: the kernel's version, for tests; None: the running one's.

    Raises:
        SandboxRefusal: the first thing found missing, and where it could be had.

    """
    version = release or os.uname().release
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2] if part.isdigit())
    if numbers < _OLDEST_KERNEL:
        raise SandboxRefusal(
            "this kernel is too old for the local sandbox",
            field="kernel",
            value=version,
            remedy=f"use Linux {_OLDEST_KERNEL[0]}.{_OLDEST_KERNEL[1]} or later",
        )
    missing = _missing_powers((proc / "self" / "status").read_text(encoding="utf-8"))
    if missing:
        raise SandboxRefusal(f"root lacks {', '.join(missing)} here", remedy=_CONTAINER)
    if not _has_users((proc / "self" / "uid_map").read_text(encoding="ascii")):
        raise SandboxRefusal("root is that of a user namespace here", remedy=_CONTAINER)
    most = proc / "sys" / "user" / "max_user_namespaces"
    if not most.exists() or int(most.read_text(encoding="ascii")) == 0:
        raise SandboxRefusal(
            "no user namespaces", where=most, remedy="write a number such as 10000 to this file"
        )


def _missing_powers(status: str) -> list[str]:
    held = int(status.partition("CapEff:")[2].split()[0], 16)
    return [name for name, bit in _POWERS.items() if not held >> bit & 1]


def _has_users(uid_map: str) -> bool:
    """Whether one range of the map holds all users that sandboxes are given."""
    for line in uid_map.splitlines():
        first, _, count = (int(field) for field in line.split())
        if first <= FIRST_UID and first + count >= _LAST_UID:
            return True
    return False
