"""The exact stratified conditional test: Cochran-Mantel-Haenszel without an approximation.

Given each stratum's margins, the events in arm b are hypergeometric, so their sum over
strata is a sum of independent hypergeometrics, whose distribution is a convolution. It is
exact at any size, for rare events and for unequal attempts; one attempt a task makes it
McNemar's test. For a fixed benchmark it is valid not only under "no effect on any task"
but also under "no mean effect on these tasks". It must *not* be used to generalise to
other tasks: with task effects of mean zero its type-I error is .21 to .35.

Two-sided means probability ordering, as R's ``mantelhaen.test(exact = TRUE)``: all sums
at most as likely as the one seen. ``mid_p`` counts those as likely as it by half; it is for
those who chose it before looking, since exact tests of rare events are conservative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np
from scipy import special

from analysis.arrays import Arm, FloatArray, IntArray

TIES: Final = 1 + 1e-7
"""R's tolerance: probabilities this close are ties of the same rational number."""
SMALLEST_P: Final = 1e-280
"""Below this, doubles lose precision: smaller p-values are reported as this bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactTest:
    """P-values of one exact test."""

    p_value: float
    mid_p: float
    p_less: float
    """One-sided: arm b has fewer events."""
    p_greater: float
    """One-sided: arm b has more events."""
    min_attainable_p: float
    """Two-sided p-value of the most extreme outcome that the margins allow."""
    informative: int
    """Strata (exact test) or tasks (sign-flip) that could have moved the result."""
    statistic: int
    """Events in arm b (exact test), or the sum of differences (sign-flip)."""


def strat_exact(a: Arm, b: Arm) -> ExactTest:
    """Test whether arm b has more or fewer events than arm a, within strata.

    Args:
        a: counts of one condition.
        b: counts of the other, same shape; strata empty in either take no part.

    Returns:
        Two-sided, mid and one-sided p-values. Without an informative stratum all are 1:
        nothing that could have happened would have been evidence.

    """
    return strat_exact_counts(a.x.ravel(), a.n.ravel(), b.x.ravel(), b.n.ravel())


def strat_exact_counts(x_a: IntArray, n_a: IntArray, x_b: IntArray, n_b: IntArray) -> ExactTest:
    """Test flat arrays of strata: events and attempts of a, then of b; see ``strat_exact``."""
    events, trials = x_a + x_b, n_a + n_b
    common = (n_a > 0) & (n_b > 0)
    informative = common & (events > 0) & (events < trials)
    lows = np.maximum(events - n_a, 0)[informative]
    keys = np.stack([trials, events, n_b], axis=1)[informative]
    pmf, offset = convolve_all([_hypergeometric(*map(int, key)) for key in keys])
    index = int(x_b[informative].sum()) - int(lows.sum()) - offset
    return _test(pmf, index, int(x_b[common].sum()), int(informative.sum()))


@lru_cache(maxsize=65_536)
def _hypergeometric(trials: int, events: int, draws: int) -> FloatArray:
    """Probabilities of max(0, ...) .. min(events, draws) events among ``draws`` trials."""
    low, high = max(0, events + draws - trials), min(events, draws)
    ways = comb(trials, draws)
    pmf = np.array(
        [comb(events, x) * comb(trials - events, draws - x) / ways for x in range(low, high + 1)]
    )
    pmf.setflags(write=False)
    return pmf


def convolve_all(
    parts: Sequence[FloatArray], *, floor: float = SMALLEST_P
) -> tuple[FloatArray, int]:
    """Distribution of a sum of independent whole numbers.

    Merges the shortest first, in pairs, so that 200 tasks take 8 rounds and not 200 ever
    longer ones. Ends too improbable for a double are cut off.

    Args:
        parts: probabilities of 0, 1, 2 ... of each term.
        floor: probabilities below this are cut off at both ends.

    Returns:
        Probabilities of the sum, and the sum that its first entry stands for.

    """
    queue = sorted(parts, key=len) or [np.ones(1)]
    offset = 0
    while len(queue) > 1:
        merged: list[FloatArray] = []
        for first, second in zip(queue[::2], queue[1::2], strict=False):
            product = np.convolve(first, second)
            kept = np.flatnonzero(product >= floor)
            offset += int(kept[0])
            merged.append(product[kept[0] : kept[-1] + 1])
        queue = merged + ([queue[-1]] if len(queue) % 2 else [])
    return queue[0], offset


def _test(pmf: FloatArray, index: int, statistic: int, informative: int) -> ExactTest:
    # An index outside is an outcome whose probability was cut off as too small.
    observed = float(pmf[index]) if 0 <= index < len(pmf) else 0.0
    least = float(pmf.min())
    at_most = float(pmf[pmf <= observed * TIES].sum())
    ties = float(pmf[(pmf <= observed * TIES) & (pmf >= observed / TIES)].sum())
    inside = min(max(index, 0), len(pmf))
    return ExactTest(
        p_value=as_p(at_most),
        mid_p=as_p(at_most - ties / 2),
        p_less=as_p(float(pmf[: max(index + 1, 0)].sum())),
        p_greater=as_p(float(pmf[inside:].sum())),
        min_attainable_p=as_p(float(pmf[pmf <= least * TIES].sum())),
        informative=informative,
        statistic=statistic,
    )


def as_p(probability: float, *, floor: float = SMALLEST_P) -> float:
    """Cut a sum of probabilities to what a p-value can be: at least ``floor``, at most 1."""
    # A sum within rounding of 1 is 1: that all outcomes are as likely is certain.
    return 1.0 if probability > 1 - 1e-12 else max(floor, probability)


def cmh(a: Arm, b: Arm, *, correction: bool = False) -> tuple[float, float] | None:
    """Asymptotic Cochran-Mantel-Haenszel statistic and its p-value, for comparison.

    Args:
        a: counts of one condition.
        b: counts of the other.
        correction: subtract 1/2 from a deviation of at least that, as R does by default.

    Returns:
        (chi-squared, p), or None without an informative stratum.

    """
    n_a, n_b = a.n.astype(np.float64), b.n.astype(np.float64)
    events, trials = (a.x + b.x).astype(np.float64), n_a + n_b
    use = (trials > 1) & (n_a > 0) & (n_b > 0)
    events, trials, n_a, n_b = events[use], trials[use], n_a[use], n_b[use]
    deviation = float((b.x[use] - n_b * events / trials).sum())
    variance = float((n_a * n_b * events * (trials - events) / (trials**2 * (trials - 1))).sum())
    if variance <= 0:
        return None
    yates = 0.5 if correction and abs(deviation) >= 0.5 else 0.0  # noqa: PLR2004 - R's rule
    statistic = (abs(deviation) - yates) ** 2 / variance
    return statistic, chi_squared_p(statistic, 1)


def chi_squared_p(statistic: float, df: int) -> float:
    """Upper tail of the chi-squared distribution."""
    return min(1.0, max(SMALLEST_P, float(special.chdtrc(df, statistic))))
