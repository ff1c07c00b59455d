"""Does a rate fall (or rise) along the ceilings? One test over all of them.

A trend test over every step has more power than a comparison of the two ends, and is one
test where pairwise comparisons are five. Scores are the ranks of the ceilings (0, 1, 2 ...):
"uncapped" is simply the next step.

For these tasks: given each stratum's margins, its events are spread over the ceilings
like balls drawn without replacement, so the distribution of T = Σ rank x events is
computed exactly by convolution; this is Mantel's (1963) extension without its normal
approximation, which stands beside it and steps in for very many attempts. Two-sided by
distance from the expectation. For tasks like these: the sign-flip test on each task's
least-squares slope.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np

from analysis.arrays import Arm, FloatArray
from analysis.contrast import contrast_results, make_contrast
from analysis.exact import as_p, convolve_all
from analysis.intervals import normal_two_sided
from analysis.record import Tested
from analysis.result import PMethod, Result

_FLOOR: Final = 1e-40
"""Probabilities below this are cut: the sums of a trend have long, useless ends."""
_LARGEST_TABLE: Final = 3_000_000
"""Entries of one stratum's table (trials x sums) up to which the test is exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendTest:
    """P-values of a trend."""

    p_value: float
    p_falling: float
    """One-sided: events become rarer along the ceilings."""
    p_rising: float
    min_attainable_p: float
    method: PMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The trend of one endpoint over the ceilings in their order."""

    endpoint: str
    conditions: tuple[str, ...]
    these: Result
    """Slope in points a step; exact stratified test."""
    like: Result
    """The same slope for tasks like these; sign-flip test by task."""
    p_falling: float | None
    """One-sided, for these tasks: the rate falls with the ceiling."""
    p_rising: float | None
    mantel_z: float | None
    """Mantel's extension: below 0 when the rate falls."""
    mantel_p: float | None


def trend(arms: Sequence[Arm], *, endpoint: str, words: str) -> Trend:
    """Test whether the event becomes rarer or more frequent along the arms.

    Args:
        arms: two or more ceilings in their order, tightest first; same tasks and strata.
        endpoint: name of the event.
        words: the endpoint as it starts a sentence.

    Returns:
        Slope, intervals and tests. Only strata with attempts at every ceiling take part.

    """
    steps = len(arms)
    weights = [2 * step - steps + 1 for step in range(steps)]
    # Ranks centred and doubled: Σ (w/2) p / Σ (w/2)² is the slope.
    contrast = make_contrast(arms, weights, divisor=sum(weight**2 for weight in weights) // 2)
    test = trend_test(contrast.arms)
    z = mantel_z(contrast.arms)
    these, like = contrast_results(
        contrast,
        question=f"{words} along the ceilings, change a step",
        estimand="mean over tasks of the least-squares slope on ranks",
        tested=Tested(
            p_value=test.p_value, method=test.method, min_attainable_p=test.min_attainable_p
        ),
    )
    tested = these.p_value is not None
    return Trend(
        endpoint=endpoint,
        conditions=tuple(arm.name for arm in arms),
        these=these,
        like=like,
        p_falling=test.p_falling if tested else None,
        p_rising=test.p_rising if tested else None,
        mantel_z=z,
        mantel_p=None if z is None or not tested else normal_two_sided(z),
    )


def trend_test(arms: Sequence[Arm]) -> TrendTest:
    """Test T = Σ rank x events given each stratum's margins.

    Args:
        arms: ceilings in their order; strata with attempts at every one.

    Returns:
        The exact test; the asymptotic one where a stratum has too many attempts.

    """
    n = np.stack([arm.n.ravel() for arm in arms], axis=1)
    x = np.stack([arm.x.ravel() for arm in arms], axis=1)
    events, trials = x.sum(axis=1), n.sum(axis=1)
    use = (events > 0) & (events < trials)
    ranks = np.arange(len(arms))
    if use.any() and int((trials[use] * (n[use] @ ranks)).max()) > _LARGEST_TABLE:
        return _asymptotic(mantel_z(arms) or 0.0)
    margins: list[list[int]] = n[use].tolist()
    totals: list[int] = events[use].tolist()
    parts = [
        _rank_sums(tuple(margin))[total] for margin, total in zip(margins, totals, strict=True)
    ]
    pmf, offset = convolve_all(parts, floor=_FLOOR)
    sums = offset + np.arange(len(pmf), dtype=np.float64)
    observed = int((x[use] @ ranks).sum())
    expected = float((events[use] * (n[use] @ ranks) / trials[use]).sum())
    return _exact(pmf, sums, observed, expected)


def _exact(pmf: FloatArray, sums: FloatArray, observed: int, expected: float) -> TrendTest:
    # Distances are multiples of a fraction: what differs by rounding only is a tie.
    distance, tie = np.abs(sums - expected), 1e-9 * max(1.0, abs(expected))
    far = distance >= abs(observed - expected) - tie
    return TrendTest(
        p_value=as_p(float(pmf[far].sum()), floor=_FLOOR),
        p_falling=as_p(float(pmf[sums <= observed].sum()), floor=_FLOOR),
        p_rising=as_p(float(pmf[sums >= observed].sum()), floor=_FLOOR),
        min_attainable_p=as_p(float(pmf[distance >= distance.max() - tie].sum()), floor=_FLOOR),
        method="exact",
    )


def _asymptotic(z: float) -> TrendTest:
    both = max(_FLOOR, normal_two_sided(z))
    toward, away = both / 2, 1 - both / 2
    return TrendTest(
        p_value=both,
        p_falling=toward if z < 0 else away,
        p_rising=away if z < 0 else toward,
        min_attainable_p=_FLOOR,
        method="asymptotic",
    )


@lru_cache(maxsize=256)
def _rank_sums(attempts: tuple[int, ...]) -> tuple[FloatArray, ...]:
    """Distribution of Σ rank x events of one stratum, for each total number of events.

    Args:
        attempts: at each ceiling.

    Returns:
        For 0, 1, ... events in total: probabilities of the sums 0, 1, ....

    """
    trials, highest = sum(attempts), sum(rank * n for rank, n in enumerate(attempts))
    ways = np.zeros((trials + 1, highest + 1))
    ways[0, 0] = 1.0
    for rank, n in enumerate(attempts):
        grown = np.zeros_like(ways)
        for events in range(n + 1):
            shift = rank * events
            grown[events:, shift:] += (
                comb(n, events) * ways[: trials + 1 - events, : highest + 1 - shift]
            )
        ways = grown
    return tuple(ways[total] / comb(trials, total) for total in range(trials + 1))


def mantel_z(arms: Sequence[Arm]) -> float | None:
    """Mantel's (1963) extension test statistic with ranks as scores.

    ``z = (T - ΣE) / sqrt(ΣV)`` over strata, with E and V of sampling without replacement.

    Returns:
        z, below 0 when events become rarer; None without an informative stratum.

    """
    n = np.stack([arm.n.ravel() for arm in arms], axis=1).astype(np.float64)
    x = np.stack([arm.x.ravel() for arm in arms], axis=1).astype(np.float64)
    use = n.sum(axis=1) > 1
    n, x = n[use], x[use]
    ranks = np.arange(len(arms), dtype=np.float64)
    events, trials = x.sum(axis=1), n.sum(axis=1)
    first, second = n @ ranks, n @ ranks**2
    mean = events * first / trials
    spread = trials * second - first**2
    variance = events * (trials - events) / (trials**2 * (trials - 1)) * spread
    total = float(variance.sum())
    return float((x @ ranks - mean).sum()) / math.sqrt(total) if total > 0 else None
