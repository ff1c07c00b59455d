"""The local sandbox for somebody who is not root: refused, in one sentence.

What it would take is a cgroup subtree that the user owns. ``systemd-run --user`` gives one
on a machine with systemd, cgroup version 2 and delegation of the memory controller; it
gives no second user for init, no floor that parents grant, and no cap for all sandboxes.
Half of that would be a ceiling that results cannot be compared by, so nothing is
pretended. The names are the port's, so that whoever wires drivers need not know.
"""

import os
from typing import Final, NoReturn

from runner.sandboxes.errors import SandboxRefusal

REMEDY: Final = "run as root (in a virtual machine, if the host is shared), for instance with sudo"


def refuse(user: int) -> NoReturn:
    """Say why not.

    Raises:
        SandboxRefusal: always.

    """
    raise SandboxRefusal(
        "the local sandbox sets memory ceilings and namespaces, which only root may",
        field="user id",
        value=user,
        remedy=REMEDY,
    )


def refuse_unless_root() -> None:
    """Let root pass.

    Raises:
        SandboxRefusal: the process is not root's.

    """
    if os.geteuid() != 0:
        refuse(os.geteuid())
