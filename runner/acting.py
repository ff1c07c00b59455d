"""Let an agent act until it ends, its time is over, or there is nothing left to act in.

An agent that outlives its time is stopped, and the commands it had running end with it:
each was given no more than what was left of the agent's time. An agent that *ends* while a
command of its own still runs is waited for until that command ends, so that the verifier
never measures beside it; where nothing limits the agent's time, the command is ended
after ``LEFT_RUNNING_S``, or a try could wait for ever for an answer that nobody reads.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from runner.agents.bridge import Bridge
from runner.agents.process import AgentProcess
from runner.commands import AgentCommands, Commands
from runner.keeping import keep
from runner.tasks import Task

FAREWELL_S: Final = 3.0
"""An agent whose sandbox is gone may write its log for so long."""

LEFT_RUNNING_S: Final = 10.0
"""What an agent without a time limit left running may run on for so long."""

_SIGNAL_BASE: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """How an agent ended; whether its sandbox lives is another question."""

    how: Literal["ok", "timeout", "stopped"]
    """stopped: by the runner, because the sandbox was gone or the sweep was stopped."""
    exit_code: int | None = None
    """128 + signal where a signal ended it; recorded, not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What an agent's command is given."""

    command: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    """Without the address of the sandbox, which is made here."""
    log: Path
    socket_folder: Path


class Bell:
    """Wakes the thread of a try: an agent ended, a sandbox died, somebody said stop.

    Whoever rings has changed what the woken thread then looks at; ringing says nothing else.
    """

    def __init__(self) -> None:
        """Silent."""
        self._event = threading.Event()

    def ring(self) -> None:
        """Wake it. From any thread."""
        self._event.set()

    def wait(self, timeout_s: float | None) -> None:
        """Sleep until it rings or the time is over."""
        self._event.wait(timeout_s)
        self._event.clear()


def act(stage: Stage, commands: AgentCommands, bell: Bell, gone: Callable[[], bool]) -> AgentEnd:
    """Run an agent's command on the host and serve it.

    Args:
        stage: command and surroundings.
        commands: what its requests run.
        bell: wakes this thread.
        gone: whether there is nothing left to act in.

    Raises:
        HelperFailedError: it could not be started at all.

    """
    ended = threading.Event()

    def on_end() -> None:
        ended.set()
        bell.ring()

    with Bridge(commands.execute, folder=stage.socket_folder) as bridge:
        environment = {**stage.environment, "BAROGRAPH_SANDBOX": str(bridge.address)}
        process = AgentProcess(
            stage.command, cwd=stage.cwd, env=environment, log=stage.log, on_end=on_end
        )
        try:
            how = _until_over(ended, commands, bell, gone)
        finally:
            process.end()
            if commands.left_s is None and not bridge.close(wait_s=LEFT_RUNNING_S):
                commands.interrupt()
            bridge.close()
            exit_code = process.close()
    return AgentEnd(how=how, exit_code=exit_code)


def act_as_oracle(task: Task, commands: Commands, *, limit_s: float | None, log: Path) -> AgentEnd:
    """Run the task's own solution, as Harbor's oracle agent does.

    Raises:
        SandboxDiedError, SandboxFailedError, LogError: see ``Commands.run``.

    """
    commands.sandbox.upload(task.solution, "/solution")
    result = commands.run(
        "agent",
        "chmod +x /solution/solve.sh; exec /solution/solve.sh 2>&1",
        timeout_s=limit_s,
        environment=task.solution_env,
    )
    keep(log, result.stdout + result.stderr)
    if result.how == "timeout":
        return AgentEnd(how="timeout")
    return AgentEnd(how="ok", exit_code=exit_code(result.exit_code, result.signal))


def exit_code(code: int | None, signal: int | None) -> int | None:
    """One number for both: 128 + signal where a signal ended it."""
    return _SIGNAL_BASE + signal if code is None and signal is not None else code


def _until_over(
    ended: threading.Event, commands: AgentCommands, bell: Bell, gone: Callable[[], bool]
) -> Literal["ok", "timeout", "stopped"]:
    while not ended.is_set():
        if gone():
            return "ok" if ended.wait(FAREWELL_S) else "stopped"
        left_s = commands.left_s
        if left_s == 0:
            return "timeout"
        bell.wait(left_s)
    return "ok"
