"""What one try says to the log, with everything that it belongs to filled in once."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final, Literal

from barograph.clock import US_PER_S, Clock
from barograph.envelope import Belongs
from barograph.facts import (
    ExecFinished,
    Payload,
    Phase,
    PhaseEnd,
    PhaseFinished,
    PhaseStarted,
    Raised,
)
from barograph.writer import Writer
from runner.redact import Redactor
from runner.sandboxes.port import ExecResult

_LONGEST_MESSAGE: Final = 500


class PhaseRecord:
    """How the phase that is being recorded ends; ``ok`` unless somebody says otherwise."""

    def __init__(self) -> None:
        """Begin well."""
        self.how: PhaseEnd = "ok"
        self.message: str | None = None

    def end(self, how: PhaseEnd, message: str | None = None) -> None:
        """Say that it did not end well, and why."""
        self.how, self.message = how, message


class TryRecorder:
    """Writes the facts of one try. Thread-safe."""

    def __init__(
        self, writer: Writer, belongs: Belongs, *, redactor: Redactor, clock: Clock
    ) -> None:
        """Write through ``writer`` what belongs to ``belongs``."""
        self._writer = writer
        self._belongs = belongs
        self._redactor = redactor
        self._clock = clock
        self._ordinal = 0
        self._lock = threading.Lock()

    def say(self, payload: Payload) -> None:
        """Write any fact of this try.

        Raises:
            LogError: the log does not take it.

        """
        self._writer.write(payload, self._belongs)

    def elapsed_s(self, since_us: int) -> float:
        """Seconds since a reading of the monotonic clock."""
        return (self._clock.mono_us() - since_us) / US_PER_S

    def now_us(self) -> int:
        """The monotonic clock."""
        return self._clock.mono_us()

    @contextmanager
    def phase(self, phase: Phase, limit_s: float | None) -> Generator[PhaseRecord]:
        """Record a phase around a block.

        An exception that leaves the block ends the phase with ``error``, and goes on.
        """
        self.say(PhaseStarted(phase=phase, limit_s=limit_s))
        started_us = self.now_us()
        record = PhaseRecord()
        try:
            yield record
        except Exception as error:  # whatever it was, it ended this phase; it is raised again
            if record.how == "ok":
                record.end("error", self.message(error))
            raise
        finally:
            self.say(
                PhaseFinished(
                    phase=phase,
                    how=record.how,
                    duration_s=self.elapsed_s(started_us),
                    message=record.message,
                )
            )

    def executed(self, phase: Phase, command: str | Sequence[str], result: ExecResult) -> None:
        """Record that a command in the sandbox ended."""
        end = self._command(phase, command, result.how, result.started_t_us, result.duration_s)
        self.say(
            replace(
                end,
                exit_code=result.exit_code,
                signal=result.signal,
                output_bytes=result.stdout_bytes + result.stderr_bytes,
                pid=result.pid,
            )
        )

    def broke(self, phase: Phase, command: str | Sequence[str], since_us: int) -> None:
        """Record that the driver lost a command that it began at ``since_us`` (monotonic)."""
        took_us = self.now_us() - since_us
        began_t_us = self._clock.wall_us() - took_us
        self.say(self._command(phase, command, "error", began_t_us, took_us / US_PER_S))

    def _command(
        self,
        phase: Phase,
        command: str | Sequence[str],
        how: Literal["ok", "timeout", "sandbox_died", "error"],
        started_t_us: int,
        duration_s: float,
    ) -> ExecFinished:
        recorded = self._redactor.command(command)
        with self._lock:
            self._ordinal += 1
            ordinal = self._ordinal
        return ExecFinished(
            phase=phase,
            ordinal=ordinal,
            command=recorded.text,
            command_digest=recorded.digest,
            command_truncated=recorded.truncated,
            started_t_us=started_t_us,
            duration_s=duration_s,
            how=how,
        )

    def message(self, error: BaseException) -> str:
        """What an exception says, as it may be written down."""
        return self._redactor.text(str(error) or type(error).__name__)[:_LONGEST_MESSAGE]

    def raised(self, error: BaseException, phase: Phase | None) -> Raised:
        """An exception as a fact."""
        return Raised(type=type(error).__name__, message=self.message(error), phase=phase)
