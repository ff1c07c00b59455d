"""Errors of sandboxes.

::

    RunnerError
    ├── SandboxError
    │   ├── SandboxFailedError   the driver or the machine broke: no evidence about the task
    │   └── SandboxDiedError     everything inside was killed: evidence about the ceiling
    ├── SandboxInputError        (InputError)          the request is wrong
    └── SandboxRefusal           (EnvironmentRefusal)  this machine or user cannot have one

The last two are the user's to mend, and come before any sandbox exists.
"""

from typing import TYPE_CHECKING

from barograph.errors import EnvironmentRefusal, InputError
from runner.errors import RunnerError

if TYPE_CHECKING:  # the port imports nothing from here; this keeps it so
    from runner.sandboxes.port import ExecResult


class SandboxError(RunnerError):
    """Root of what can go wrong with a sandbox that was properly asked for."""


class SandboxFailedError(SandboxError):
    """The driver could not do its work. The trial has to be run again or counted as infra.

    Retrying may help (a full disk, a killed supervisor). Never raised for what a task's
    command did.
    """


class SandboxDiedError(SandboxError):
    """Everything in the sandbox was killed, or its init ended. It cannot be used any more.

    Attributes:
        init_exit: of the sandbox's init: 128 + signal where a signal ended it.
        group_kill: whether the OOM scope did it (by the kernel or emulated), None if unknown.
        result: what is known of the command that was running; None if none was.

    """

    def __init__(
        self,
        problem: str,
        *,
        where: object = None,
        init_exit: int | None = None,
        group_kill: bool | None = None,
        result: "ExecResult | None" = None,
    ) -> None:
        """Keep the facts; the sentence is ``where: problem``."""
        super().__init__(problem, where=where)
        self.init_exit = init_exit
        self.group_kill = group_kill
        self.result = result


class SandboxInputError(RunnerError, InputError):
    """A request for a sandbox, or a file to be copied into one, is wrong."""


class SandboxRefusal(RunnerError, EnvironmentRefusal):
    """This machine, or this user, cannot have such a sandbox."""
