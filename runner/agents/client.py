"""What an agent imports to act in its sandbox. Standard library only, quick to import.

::

    from runner.agents.client import Sandbox

    sandbox = Sandbox.from_environment()
    reply = sandbox.exec("make -j2", timeout_s=60)
    if reply.how == "sandbox_died":
        raise SystemExit  # nobody is there any more to talk to

Any language will do instead: connect to the Unix socket in ``BAROGRAPH_SANDBOX``, write
``{"exec": "sh command", "timeout_s": 30}`` and a newline, read one line of JSON.
"""

import json
import os
import socket
from typing import Literal, NamedTuple, Self, cast

How = Literal["ok", "timeout", "sandbox_died"]


class Reply(NamedTuple):
    """How a command in the sandbox ended."""

    how: How
    """ok: by itself, whatever its exit code. timeout: its time was over and it was killed.
    sandbox_died: everything in the sandbox is gone; no command will work any more."""
    exit_code: int | None
    """None when a signal, its time or the sandbox's death ended it."""
    signal: int | None
    stdout: str
    """Head and tail of long output; bytes that are not UTF-8 are replaced."""
    stderr: str


class RefusedError(Exception):
    """The runner did not understand the request, or ended while the agent was asking."""


class Sandbox:
    """A connection to the trial's sandbox; one command at a time on each connection."""

    def __init__(self, address: str) -> None:
        """Connect to the Unix socket at ``address``."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(address)
        except OSError:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("rb")

    @classmethod
    def from_environment(cls) -> Self:
        """Connect to the sandbox that the runner named in ``BAROGRAPH_SANDBOX``."""
        return cls(os.environ["BAROGRAPH_SANDBOX"])

    def exec(self, command: str, *, timeout_s: float | None = None) -> Reply:
        """Run a shell command in the sandbox and wait for its end.

        Args:
            command: for ``bash -c``, in the task's working directory.
            timeout_s: limit of this command; the agent's own time limit holds in any case.

        Raises:
            RefusedError: the request was malformed, or the runner is gone.

        """
        request = {"exec": command, "timeout_s": timeout_s}
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            line = self._answers.readline()
        except OSError as error:
            raise RefusedError(f"the runner is gone ({error})") from error
        if not line.endswith(b"\n"):
            raise RefusedError("the runner is gone")
        answer = json.loads(line)
        if "error" in answer:
            raise RefusedError(answer["error"])
        return Reply(
            how=cast("How", answer["how"]),
            exit_code=answer["exit_code"],
            signal=answer["signal"],
            stdout=answer["stdout"],
            stderr=answer["stderr"],
        )

    def close(self) -> None:
        """End the connection."""
        self._answers.close()
        self._socket.close()

    def __enter__(self) -> Self:
        """Close at the end of a ``with``."""
        return self

    def __exit__(self, *_: object) -> None:
        """See ``__enter__``."""
        self.close()
