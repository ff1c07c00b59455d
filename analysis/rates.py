"""Q1: rates of a condition in both frames, and four ways to treat infra errors in a score.

The headline score counts an infra error as not solved, because that is what a leaderboard
sees. Leaving infra errors out is unbiased only *within* tasks (``score_excl_task_std``);
pooling what is left (``score_excl_pooled``) is shown because people do it, and is biased,
since infra errors hit particular tasks. The bounds assume nothing at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.arrays import Arm, divided, over_strata
from analysis.grid import Grid
from analysis.guards import FEW_EVENTS, data_size
from analysis.intervals import (
    Interval,
    clopper_pearson,
    korn_graubard,
    normal_quantile,
    t_quantile,
    wilson,
)
from analysis.record import Asked, make_result
from analysis.result import Frame, Result
from analysis.spread import (
    clustered_standard_error,
    fixed_standard_error,
    mean_standard_error,
    task_means,
    within_task_correlation,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InfraByConfidence:
    """Infra-error rate as the verdicts' confidence allows; each includes the one before."""

    certain: float
    likely: float
    possible: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRates:
    """All rates of one condition, for all agents together or for one."""

    condition: str
    agents: tuple[str, ...]
    score: Result
    """As run: an infra error is not solved. For these tasks."""
    score_like: Result
    """The same for tasks like these."""
    infra: Result
    infra_like: Result
    score_excl_task_std: Result
    """Mean over tasks of solved / (attempts without infra errors), for these tasks."""
    score_excl_task_std_like: Result
    score_excl_pooled: float | None
    """Biased; for comparison only."""
    score_if_infra_failed: float
    """Lower bound of the score: every infra error would have failed."""
    score_if_infra_solved: float
    """Upper bound: every infra error would have been solved."""
    tasks_without_valid_attempt: tuple[str, ...]
    """Left out of ``score_excl_task_std``."""
    infra_by_confidence: InfraByConfidence
    within_task_correlation: float | None
    """Of pass and fail: how alike attempts of one task are."""


def rate(arm: Arm, *, frame: Frame, question: str, estimand: str, rare: bool = False) -> Result:
    """Estimate a rate with the interval that its frame and its number of events allow.

    Args:
        arm: attempts and events of one condition.
        frame: which randomness the interval is about.
        question: starts the sentence.
        estimand: name of the quantity.
        rare: use the interval for rare rates whatever the number of events.

    Returns:
        The mean of task rates (these tasks) or the pooled rate (tasks like these), with
        its interval; there is no p-value, since nothing is tested.

    """
    kept = arm.only(arm.n > 0)
    size = data_size([kept])
    made: tuple[float | None, Interval | None] = (None, None)
    if size.n_trials:
        few = rare or _few_events(kept)
        made = _these(kept, few=few) if frame == "these_tasks" else _like(kept, few=few)
    rates = task_means(kept)
    return make_result(
        Asked(
            question=question,
            estimand=estimand,
            frame=frame,
            unit="rate",
        ),
        estimate=made[0],
        interval=made[1],
        size=size,
        informative=int(((rates > 0) & (rates < 1)).sum()),
    )


def _few_events(arm: Arm) -> bool:
    """Whether the event or its absence is too rare for a normal interval."""
    x, rest = arm.x.sum(axis=1), (arm.n - arm.x).sum(axis=1)
    rarer = x if int(x.sum()) <= int(rest.sum()) else rest
    return int(rarer.sum()) < FEW_EVENTS or int((rarer > 0).sum()) < FEW_EVENTS


def _these(arm: Arm, *, few: bool) -> tuple[float, Interval]:
    mean, trials = float(task_means(arm).mean()), int(arm.n.sum())
    error = fixed_standard_error(arm)
    if few:
        return mean, clopper_pearson(mean * trials, trials)
    if not error:
        # One attempt a task, or no spread seen: a sum of unequal Bernoullis has at most
        # binomial variance (Hoeffding 1956), so this is too wide and never too narrow.
        return mean, wilson(mean * trials, trials)
    half = normal_quantile() * error
    made = Interval(low=mean - half, high=mean + half, method="normal, SE within tasks")
    return mean, made.within(0.0, 1.0)


def _like(arm: Arm, *, few: bool) -> tuple[float, Interval | None]:
    trials, tasks = int(arm.n.sum()), len(arm.tasks)
    pooled, error = int(arm.x.sum()) / trials, clustered_standard_error(arm)
    if error is None:
        return pooled, None
    if few or error == 0:
        return pooled, korn_graubard(pooled, trials=trials, tasks=tasks, clustered_se=error)
    half = t_quantile(tasks - 1) * error
    made = Interval(low=pooled - half, high=pooled + half, method="t, tasks as clusters")
    return pooled, made.within(0.0, 1.0)


def _standardised(valid: Arm, *, frame: Frame, question: str) -> Result:
    """Rate over valid attempts with every task weighing the same, in either frame."""
    made = rate(valid, frame=frame, question=question, estimand="score_excl_task_std")
    kept = valid.only(valid.n > 0)
    values = task_means(kept)
    error = mean_standard_error(values)
    if frame == "these_tasks" or error is None:
        return made
    mean = float(values.mean())
    if error > 0:
        half = t_quantile(len(values) - 1) * error
        interval = Interval(low=mean - half, high=mean + half, method="t over task rates")
    else:
        trials, tasks = int(kept.n.sum()), len(values)
        interval = korn_graubard(mean, trials=trials, tasks=tasks, clustered_se=error)
    cut = interval.within(0.0, 1.0)
    return replace(made, estimate=mean, ci_low=cut.low, ci_high=cut.high, ci_method=cut.method)


def condition_rates(
    grid: Grid, condition: str, *, agents: Sequence[str] | None = None
) -> ConditionRates:
    """Estimate all rates of one condition.

    Args:
        grid: counts under one treatment.
        condition: which ceiling.
        agents: which contestants; None for all.

    Returns:
        Scores and infra-error rate in both frames, the treatments of infra errors, and
        the infra-error rate by confidence of the verdicts.

    Raises:
        QuestionError: no such condition or agent.

    """
    score, infra = (grid.arm(condition, name, agents=agents) for name in ("score", "infra"))
    valid = Arm(name=condition, tasks=score.tasks, n=score.n - infra.x, x=score.x)
    asked = f"Score at {condition}"
    wild = f"Infra-error rate at {condition}"
    standard = f"Score at {condition} without infra errors, tasks weighing the same"
    trials, solved, errors = (int(part.sum()) for part in (score.n, score.x, infra.x))
    ran = score.n.sum(axis=1) > 0
    return ConditionRates(
        condition=condition,
        agents=tuple(agents or grid.agents),
        score=rate(score, frame="these_tasks", question=asked, estimand="score_as_run"),
        score_like=rate(score, frame="tasks_like_these", question=asked, estimand="score_as_run"),
        infra=rate(infra, frame="these_tasks", question=wild, estimand="infra_rate", rare=True),
        infra_like=rate(
            infra, frame="tasks_like_these", question=wild, estimand="infra_rate", rare=True
        ),
        score_excl_task_std=_standardised(valid, frame="these_tasks", question=standard),
        score_excl_task_std_like=_standardised(valid, frame="tasks_like_these", question=standard),
        score_excl_pooled=solved / (trials - errors) if trials > errors else None,
        score_if_infra_failed=solved / trials if trials else 0.0,
        score_if_infra_solved=(solved + errors) / trials if trials else 1.0,
        tasks_without_valid_attempt=tuple(
            task
            for task, there, left in zip(score.tasks, ran, valid.n.sum(axis=1), strict=True)
            if there and not left
        ),
        infra_by_confidence=_by_confidence(grid, condition, agents),
        within_task_correlation=within_task_correlation(score.only(score.n > 0)),
    )


def _by_confidence(grid: Grid, condition: str, agents: Sequence[str] | None) -> InfraByConfidence:
    arms = [grid.arm(condition, name, agents=agents) for name in ("certain", "likely", "possible")]
    steps = np.cumsum([float(over_strata(divided(arm.x, arm.n), arm.n).sum()) for arm in arms])
    tasks = max(1, int((arms[0].n.sum(axis=1) > 0).sum()))
    certain, likely, possible = (min(1.0, float(step) / tasks) for step in steps)
    return InfraByConfidence(certain=certain, likely=likely, possible=possible)
