"""Standard errors in the two frames, and how alike attempts of one task are.

``these_tasks``: only attempts are random, so the variance is that within tasks (Miller
2024, arXiv:2411.00640). ``tasks_like_these``: tasks are a sample, so they are clusters
(Liang and Zeger). The two differ by a factor of 4 on public data, in which the
within-task correlation is about 0.7: neither is "the" error bar.
"""

import math

import numpy as np

from analysis.arrays import Arm, FloatArray, divided, over_strata


def task_means(arm: Arm) -> FloatArray:
    """Event rate of each task, agents weighing the same: (tasks,)."""
    return over_strata(divided(arm.x, arm.n), arm.n)


def fixed_variance(arm: Arm) -> float | None:
    """Variance of the mean of task rates when only attempts are random.

    ``(1/T²) Σ_t (1/A_t²) Σ_a p(1-p)/(n-1)`` over the A_t agents of each task.

    Returns:
        The variance, or None when some stratum has a single attempt.

    """
    there = arm.n > 0
    if not arm.tasks or bool((arm.n[there] < 2).any()):  # noqa: PLR2004 - a variance needs 2
        return None
    rates = divided(arm.x, arm.n)
    within = divided(rates * (1 - rates), arm.n - 1)
    agents = there.sum(axis=1)
    return float((within.sum(axis=1) / agents**2).sum()) / len(arm.tasks) ** 2


def fixed_standard_error(arm: Arm) -> float | None:
    """Square root of ``fixed_variance``."""
    variance = fixed_variance(arm)
    return None if variance is None else math.sqrt(variance)


def clustered_standard_error(arm: Arm) -> float | None:
    """Standard error of the pooled rate with tasks as clusters.

    ``sqrt(T/(T-1) Σ_t (x_t - n_t P)²) / N``.

    Returns:
        The standard error, or None below two tasks.

    """
    tasks = len(arm.tasks)
    if tasks < 2:  # noqa: PLR2004 - one cluster has no spread
        return None
    n, x = arm.n.sum(axis=1), arm.x.sum(axis=1)
    residual = x - n * (x.sum() / n.sum())
    return math.sqrt(tasks / (tasks - 1) * float((residual**2).sum())) / int(n.sum())


def mean_standard_error(values: FloatArray) -> float | None:
    """Standard error of the mean of one value a task; None below two tasks."""
    if len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def within_task_correlation(arm: Arm) -> float | None:
    """Intraclass correlation of one-way analysis of variance, unequal attempts allowed.

    Args:
        arm: tasks with one stratum each (several are pooled).

    Returns:
        The estimate, which may be below 0; None where it is undefined (a single task or
        attempt, or no variation at all).

    """
    n, x = arm.n.sum(axis=1).astype(np.float64), arm.x.sum(axis=1).astype(np.float64)
    tasks, trials = len(n), float(n.sum())
    if tasks < 2 or trials <= tasks:  # noqa: PLR2004 - one task has no spread
        return None
    rates = divided(x, n)
    between = float((n * (rates - x.sum() / trials) ** 2).sum()) / (tasks - 1)
    within = float((n * rates * (1 - rates)).sum()) / (trials - tasks)
    attempts = (trials - float((n**2).sum()) / trials) / (tasks - 1)
    total = between + (attempts - 1) * within
    return (between - within) / total if total > 0 else None
