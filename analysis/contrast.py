"""A weighted sum of rates over the same tasks: the one form of Q2, interaction and trend.

The difference of two ceilings has weights (-1, 1), the change of a gap (1, -1, -1, 1), a
slope the centred ranks. Once for all of them: one value a task; for these tasks the
variances within tasks add up; for tasks like these a t interval and the sign-flip test
over the values, so that what the arms share cancels. Where a standard error is 0 or
undefined (one attempt a task; every task at 0 or 1) "D ± 0" would be a lie: the arms' own
intervals are added by squares instead.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.arrays import Arm, FloatArray, IntArray
from analysis.guards import DataSize, data_size
from analysis.intervals import (
    Interval,
    korn_graubard,
    normal_quantile,
    square_and_add,
    t_quantile,
    wilson,
)
from analysis.record import SYMMETRIC, Asked, Tested, make_result
from analysis.result import Frame, Result
from analysis.signflip import ROUNDING, FlipTest, exact_or_drawn
from analysis.spread import (
    clustered_standard_error,
    fixed_variance,
    mean_standard_error,
    task_means,
)

UNEQUAL: Final = "attempts differ between tasks, agents or arms: the sign-flip test is approximate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A weighted sum of the arms' rates, task by task."""

    arms: tuple[Arm, ...]
    """Strata that all arms have; the others are empty."""
    weights: tuple[float, ...]
    values: FloatArray
    """(tasks,): one value a task, agents weighing the same."""
    size: DataSize
    equal: bool
    """Every task, agent and arm has the same number of attempts."""
    flips: FlipTest
    informative: int
    """Tasks in which some stratum has both events and none over the arms."""


def make_contrast(arms: Sequence[Arm], weights: Sequence[int], *, divisor: int = 1) -> Contrast:
    """Form a contrast over the tasks and strata that all arms share.

    Args:
        arms: same tasks and strata.
        weights: whole numbers, one an arm, so that counts stay whole for the exact test.
        divisor: of the weights.

    Returns:
        The contrast, with its sign-flip test by task.

    """
    common = np.logical_and.reduce([arm.n > 0 for arm in arms])
    kept = tuple(arm.only(common) for arm in arms)
    size = data_size(kept)
    scaled = tuple(weight / divisor for weight in weights)
    values = np.zeros(size.n_tasks)
    whole: IntArray = np.zeros(size.n_tasks, dtype=np.int64)
    for weight, factor, arm in zip(weights, scaled, kept, strict=True):
        values += factor * task_means(arm)
        whole += weight * arm.x.sum(axis=1)
    equal = size.attempts_min == size.attempts_max and bool((kept[0].n > 0).all())
    events = np.sum([arm.x for arm in kept], axis=0)
    trials = np.sum([arm.n for arm in kept], axis=0)
    return Contrast(
        arms=kept,
        weights=scaled,
        values=values,
        size=size,
        equal=equal,
        flips=exact_or_drawn(whole if equal else None, values),
        informative=int(((events > 0) & (events < trials)).any(axis=1).sum()),
    )


def interval_these(contrast: Contrast) -> Interval | None:
    """Interval of the mean over these tasks, when only attempts are random."""
    if not contrast.size.n_trials:
        return None
    variance = 0.0
    for weight, arm in zip(contrast.weights, contrast.arms, strict=True):
        own = fixed_variance(arm)
        if own is None:
            return _from_arms(contrast)
        variance += weight**2 * own
    if variance <= ROUNDING**2:
        return _from_arms(contrast)
    mean, half = float(contrast.values.mean()), normal_quantile() * math.sqrt(variance)
    return Interval(low=mean - half, high=mean + half, method="normal, SE within tasks")


def interval_like(contrast: Contrast) -> Interval | None:
    """Interval of the mean over tasks like these; None below two tasks."""
    if contrast.size.n_tasks < 2:  # noqa: PLR2004 - one task has no spread
        return None
    return t_interval(contrast.values) or _from_clusters(contrast)


def t_interval(values: FloatArray) -> Interval | None:
    """Student's t interval of the mean of one value a task; None where they don't vary."""
    error = mean_standard_error(values)
    if error is None or error <= ROUNDING:
        return None
    mean, half = float(values.mean()), t_quantile(len(values) - 1) * error
    return Interval(low=mean - half, high=mean + half, method="t over tasks")


def contrast_results(
    contrast: Contrast, *, question: str, estimand: str, tested: Tested | None
) -> tuple[Result, Result]:
    """Make the records of a contrast in both frames.

    Args:
        contrast: what was formed.
        question: starts the sentences.
        estimand: name of the quantity.
        tested: test for these tasks, where there is one.

    Returns:
        (these tasks, tasks like these) in points; the second has the sign-flip test.

    """
    flips = contrast.flips
    highest = sum(weight for weight in contrast.weights if weight > 0)
    estimate = float(contrast.values.mean()) if contrast.size.n_trials else None

    def asked(frame: Frame, *assumptions: str) -> Asked:
        return Asked(
            question=question,
            estimand=estimand,
            frame=frame,
            unit="points",
            assumptions=assumptions,
            limits=(-highest, highest),
        )

    these = make_result(
        asked("these_tasks"),
        estimate=estimate,
        interval=interval_these(contrast),
        size=contrast.size,
        informative=contrast.informative,
        tested=tested,
    )
    like = make_result(
        asked("tasks_like_these", SYMMETRIC),
        estimate=estimate,
        interval=interval_like(contrast),
        size=contrast.size,
        informative=flips.informative,
        tested=Tested(
            p_value=flips.p_value, method=flips.method, min_attainable_p=flips.min_attainable_p
        ),
        warnings=() if contrast.equal else (UNEQUAL,),
    )
    return these, like


def _from_arms(contrast: Contrast) -> Interval:
    """Too wide for these tasks, and never too narrow (Hoeffding 1956)."""
    means = [float(task_means(arm).mean()) for arm in contrast.arms]
    own: list[Interval] = []
    for mean, arm in zip(means, contrast.arms, strict=True):
        trials = int(arm.n.sum())
        own.append(wilson(mean * trials, trials))
    return square_and_add(contrast.weights, means, own)


def _from_clusters(contrast: Contrast) -> Interval:
    """For tasks like these, where all tasks moved by the same."""
    rates: list[float] = []
    own: list[Interval] = []
    for arm in contrast.arms:
        trials, tasks = int(arm.n.sum()), len(arm.tasks)
        pooled, error = int(arm.x.sum()) / trials, clustered_standard_error(arm) or 0.0
        rates.append(pooled)
        own.append(korn_graubard(pooled, trials=trials, tasks=tasks, clustered_se=error))
    return square_and_add(contrast.weights, rates, own)
