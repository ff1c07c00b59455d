"""When a number may only describe, and when there is no number: the guards in one place.

A guard never changes an estimate. It withholds the p-value and says why, in words that
end up beside the number; warnings do not withhold anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.arrays import Arm
from analysis.result import Status
from analysis.wording import count

FEWEST_TASKS: Final = 10
"""Below this many tasks nothing is tested: an interval over tasks has no basis."""
FEW_EVENTS: Final = 10
"""Below this many events (or tasks with one) normal intervals are not used."""
ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSize:
    """How much data stands behind a number: fields of the result record."""

    n_tasks: int
    attempts_min: int
    attempts_max: int
    n_trials: int
    n_events: int


def data_size(arms: Sequence[Arm]) -> DataSize:
    """Count tasks, attempts, trials and events over arms of the same tasks."""
    attempts = [int(value) for arm in arms for value in arm.n[arm.n > 0]]
    return DataSize(
        n_tasks=len(arms[0].tasks),
        attempts_min=min(attempts, default=0),
        attempts_max=max(attempts, default=0),
        n_trials=sum(attempts),
        n_events=sum(int(arm.x.sum()) for arm in arms),
    )


def status_of(size: DataSize) -> tuple[Status, tuple[str, ...]]:
    """Decide what may be said with this much data.

    Returns:
        The status and the reasons against more: nothing at all without a trial,
        description only below ten tasks.

    """
    if size.n_trials == 0:
        return "insufficient", ("no trial",)
    if size.n_tasks < FEWEST_TASKS:
        text = f"{count(size.n_tasks, 'task')} of at least {FEWEST_TASKS} that a test needs"
        return "descriptive_only", (text,)
    return "ok", ()


def warnings_of(size: DataSize, *, least_p: float | None = None) -> tuple[str, ...]:
    """Say what a reader should hold against the numbers."""
    said: list[str] = []
    if size.attempts_min != size.attempts_max:
        said.append(f"attempts differ: {size.attempts_min} to {size.attempts_max} in a condition")
    if 0 < size.n_events < FEW_EVENTS:
        said.append(f"only {count(size.n_events, 'event')}")
    if least_p is not None and least_p > ALPHA:
        said.append(f"no outcome of these margins could have given p below {least_p:.3g}")
    return tuple(said)
