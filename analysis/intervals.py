"""Intervals of a proportion, and of a difference of two.

Which one to use is not a matter of taste: at 0 events a Wald interval is "0 ± 0", and
iid intervals on clustered attempts cover 69% when they say 95%. Rare rates get
Clopper-Pearson (these tasks) or Korn-Graubard (tasks like these: the same with an
effective number of trials); scores get a normal or t interval from their own standard
error (``spread``). Differences whose standard error is 0 get the square-and-add of the two
arms' intervals (Newcombe 1998, method 10) in its place.

Quantiles come from ``scipy.special``: ``scipy.stats`` has the same functions under nicer
names, and takes three times as long to import as a whole report takes to compute.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scipy import special

LEVEL: Final = 0.95
DESIGN_CORRELATION: Final = 0.3
"""Within-task correlation assumed where there are too few events to estimate one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Two ends and how they were made."""

    low: float
    high: float
    method: str

    def within(self, low: float, high: float) -> "Interval":
        """Cut the interval to what its quantity can be."""
        return Interval(
            low=min(max(self.low, low), high),
            high=max(min(self.high, high), low),
            method=self.method,
        )


def normal_quantile(level: float = LEVEL) -> float:
    """Two-sided quantile of the standard normal: 1.96 at 0.95."""
    return float(special.ndtri((1 + level) / 2))


def t_quantile(df: float, level: float = LEVEL) -> float:
    """Two-sided quantile of Student's t with ``df`` degrees of freedom."""
    return float(special.stdtrit(df, (1 + level) / 2))


def t_two_sided(t: float, df: float) -> float:
    """Two-sided p-value of a t statistic."""
    return min(1.0, 2 * float(special.stdtr(df, -abs(t))))


def normal_two_sided(z: float) -> float:
    """Two-sided p-value of a normal statistic."""
    return min(1.0, 2 * float(special.ndtr(-abs(z))))


def wilson(events: float, trials: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval; ``trials`` may be an effective number (Wilson 1927)."""
    z = normal_quantile(level)
    share = events / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = (z / (1 + z * z / trials)) * math.sqrt(
        share * (1 - share) / trials + z * z / (4 * trials * trials)
    )
    # At 0 and at all events one end is exact, which rounding would miss by 1e-18.
    low = 0.0 if events == 0 else centre - half
    high = 1.0 if events == trials else centre + half
    return Interval(low=low, high=high, method="Wilson").within(0.0, 1.0)


def clopper_pearson(events: float, trials: float, level: float = LEVEL) -> Interval:
    """Exact binomial interval; both numbers may be effective, that is not whole."""
    tail = (1 - level) / 2
    # The tolerance is for effective numbers: P x n_eff may pass n_eff by a rounding error.
    low = (
        0.0 if events <= 0 else float(special.betaincinv(events, max(trials - events, 0) + 1, tail))
    )
    high = (
        1.0
        if events >= trials * (1 - 1e-12)
        else float(special.betaincinv(events + 1, trials - events, 1 - tail))
    )
    return Interval(low=low, high=high, method="Clopper-Pearson")


def effective_trials(
    rate: float,
    *,
    trials: int,
    tasks: int,
    clustered_se: float,
    correlation: float = DESIGN_CORRELATION,
    level: float = LEVEL,
) -> float:
    """Korn and Graubard's effective number of trials, with a floor on the design effect.

    ``min(N, P(1-P)/SE², N/(1+(k-1)rho)) x (t(N-1)/t(T-1))²`` with k = N/T. The last term
    of the minimum bounds what 0 or few events could pretend to know.

    Args:
        rate: pooled rate P, 0 to 1.
        trials: N.
        tasks: T, at least 2.
        clustered_se: standard error of P with tasks as clusters.
        correlation: rho, the assumed within-task correlation.
        level: of the interval that it will be used for.

    Returns:
        Effective number of trials, above 0.

    """
    candidates = [float(trials), trials / (1 + (trials / tasks - 1) * correlation)]
    if clustered_se > 0:
        candidates.append(rate * (1 - rate) / clustered_se**2)
    ratio = t_quantile(trials - 1, level) / t_quantile(tasks - 1, level)
    return min(candidates) * ratio**2


def korn_graubard(
    rate: float,
    *,
    trials: int,
    tasks: int,
    clustered_se: float,
    correlation: float = DESIGN_CORRELATION,
    level: float = LEVEL,
) -> Interval:
    """Clopper-Pearson on the effective number of trials (Korn and Graubard 1998).

    Args: as ``effective_trials``.

    Returns:
        The interval of the rate for tasks like these.

    """
    effective = effective_trials(
        rate,
        trials=trials,
        tasks=tasks,
        clustered_se=clustered_se,
        correlation=correlation,
        level=level,
    )
    made = clopper_pearson(rate * effective, effective, level)
    return Interval(low=made.low, high=made.high, method="Korn-Graubard")


def square_and_add(
    weights: Sequence[float], rates: Sequence[float], intervals: Sequence[Interval]
) -> Interval:
    """Interval of a weighted sum of rates from the rates' own intervals.

    Newcombe's (1998) method 10 is the case of the weights -1 and 1.
    """
    down = up = 0.0
    for weight, rate, own in zip(weights, rates, intervals, strict=True):
        far, near = (own.high, own.low) if weight < 0 else (own.low, own.high)
        down = math.hypot(down, weight * (rate - far))
        up = math.hypot(up, weight * (near - rate))
    total = math.fsum(weight * rate for weight, rate in zip(weights, rates, strict=True))
    method = f"square-and-add of {intervals[0].method}"
    return Interval(low=total - down, high=total + up, method=method)


def newcombe(events_a: int, trials_a: int, events_b: int, trials_b: int) -> Interval:
    """Newcombe's interval of the unpaired difference b - a at 95%."""
    rates = events_a / trials_a, events_b / trials_b
    own = wilson(events_a, trials_a), wilson(events_b, trials_b)
    return square_and_add((-1, 1), rates, own).within(-1.0, 1.0)


def rogan_gladen(observed: float, *, sensitivity: float, specificity: float) -> float:
    """Correct an observed rate for a classifier's audited errors (Rogan and Gladen 1978).

    Args:
        observed: rate of positives that the policy gave.
        sensitivity: share of true positives it finds.
        specificity: share of true negatives it leaves alone.

    Returns:
        The corrected rate, cut to 0..1.

    Raises:
        ValueError: the classifier is no better than a coin (Se + Sp <= 1).

    """
    informedness = sensitivity + specificity - 1
    if informedness <= 0:
        raise ValueError("sensitivity and specificity together must be above 1")
    return min(1.0, max(0.0, (observed + specificity - 1) / informedness))
