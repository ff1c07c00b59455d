"""What is gathered about a try until it ends, and turned into ``trial.finished`` then."""

from dataclasses import dataclass, field
from typing import Literal

from barograph.facts import Phase, Raised, TrialFinished
from runner.acting import AgentEnd
from runner.steps import Verified

How = Literal["completed", "sandbox_died", "error", "cancelled"]


@dataclass(slots=True)
class Outcome:
    """Raw facts of one try, in the making."""

    how: How = "completed"
    verified: Verified | None = None
    timed_out_phase: Phase | None = None
    """The first phase that did not end in time."""
    agent_exit: int | None = None
    sandbox_exit: int | None = None
    exceptions: list[Raised] = field(default_factory=list[Raised])
    """Failures of ours and of the driver's. What the task's own verifier did wrong, or what
    the ceiling did to the sandbox, is no exception of anybody here."""

    def acted(self, end: AgentEnd) -> None:
        """The agent has ended."""
        self.agent_exit = end.exit_code
        if end.how == "timeout":
            self.timed_out("agent")

    def judged(self, verified: Verified) -> None:
        """The verifier has ended."""
        self.verified = verified
        if verified.timed_out:
            self.timed_out("verifier")

    def timed_out(self, phase: Phase) -> None:
        """A phase's time was over."""
        if self.timed_out_phase is None:
            self.timed_out_phase = phase

    def ended(self, how: How, raised: Raised | None = None) -> None:
        """The try ends otherwise than by its verifier."""
        self.how = how
        if raised is not None:
            self.exceptions.append(raised)

    def finished(self, duration_s: float) -> TrialFinished:
        """The whole as a fact."""
        verified = self.verified
        graded = None if verified is None else verified.graded
        return TrialFinished(
            how=self.how,
            duration_s=duration_s,
            rewards=None if graded is None else graded.rewards,
            verifier_ran=verified is not None,
            verifier_exit=None if verified is None else verified.exit_code,
            verifier_error=None if graded is None else graded.error,
            timed_out_phase=self.timed_out_phase,
            sandbox_exit=self.sandbox_exit,
            agent_exit=self.agent_exit,
            exceptions=list(self.exceptions) or None,
        )
