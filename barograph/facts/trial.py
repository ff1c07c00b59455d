"""What one try of a trial was, did and gave. Raw facts only: a verdict is never stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from barograph.facts.base import Fact, Phase

PhaseEnd = Literal["ok", "timeout", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStarted(Fact):
    """A try began. The trial's id and the number of the try are in the envelope."""

    type: ClassVar[str] = "trial.started"

    task: str
    task_digest: str
    agent: str
    condition: str
    attempt: int
    """The planned repeat, 1..k."""
    host: str
    block: int
    """Which balanced block of the plan the trial belongs to."""
    model: str | None = None
    """Null for scripted agents: they are not models."""
    spec_memory_bytes: int | None = None
    spec_cpu_cores: float | None = None
    spec_from: Literal["task", "sweep"] | None = None
    """Who stated the spec that multiples were applied to."""
    memory_floor_multiple: float | None = None
    memory_ceiling_multiple: float | None = None
    """Null when the ceiling is absolute or there is none (uncapped)."""
    seed: int | None = None
    """What the agent drew its choices from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStarted(Fact):
    """A phase of a try began."""

    type: ClassVar[str] = "phase.started"

    phase: Phase
    limit_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseFinished(Fact):
    """A phase of a try ended."""

    type: ClassVar[str] = "phase.finished"

    phase: Phase
    how: PhaseEnd
    duration_s: float
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecFinished(Fact):
    """One command in the sandbox ended; the command is redacted and cut."""

    type: ClassVar[str] = "exec.finished"

    phase: Phase
    ordinal: int
    """1, 2, ... within the try."""
    command: str
    command_digest: str
    """sha256 of the whole command as it ran."""
    command_truncated: bool
    started_t_us: int
    duration_s: float
    how: Literal["ok", "timeout", "sandbox_died", "error"]
    exit_code: int | None = None
    signal: int | None = None
    output_bytes: int | None = None
    pid: int | None = None
    """The leader's pid, and its session's id, in the host's PID namespace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception that ended something, as a fact."""

    type: str
    message: str
    phase: Phase | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFinished(Fact):
    """A try ended. No verdict: policies give those, from this and the other events."""

    type: ClassVar[str] = "trial.finished"

    how: Literal["completed", "sandbox_died", "error", "cancelled"]
    """completed: the verifier had its turn; sandbox_died: everything in it was killed or its
    init ended; error: our own or the driver's failure; cancelled: by an operator, or the
    runner died (such a try is run again, every other one stands)."""
    duration_s: float
    rewards: Mapping[str, float] | None = None
    reward_key: str = "reward"
    verifier_ran: bool | None = None
    verifier_exit: int | None = None
    verifier_error: str | None = None
    """Type of the verifier's failure in Harbor's words, e.g. RewardFileNotFoundError."""
    timed_out_phase: Phase | None = None
    sandbox_exit: int | None = None
    """Exit code of the sandbox's init (128 + signal) if it ended before teardown; null where
    it lived until teardown: a teardown's own SIGKILL is no evidence."""
    agent_exit: int | None = None
    exceptions: list[Raised] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
