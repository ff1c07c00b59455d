"""What a supervisor says about a command, as the port's ``ExecResult``."""

import time
from typing import Final

from runner.sandboxes.port import ExecHow, ExecResult
from runner.sandboxes.supervisor import wire

_CANNOT_RUN: Final = 126
_HOW: Final[dict[str, ExecHow]] = {
    "ok": "ok",
    "timeout": "timeout",
    "sandbox_died": "sandbox_died",
}


def of(answer: wire.Message) -> ExecResult:
    """Read a ``done`` message."""
    return ExecResult(
        how=_HOW[wire.text(answer, "how")],
        exit_code=wire.optional_whole(answer, "exit_code"),
        signal=wire.optional_whole(answer, "signal"),
        stdout=wire.raw(answer, "stdout"),
        stderr=wire.raw(answer, "stderr"),
        stdout_bytes=wire.whole(answer, "stdout_bytes"),
        stderr_bytes=wire.whole(answer, "stderr_bytes"),
        pid=wire.optional_whole(answer, "pid"),
        started_t_us=wire.whole(answer, "started_us"),
        duration_s=wire.optional_real(answer, "duration_s") or 0.0,
    )


def never_ran(sentence: str) -> ExecResult:
    """The result of a command that no kernel would take: its own failure, not the sandbox's."""
    stderr = f"{sentence}\n".encode()
    return ExecResult(
        how="ok",
        exit_code=_CANNOT_RUN,
        signal=None,
        stdout=b"",
        stderr=stderr,
        stdout_bytes=0,
        stderr_bytes=len(stderr),
        pid=None,
        started_t_us=time.time_ns() // 1000,
        duration_s=0.0,
    )
