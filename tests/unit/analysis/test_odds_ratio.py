"""The common odds ratio: R's numbers, statsmodels as an oracle, empty margins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.arrays import arm
from analysis.odds_ratio import common_odds_ratio, equal_odds
from tests.unit.analysis.oracles import stratified_table
from tests.unit.analysis.test_exact import LATE, MEN, NONE, WOMEN
from tests.unit.analysis.toy import many_arms


def test_rabbits() -> None:
    made = common_odds_ratio(LATE, NONE)
    assert made is not None
    assert made.estimate == pytest.approx(7.0)
    assert (made.interval.low, made.interval.high) == pytest.approx((1.026713, 47.725133), abs=5e-7)


def test_ucb_admissions() -> None:
    made, same = common_odds_ratio(WOMEN, MEN), equal_odds(WOMEN, MEN)
    assert made is not None
    assert same is not None
    assert made.estimate == pytest.approx(0.904697, abs=5e-7)
    assert (made.interval.low, made.interval.high) == pytest.approx((0.771907, 1.060330), abs=5e-7)
    assert same.breslow_day == pytest.approx(18.825514, abs=5e-7)
    oracle = stratified_table(WOMEN, MEN).test_equal_odds(adjust=True)
    assert (same.tarone, same.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))


@given(st.integers(0, 10_000))
def test_oracle_of_statsmodels(seed: int) -> None:
    a, b = many_arms(seed, tasks=8, attempts=12)
    made = common_odds_ratio(a, b)
    if made is None:
        return
    oracle = stratified_table(a, b)
    assert made.estimate == pytest.approx(float(oracle.oddsratio_pooled))
    low, high = oracle.oddsratio_pooled_confint()
    assert (made.interval.low, made.interval.high) == pytest.approx((float(low), float(high)))


def test_one_common_ratio_of_1_needs_no_special_case() -> None:
    a = arm("a", [10, 20], [5, 4])
    same = equal_odds(a, arm("b", [10, 20], [5, 4]))
    assert same is not None
    assert same.breslow_day == pytest.approx(0.0, abs=1e-12)
    assert same.p_value == pytest.approx(1.0)


def test_no_number_where_there_is_none() -> None:
    never, some = arm("a", [5, 5], [0, 0]), arm("b", [5, 5], [1, 2])
    assert common_odds_ratio(never, some) is None
    assert common_odds_ratio(some, never) is None
    assert common_odds_ratio(never, never) is None
    assert equal_odds(never, some) is None
    assert equal_odds(arm("a", [5], [1]), arm("b", [5], [2])) is None
