"""Intervals: published numbers, scipy as an oracle, and what they must never do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.arrays import arm
from analysis.intervals import (
    Interval,
    clopper_pearson,
    effective_trials,
    korn_graubard,
    newcombe,
    normal_quantile,
    normal_two_sided,
    rogan_gladen,
    t_quantile,
    t_two_sided,
    wilson,
)
from analysis.spread import clustered_standard_error


@pytest.mark.parametrize(
    ("events", "trials", "by_wilson", "exact"),
    [
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_newcombe_1998(
    events: int, trials: int, by_wilson: tuple[float, float], exact: tuple[float, float]
) -> None:
    made = wilson(events, trials)
    assert (round(made.low, 4), round(made.high, 4)) == by_wilson
    made = clopper_pearson(events, trials)
    assert (round(made.low, 4), round(made.high, 4)) == exact


def test_newcombe_1998_difference() -> None:
    made = newcombe(48, 80, 56, 70)
    assert (round(made.low, 4), round(made.high, 4)) == (0.0524, 0.3339)


def test_korn_graubard_toy() -> None:
    events = [0] * 80 + [1] * 5 + [2] * 2 + [5] * 2
    toy = arm("kg", [5] * 89, events)
    rate, error = 19 / 445, clustered_standard_error(toy)
    assert error is not None
    assert round(rate, 4) == 0.0427
    effective = effective_trials(rate, trials=445, tasks=89, clustered_se=error, correlation=0.0)
    assert round(effective, 1) == 132.8
    made = korn_graubard(rate, trials=445, tasks=89, clustered_se=error, correlation=0.0)
    assert (round(made.low, 4), round(made.high, 4)) == (0.0153, 0.0925)
    iid = clopper_pearson(19, 445)
    assert (round(iid.low, 4), round(iid.high, 4)) == (0.0259, 0.0659)


def test_no_events_are_not_zero_plus_minus_zero() -> None:
    made = korn_graubard(0.0, trials=445, tasks=89, clustered_se=0.0)
    assert made.low == 0.0
    # 445 attempts of 89 alike tasks tell less than 445 independent trials.
    assert made.high > clopper_pearson(0, 445).high > 0


@given(st.integers(0, 60), st.integers(1, 60))
def test_oracle_of_scipy(events: int, trials: int) -> None:
    events = min(events, trials)
    oracle = stats.binomtest(events, trials)
    for made, ends in (
        (wilson(events, trials), oracle.proportion_ci(method="wilson")),
        (clopper_pearson(events, trials), oracle.proportion_ci(method="exact")),
    ):
        assert made.low == pytest.approx(ends.low, abs=1e-9)
        assert made.high == pytest.approx(ends.high, abs=1e-9)


@given(st.floats(0, 1), st.floats(0.5, 5000))
def test_effective_numbers_give_intervals_around_the_rate(rate: float, trials: float) -> None:
    for made in (clopper_pearson(rate * trials, trials), wilson(rate * trials, trials)):
        assert 0 <= made.low <= rate + 1e-9
        assert rate - 1e-9 <= made.high <= 1


@given(st.floats(-6, 6), st.floats(1, 200))
def test_tails_are_scipys(statistic: float, df: float) -> None:
    assert t_two_sided(statistic, df) == pytest.approx(2 * stats.t.sf(abs(statistic), df))
    assert normal_two_sided(statistic) == pytest.approx(2 * stats.norm.sf(abs(statistic)))


def test_quantiles() -> None:
    assert normal_quantile() == pytest.approx(1.959963984540054)
    assert t_quantile(5) == pytest.approx(2.5705818366147)


def test_cutting_keeps_the_order() -> None:
    assert Interval(low=-0.2, high=1.4, method="m").within(0, 1) == Interval(
        low=0, high=1, method="m"
    )
    outside = Interval(low=1.1, high=1.4, method="m").within(0, 1)
    assert outside.low == outside.high == 1


def test_rogan_gladen() -> None:
    assert rogan_gladen(0.045, sensitivity=0.80, specificity=0.995) == pytest.approx(
        0.0503, abs=5e-5
    )
    assert rogan_gladen(0.001, sensitivity=0.80, specificity=0.995) == 0.0
    with pytest.raises(ValueError, match="above 1"):
        rogan_gladen(0.1, sensitivity=0.5, specificity=0.5)


@pytest.mark.slow
def test_korn_graubard_covers_where_iid_intervals_do_not() -> None:
    generator = np.random.default_rng(5)
    runs, tasks, attempts, truth = 400, 89, 5, 0.058
    covered = np.zeros(2)
    for _ in range(runs):
        # Within-task correlation .25, as infra errors were measured to have.
        chance = generator.beta(3 * truth, 3 * (1 - truth), tasks)
        toy = arm("infra", [attempts] * tasks, generator.binomial(attempts, chance))
        events, trials = int(toy.x.sum()), tasks * attempts
        error = clustered_standard_error(toy) or 0.0
        wide = korn_graubard(events / trials, trials=trials, tasks=tasks, clustered_se=error)
        narrow = wilson(events, trials)
        covered += [wide.low <= truth <= wide.high, narrow.low <= truth <= narrow.high]
    assert covered[0] / runs > 0.94
    assert covered[1] / runs < 0.90
