"""The common odds ratio over strata, and whether one number may stand for all of them.

Mantel-Haenszel with the variance of Robins, Breslow and Greenland (1986): consistent both
for few large strata and for many sparse ones, which tasks with five attempts are. Tarone's
form of the Breslow-Day test is a *flag* that tasks differ in the effect; its chi-squared
approximation needs expected counts that sparse strata do not have.

Written here and not taken from ``statsmodels`` (whose ``StratifiedTable`` the tests use
as an oracle): it warns and divides by 0 at empty margins, which sweeps are full of.
"""

import math
from dataclasses import dataclass

import numpy as np

from analysis.arrays import Arm, FloatArray
from analysis.exact import chi_squared_p
from analysis.intervals import LEVEL, Interval, normal_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOddsRatio:
    """Odds of the event in arm b over those in arm a, common to all strata."""

    estimate: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity:
    """Breslow-Day statistic of equal odds ratios, and Tarone's correction of it."""

    breslow_day: float
    tarone: float
    p_value: float
    """Of Tarone's statistic."""
    strata: int
    smallest_expected: float
    """Smallest expected count of any cell; below about 1 the p-value is only a hint."""


@dataclass(frozen=True, slots=True)
class _Tables:
    """2x2 tables [[a, b], [c, d]]: rows arm b and arm a, columns event and none."""

    a: FloatArray
    b: FloatArray
    c: FloatArray
    d: FloatArray

    @classmethod
    def of(cls, arm_a: Arm, arm_b: Arm) -> "_Tables":
        use = (arm_a.n > 0) & (arm_b.n > 0)
        event_b, event_a = arm_b.x[use].astype(np.float64), arm_a.x[use].astype(np.float64)
        return cls(event_b, arm_b.n[use] - event_b, event_a, arm_a.n[use] - event_a)

    def informative(self) -> "_Tables":
        events, rest = self.a + self.c, self.b + self.d
        use = (events > 0) & (rest > 0)
        return _Tables(self.a[use], self.b[use], self.c[use], self.d[use])


def common_odds_ratio(a: Arm, b: Arm, level: float = LEVEL) -> CommonOddsRatio | None:
    """Mantel-Haenszel odds ratio of the event, b over a, with the RBG interval.

    Args:
        a: counts of the reference.
        b: counts of the other arm.
        level: of the interval.

    Returns:
        The odds ratio, or None where it is 0, infinite or undefined: without discordant
        outcomes in both directions.

    """
    tables = _Tables.of(a, b)
    total = tables.a + tables.b + tables.c + tables.d
    r, s = tables.a * tables.d / total, tables.b * tables.c / total
    sum_r, sum_s = float(r.sum()), float(s.sum())
    if sum_r <= 0 or sum_s <= 0:
        return None
    p, q = (tables.a + tables.d) / total, (tables.b + tables.c) / total
    variance = (
        float((p * r).sum()) / (2 * sum_r**2)
        + float((p * s + q * r).sum()) / (2 * sum_r * sum_s)
        + float((q * s).sum()) / (2 * sum_s**2)
    )
    log, half = math.log(sum_r / sum_s), normal_quantile(level) * math.sqrt(variance)
    ends = Interval(low=math.exp(log - half), high=math.exp(log + half), method="RBG")
    return CommonOddsRatio(estimate=sum_r / sum_s, interval=ends)


def equal_odds(a: Arm, b: Arm) -> Heterogeneity | None:
    """Test whether all strata share the common odds ratio.

    Returns:
        The statistics, or None with fewer than two informative strata or without a
        common odds ratio.

    """
    common = common_odds_ratio(a, b)
    tables = _Tables.of(a, b).informative()
    strata = len(tables.a)
    if common is None or strata < 2:  # noqa: PLR2004 - equality needs two
        return None
    expected = _expected(tables, common.estimate)
    row, column = tables.a + tables.b, tables.a + tables.c
    cells = np.stack([expected, row - expected, column - expected, tables.d - tables.a + expected])
    variance = 1 / (1 / cells).sum(axis=0)
    deviation = tables.a - expected
    breslow_day = float((deviation**2 / variance).sum())
    tarone = breslow_day - float(deviation.sum()) ** 2 / float(variance.sum())
    return Heterogeneity(
        breslow_day=breslow_day,
        tarone=tarone,
        p_value=chi_squared_p(tarone, strata - 1),
        strata=strata,
        smallest_expected=float(cells.min()),
    )


def _expected(tables: _Tables, odds: float) -> FloatArray:
    """Expected upper left cells under the odds ratio: the root of a quadratic.

    ``x (d - a + x) = odds (row - x)(column - x)``; written so that ``odds`` = 1, where
    the quadratic term vanishes, needs no case of its own.
    """
    row, column = tables.a + tables.b, tables.a + tables.c
    rest = tables.d - tables.a
    square, linear = 1 - odds, rest + odds * (row + column)
    constant = -odds * row * column
    root = np.sqrt(linear**2 - 4 * square * constant)
    return -2 * constant / (linear + root)
