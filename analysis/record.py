"""The one place where a statistic becomes a result record, and where guards act on it.

Every question hands over what it estimated and tested; here the amount of data decides
whether the p-value may be seen. A module that built its own record could forget that.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.guards import DataSize, status_of, warnings_of
from analysis.intervals import Interval
from analysis.result import Frame, PMethod, Result, Status, Unit
from analysis.signflip import RESAMPLES, SEED

ATTEMPTS_RANDOM: Final = "attempts of a task are independent, with a chance of their own"
TASKS_SAMPLED: Final = "these tasks are like a random sample of the tasks meant"
SYMMETRIC: Final = "without an effect, a task's difference is as likely to be -d as +d"
_OF_FRAME: Final[dict[Frame, tuple[str, ...]]] = {
    "these_tasks": (ATTEMPTS_RANDOM,),
    "tasks_like_these": (ATTEMPTS_RANDOM, TASKS_SAMPLED),
}
_SCALES: Final[dict[Unit, float]] = {"points": 100.0, "rate": 1.0, "ratio": 1.0}
_LIMITS: Final[dict[Unit, tuple[float, float]]] = {
    "points": (-1.0, 1.0),
    "rate": (0.0, 1.0),
    "ratio": (0.0, 1e300),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, before anything was computed."""

    question: str
    """Starts the sentence."""
    estimand: str
    frame: Frame
    unit: Unit
    assumptions: tuple[str, ...] = ()
    """Beyond those of the frame."""
    limits: tuple[float, float] | None = None
    """What the quantity can be, before the scaling to points; by default what its unit
    can be (points: a single difference, -1 to 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A p-value before the guards saw it."""

    p_value: float
    method: PMethod
    min_attainable_p: float | None = None


def make_result(
    asked: Asked,
    *,
    estimate: float | None,
    interval: Interval | None,
    size: DataSize,
    informative: int,
    tested: Tested | None = None,
    warnings: Sequence[str] = (),
    reasons: Sequence[str] = (),
) -> Result:
    """Build the record of one statistic under the guards.

    Args:
        asked: the question. Points are made here: pass proportions.
        estimate: None where there is none.
        interval: at the level of ``intervals.LEVEL``; cut to what the quantity can be.
        size: how much data there was.
        informative: tasks that could have moved the answer.
        tested: p-value, if something was tested; withheld when a guard refuses.
        warnings: beyond those that follow from the size.
        reasons: of the question's own guards.

    Returns:
        The record; its p-value is None whenever its status is not ``ok``.

    """
    status, said = _decided(size, estimate, reasons)
    least_p = tested.min_attainable_p if tested else None
    described = Result(
        question=asked.question,
        estimand=asked.estimand,
        frame=asked.frame,
        unit=asked.unit,
        estimate=None if estimate is None else _SCALES[asked.unit] * estimate,
        n_tasks=size.n_tasks,
        n_tasks_informative=informative,
        attempts_min=size.attempts_min,
        attempts_max=size.attempts_max,
        n_trials=size.n_trials,
        n_events=size.n_events,
        min_attainable_p=least_p,
        status=status,
        reasons=said,
        assumptions=(*_OF_FRAME[asked.frame], *asked.assumptions),
        warnings=(*warnings_of(size, least_p=least_p), *warnings),
    )
    return _with_test(_with_interval(described, asked, interval), tested)


def _with_interval(described: Result, asked: Asked, interval: Interval | None) -> Result:
    if interval is None or described.estimate is None:
        return described
    cut = interval.within(*(asked.limits or _LIMITS[asked.unit]))
    scale = _SCALES[asked.unit]
    return replace(
        described, ci_low=scale * cut.low, ci_high=scale * cut.high, ci_method=cut.method
    )


def _with_test(described: Result, tested: Tested | None) -> Result:
    if tested is None or described.status != "ok":
        return described
    drawn = tested.method == "monte_carlo"
    return replace(
        described,
        p_value=tested.p_value,
        p_method=tested.method,
        n_resamples=RESAMPLES if drawn else None,
        seed=SEED if drawn else None,
    )


def _decided(
    size: DataSize, estimate: float | None, reasons: Sequence[str]
) -> tuple[Status, tuple[str, ...]]:
    """Decide what may be said, with the reasons against saying more."""
    status, said = status_of(size)
    if estimate is None:
        return "insufficient", (*(said if status != "ok" else ()), *reasons) or ("no estimate",)
    return ("descriptive_only" if reasons else status), (*said, *reasons)
