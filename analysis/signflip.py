"""The sign-flip test by task: does the mean difference hold for tasks like these?

Under the null each task's difference is as likely to be -d as +d, whatever its size. With
whole numbers of events the distribution of the sum is a convolution, exact for any number
of tasks (no enumeration of 2^T). Tasks without a difference drop out: with m others no
p-value below 2/2^m exists, so m < 6 cannot reach .05.

With unequal attempts the differences are of rates and their variances differ between the
arms, so signs are drawn instead, and the result is approximate: measured two-sided type-I
error .034 to .044, one-sided up to .061 at 2 against 10 attempts.
"""

from dataclasses import dataclass
from math import gcd
from typing import Final

import numpy as np

from analysis.arrays import FloatArray, IntArray
from analysis.exact import ExactTest, as_p
from analysis.result import PMethod

RESAMPLES: Final = 9_999
SEED: Final = 20_260_101
LARGEST_EXACT_SUM: Final = 200_000
"""Above this sum of |d| the convolution costs more than drawing signs."""
ROUNDING: Final = 1e-12
"""Differences of rates below this are 0: .6 - .4 - .2 is not."""
_BLOCK: Final = 1_111
"""Sign rows drawn at a time, to bound memory; part of the stream's definition."""


def signflip_exact(differences: IntArray) -> ExactTest:
    """Sign-flip test of whole differences, one a task.

    Args:
        differences: (tasks,) integers, b - a.

    Returns:
        Two-sided p-value P(|S| >= |s|), mid-p and one-sided ones; all 1 when every
        difference is 0.

    """
    moving = differences[differences != 0]
    unit = gcd(*(int(value) for value in moving)) or 1
    sizes = np.abs(moving) // unit
    total = int(sizes.sum())
    # pmf[i] is the probability that the positive terms sum to i, so that S = 2i - total.
    pmf = np.zeros(total + 1)
    pmf[0], reach = 1.0, 0
    for size in np.sort(sizes):
        half = pmf[: reach + 1] * 0.5
        pmf[: reach + 1] = half
        pmf[size : size + reach + 1] += half
        reach += int(size)
    return _from_distribution(pmf, int(moving.sum()), unit, len(moving))


def _from_distribution(pmf: FloatArray, statistic: int, unit: int, informative: int) -> ExactTest:
    total = len(pmf) - 1
    sums = unit * (2 * np.arange(total + 1) - total)
    far = np.abs(sums) >= abs(statistic)
    ties = np.abs(sums) == abs(statistic)
    p = float(pmf[far].sum())
    return ExactTest(
        p_value=as_p(p),
        mid_p=as_p(p - float(pmf[ties].sum()) / 2),
        p_less=as_p(float(pmf[sums <= statistic].sum())),
        p_greater=as_p(float(pmf[sums >= statistic].sum())),
        min_attainable_p=as_p(2.0 ** (1 - informative) if informative else 1.0),
        informative=informative,
        statistic=statistic,
    )


def signflip_monte_carlo(
    differences: FloatArray, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Sign-flip test by drawn signs, p = (1 + b) / (B + 1).

    Args:
        differences: (tasks,) differences of rates, b - a.
        resamples: B.
        seed: of the generator; the same seed gives the same p-value.

    Returns:
        (two-sided p-value, smallest p-value attainable). Both 1 when nothing differs.

    """
    moving = differences[np.abs(differences) > ROUNDING]
    if not len(moving):
        return 1.0, 1.0
    observed = abs(float(moving.sum()))
    # Sums of the same terms in another order differ in the last bit: those are ties.
    threshold = observed - 1e-9 * float(np.abs(moving).sum())
    generator = np.random.default_rng(seed)
    beyond = 0
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        signs = generator.integers(0, 2, size=(rows, len(moving)), dtype=np.int8)
        sums = (2.0 * signs - 1.0) @ moving
        beyond += int((np.abs(sums) >= threshold).sum())
    least = max(2.0 ** (1 - min(len(moving), 64)), 1 / (resamples + 1))
    return (1 + beyond) / (resamples + 1), least


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipTest:
    """Two-sided sign-flip test with how it was computed."""

    p_value: float
    min_attainable_p: float
    informative: int
    method: PMethod


def exact_or_drawn(whole: IntArray | None, values: FloatArray) -> FlipTest:
    """Take the exact test where differences are whole and small enough, else draw signs.

    Args:
        whole: (tasks,) differences as whole numbers, proportional to ``values``; None
            where attempts differ.
        values: (tasks,) the differences of rates.

    Returns:
        The test.

    """
    if whole is not None:
        moving = whole[whole != 0]
        unit = gcd(*(int(value) for value in moving)) or 1
        if int(np.abs(moving).sum()) // unit <= LARGEST_EXACT_SUM:
            test = signflip_exact(whole)
            return FlipTest(
                p_value=test.p_value,
                min_attainable_p=test.min_attainable_p,
                informative=test.informative,
                method="exact",
            )
    p_value, least = signflip_monte_carlo(values)
    informative = int((np.abs(values) > ROUNDING).sum())
    return FlipTest(
        p_value=p_value, min_attainable_p=least, informative=informative, method="monte_carlo"
    )
