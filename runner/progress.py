"""How far a campaign is, as values that a screen can draw.

The tally counts what tries *gave*, by raw facts (died sandbox, agent out of time, rewards).
It is for watching; verdicts come later and from the log.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from barograph.clock import US_PER_S, Clock
from barograph.facts import Phase, TrialFinished
from runner.plan import PlannedTrial

Gave = Literal[
    "passed", "failed", "timed_out", "sandbox_died", "verifier_error", "error", "cancelled"
]
"""timed_out: the agent's time was over and the verifier was not satisfied."""

GAVE: Final[tuple[Gave, ...]] = (
    "passed",
    "failed",
    "timed_out",
    "sandbox_died",
    "verifier_error",
    "error",
    "cancelled",
)

_FEW: Final = 3
"""Outcomes below which a rate says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One try that is under way."""

    planned: PlannedTrial
    try_no: int
    phase: Phase
    phase_since_us: int
    """Monotonic, by the campaign's clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A campaign at one moment."""

    planned: int
    """Trials of the whole plan."""
    done: int
    """Trials with a standing outcome, those of earlier campaigns included."""
    done_here: int
    """Of these, by this campaign."""
    running: tuple[Running, ...]
    gave: Mapping[Gave, int]
    """What all tries that ended so far gave, cancelled ones included."""
    elapsed_s: float
    """Of this campaign."""
    per_minute: float | None
    """Outcomes a minute in this campaign; None while there are too few."""
    left_s: float | None
    """Estimate of the time that the rest needs; None while there is none."""

    @property
    def waiting(self) -> int:
        """Trials that are neither done nor running."""
        return self.planned - self.done - len(self.running)


Listener = Callable[[Progress], None]
"""Told after every change, from the thread that made it; must be quick and not raise."""


def what_it_gave(finished: TrialFinished) -> Gave:
    """Sort an outcome by its raw facts."""
    if finished.how != "completed":
        return finished.how
    if finished.verifier_error is not None:
        return "verifier_error"
    reward = (finished.rewards or {}).get(finished.reward_key)
    if reward is not None and reward >= 1:
        return "passed"
    return "timed_out" if finished.timed_out_phase == "agent" else "failed"


class ProgressBoard:
    """Keeps count. Thread-safe."""

    def __init__(
        self, clock: Clock, *, planned: int, past: list[TrialFinished], listener: Listener | None
    ) -> None:
        """Begin.

        Args:
            clock: for durations.
            planned: trials of the whole plan.
            past: the standing outcomes of earlier campaigns.
            listener: told after every change.

        """
        self._clock = clock
        self._planned = planned
        self._listener = listener
        self._lock = threading.Lock()
        self._began_us = clock.mono_us()
        self._running: dict[str, Running] = {}
        self._gave: Counter[Gave] = Counter(what_it_gave(finished) for finished in past)
        self._done = len(past)
        self._done_here = 0

    def began(self, planned: PlannedTrial, try_no: int) -> None:
        """A try begins."""
        with self._lock:
            self._running[planned.trial] = Running(
                planned=planned,
                try_no=try_no,
                phase="environment",
                phase_since_us=self._clock.mono_us(),
            )
        self._tell()

    def entered(self, trial: str, phase: Phase) -> None:
        """A running try enters a phase."""
        with self._lock:
            running = self._running.get(trial)
            if running is not None:
                now_us = self._clock.mono_us()
                self._running[trial] = replace(running, phase=phase, phase_since_us=now_us)
        self._tell()

    def ended(self, trial: str, finished: TrialFinished | None) -> None:
        """A try ended; None: without an outcome that the log took."""
        with self._lock:
            self._running.pop(trial, None)
            if finished is not None:
                gave = what_it_gave(finished)
                self._gave[gave] += 1
                if gave != "cancelled":
                    self._done += 1
                    self._done_here += 1
        self._tell()

    def snapshot(self) -> Progress:
        """The campaign now."""
        with self._lock:
            elapsed_s = (self._clock.mono_us() - self._began_us) / US_PER_S
            per_s = self._done_here / elapsed_s if elapsed_s > 0 else 0.0
            known = self._done_here >= _FEW and per_s > 0
            return Progress(
                planned=self._planned,
                done=self._done,
                done_here=self._done_here,
                running=tuple(self._running.values()),
                gave={gave: self._gave[gave] for gave in GAVE},
                elapsed_s=elapsed_s,
                per_minute=per_s * 60 if known else None,
                left_s=(self._planned - self._done) / per_s if known else None,
            )

    def _tell(self) -> None:
        if self._listener is not None:
            self._listener(self.snapshot())
