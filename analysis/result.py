"""The one record that every statistic returns, and the sentence that reads it.

A number alone is an invitation to misread it. So each estimate travels with the frame
in which it is true (these tasks, or tasks like these), with how its interval and its
p-value were made, with how much data stood behind it, and with the smallest p-value
that this amount of data could have given at all. The record refuses to exist in a state
that would mislead: a p-value that a guard withheld is None, never 1.0; a result that is
not ``ok`` gives its reasons; a Monte-Carlo p-value names its seed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, Literal, Self, cast, get_args

from analysis.wording import count, per_cent, points, probability, ratio, span

Frame = Literal["these_tasks", "tasks_like_these"]
Unit = Literal["points", "rate", "ratio"]
PMethod = Literal["exact", "asymptotic", "monte_carlo"]
Status = Literal["ok", "descriptive_only", "insufficient"]

FRAME_WORDS: Final[Mapping[Frame, str]] = {
    "these_tasks": "these tasks, other attempts",
    "tasks_like_these": "other tasks like these",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """An estimate with everything that one needs to believe it or not.

    Raises:
        ValueError: the fields contradict each other; see ``_contradictions``.

    """

    question: str
    """What was asked, in words; starts the sentence."""
    estimand: str
    """The quantity estimated, by its name in the method's text."""
    frame: Frame
    """``these_tasks``: only attempts are random. ``tasks_like_these``: tasks are, too."""
    unit: Unit
    """``points``: 100 x a difference of proportions (or a difference of two such);
    ``rate``: 0 to 1; ``ratio``: above 0."""
    estimate: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float = 0.95
    ci_method: str | None = None
    p_value: float | None = None
    """None when nothing was tested or a guard refused; ``reasons`` tells which guard."""
    p_method: PMethod | None = None
    n_resamples: int | None = None
    seed: int | None = None
    n_tasks: int
    n_tasks_informative: int
    """Tasks that could have moved the answer at all."""
    attempts_min: int
    """Fewest attempts of a task (and agent) in a condition."""
    attempts_max: int
    n_trials: int
    n_events: int
    """Trials with the outcome that the question is about."""
    min_attainable_p: float | None = None
    """The smallest p-value that these margins could have given, whatever the effect."""
    status: Status = "ok"
    reasons: tuple[str, ...] = ()
    """Which guards said no; empty for ``ok``."""
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a record that would mislead its reader."""
        for problem in _contradictions(self):
            raise ValueError(f"result of {self.question!r}: {problem}")

    def sentence(self) -> str:
        """Read the record aloud: estimate, interval, frame, p-value, data, and doubts."""
        if self.estimate is None:
            return f"{self.question}: not known ({'; '.join(self.reasons)})."
        text = f"{self.question}: {_quantity(self.estimate, self.unit)}"
        inner = [_interval(self), _p_words(self), _data_words(self)]
        text += f" ({'; '.join(part for part in inner if part)})"
        if self.status == "descriptive_only":
            text += f"; described only, because {'; '.join(self.reasons)}"
        return text + "."

    @classmethod
    def from_plain(cls, plain: Mapping[str, object]) -> Self:
        """Rebuild a record from what ``analysis.plain.to_plain`` made of it.

        Raises:
            ValueError: a field is missing or unknown, or the fields contradict each other.

        """
        names = {item.name for item in fields(cls)}
        if set(plain) != names:
            raise ValueError(f"fields differ: {sorted(set(plain) ^ names)}")
        values = {
            name: tuple(cast("Sequence[str]", value)) if isinstance(value, list) else value
            for name, value in plain.items()
        }
        return cls(**values)  # type: ignore[arg-type]  # checked by name above, by value below


def _contradictions(result: Result) -> list[str]:
    found = _numbers_wrong(result)
    if result.status not in get_args(Status):
        found.append(f"unknown status {result.status!r}")
    if result.status == "ok" and (result.estimate is None or result.reasons):
        found.append("an ok result has an estimate and no reasons against it")
    if result.status != "ok" and not result.reasons:
        found.append("a result that is not ok says why")
    if result.status != "ok" and result.p_value is not None:
        found.append("a guard refused, so the p-value must be None")
    if (result.p_value is None) != (result.p_method is None):
        found.append("a p-value and its method come together")
    resampled = result.n_resamples is not None and result.seed is not None
    if resampled != (result.p_method == "monte_carlo"):
        found.append("Monte Carlo, and only that, names its resamples and seed")
    if (result.ci_low is None) != (result.ci_high is None) or (
        (result.ci_low is None) != (result.ci_method is None)
    ):
        found.append("an interval has two ends and a method")
    return found


def _numbers_wrong(result: Result) -> list[str]:
    found: list[str] = []
    bounds = {"points": (-200.0, 200.0), "rate": (0.0, 1.0), "ratio": (0.0, math.inf)}
    low, high = bounds[result.unit]
    for name in ("estimate", "ci_low", "ci_high"):
        number: float | None = getattr(result, name)
        if number is not None and not (math.isfinite(number) and low <= number <= high):
            found.append(f"{name} = {number} is no {result.unit}")
    for name in ("p_value", "min_attainable_p"):
        number = getattr(result, name)
        if number is not None and not 0 < number <= 1:
            found.append(f"{name} = {number} is not above 0 and at most 1")
    if result.ci_low is not None and result.ci_high is not None:
        if result.ci_low > result.ci_high:
            found.append("the interval is upside down")
        if not 0 < result.ci_level < 1:
            found.append(f"ci_level = {result.ci_level}")
    counts = (result.n_tasks, result.n_trials, result.n_events, result.attempts_min)
    if min(counts) < 0 or result.attempts_min > result.attempts_max:
        found.append("counts are negative or upside down")
    if not 0 <= result.n_tasks_informative <= result.n_tasks:
        found.append("more informative tasks than tasks")
    return found


def _quantity(value: float, unit: Unit) -> str:
    return {"points": points, "rate": per_cent, "ratio": ratio}[unit](value)


def _interval(result: Result) -> str:
    if result.ci_low is None or result.ci_high is None:
        return FRAME_WORDS[result.frame]
    ends = span(result.ci_low, result.ci_high, unit=result.unit)
    return f"{100 * result.ci_level:g}% CI {ends} for {FRAME_WORDS[result.frame]}"


def _p_words(result: Result) -> str:
    if result.p_value is None or result.p_method is None:
        return ""
    method = result.p_method.replace("_", " ").replace("monte carlo", "Monte Carlo")
    text = f"{probability(result.p_value)}, {method}"
    least = result.min_attainable_p
    if least is not None and least > 1 - result.ci_level:
        number = probability(least).removeprefix("p = ")
        text += f"; no data of this size could have given less than {number}"
    return text


def _data_words(result: Result) -> str:
    attempts = (
        f"{result.attempts_min}"
        if result.attempts_min == result.attempts_max
        else f"{result.attempts_min}–{result.attempts_max}"
    )
    tasks, trials = count(result.n_tasks, "task"), count(result.n_trials, "trial")
    return f"{tasks}, {attempts} {'attempt' if attempts == '1' else 'attempts'} each, {trials}"
