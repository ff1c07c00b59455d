"""Run commands in one try's sandbox, record each, and keep an agent within its time.

What happens to a command is told to three who need different things: the log gets a fact,
the runner gets a result or an exception, and the agent gets a plain answer. An agent is
never told *why* its sandbox is gone: whether the ceiling or the driver did it is
evidence for us, and nothing that it could act upon.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from barograph.clock import US_PER_S
from barograph.facts import Phase
from runner.agents.client import Reply
from runner.recording import TryRecorder
from runner.sandboxes.errors import SandboxDiedError, SandboxError
from runner.sandboxes.port import ExecResult, Sandbox

_NO_TIME_LEFT_S: Final = 0.001
_GONE: Final = Reply(how="sandbox_died", exit_code=None, signal=None, stdout="", stderr="")
_TOO_LATE: Final = Reply(how="timeout", exit_code=None, signal=None, stdout="", stderr="")


class Commands:
    """The way into one sandbox. Thread-safe."""

    def __init__(self, sandbox: Sandbox, recorder: TryRecorder) -> None:
        """Run in ``sandbox``, record to ``recorder``."""
        self.sandbox = sandbox
        self._recorder = recorder

    def run(
        self,
        phase: Phase,
        command: str | Sequence[str],
        *,
        timeout_s: float | None,
        environment: Mapping[str, str] | None = None,
    ) -> ExecResult:
        """Run a command to its end.

        Raises:
            SandboxDiedError: everything in the sandbox died.
            SandboxFailedError: the driver broke, or the sandbox was destroyed.
            LogError: its end could not be recorded.

        """
        started_us = self._recorder.now_us()
        try:
            result = self.sandbox.exec(command, timeout_s=timeout_s, environment=environment)
        except SandboxDiedError as died:
            if died.result is not None:
                self._recorder.executed(phase, command, died.result)
            raise
        except SandboxError:
            self._recorder.broke(phase, command, started_us)
            raise
        self._recorder.executed(phase, command, result)
        return result


class AgentCommands:
    """An agent's commands: each within what is left of the agent's time."""

    def __init__(
        self,
        commands: Commands,
        recorder: TryRecorder,
        *,
        limit_s: float | None,
        on_problem: Callable[[], None] = lambda: None,
    ) -> None:
        """The agent's time begins now.

        Args:
            commands: the way into the sandbox.
            recorder: for its clock.
            limit_s: of the whole phase; None: none.
            on_problem: called when ``problem`` has become true.

        """
        self._on_problem = on_problem
        self._commands = commands
        self._recorder = recorder
        self._ends_us = None if limit_s is None else recorder.now_us() + limit_s * US_PER_S
        self._lock = threading.Lock()
        self._problem: Exception | None = None

    @property
    def left_s(self) -> float | None:
        """Seconds until the agent's time is over, not below 0; None: no limit."""
        if self._ends_us is None:
            return None
        return max(0.0, (self._ends_us - self._recorder.now_us()) / US_PER_S)

    @property
    def problem(self) -> Exception | None:
        """The first exception that took the sandbox away from the agent."""
        return self._problem

    def interrupt(self) -> None:
        """End what the agent has running."""
        self._commands.sandbox.interrupt()

    def execute(self, command: str, timeout_s: float | None) -> Reply:
        """Run one command for the agent; see ``runner.agents.bridge.Execute``."""
        if self._problem is not None:
            return _GONE
        left_s = self.left_s
        if left_s is not None and left_s < _NO_TIME_LEFT_S:
            return _TOO_LATE
        limits = [limit for limit in (left_s, timeout_s) if limit is not None]
        try:
            result = self._commands.run("agent", command, timeout_s=min(limits, default=None))
        except Exception as problem:  # noqa: BLE001 - kept, and raised by the try's own thread
            self._fail(problem)
            return _GONE
        return Reply(
            how=result.how,
            exit_code=result.exit_code,
            signal=result.signal,
            stdout=result.stdout.decode(errors="replace"),
            stderr=result.stderr.decode(errors="replace"),
        )

    def _fail(self, problem: Exception) -> None:
        with self._lock:
            if self._problem is None:
                self._problem = problem
        self._on_problem()
