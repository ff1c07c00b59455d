"""The sign-flip test by task: Darwin's data, scipy as an oracle, and its floor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.signflip import (
    LARGEST_EXACT_SUM,
    exact_or_drawn,
    signflip_exact,
    signflip_monte_carlo,
)
from tests.unit.analysis.oracles import signflip
from tests.unit.analysis.toy import toy_arm

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def test_darwins_zea_mays() -> None:
    test = signflip_exact(np.array(DARWIN))
    assert test.statistic == 314
    assert test.p_value == pytest.approx(1726 / 32768, abs=1e-12)
    assert test.p_value == pytest.approx(0.0526733, abs=5e-8)
    assert signflip(DARWIN) == pytest.approx(test.p_value)


def test_toy_sweep() -> None:
    score = (toy_arm("b", 0).x - toy_arm("a", 0).x).ravel()
    infra = (toy_arm("b", 1).x - toy_arm("a", 1).x).ravel()
    assert signflip_exact(score).p_value == pytest.approx(0.125)
    assert signflip_exact(score).informative == 4
    assert signflip_exact(infra).p_value == pytest.approx(0.25)


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9))
def test_oracle_of_scipy(values: list[int]) -> None:
    assert signflip_exact(np.array(values)).p_value == pytest.approx(signflip(values))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=60))
def test_min_p_and_symmetry(values: list[int]) -> None:
    test, turned = signflip_exact(np.array(values)), signflip_exact(-np.array(values))
    moving = sum(value != 0 for value in values)
    assert test.min_attainable_p == pytest.approx(2 / 2**moving if moving else 1.0)
    assert test.p_value >= test.min_attainable_p * (1 - 1e-9)
    assert test.p_value == pytest.approx(turned.p_value)
    assert test.p_less == pytest.approx(turned.p_greater)
    assert test.statistic == sum(values)


def test_six_tasks_can_reach_05_and_five_cannot() -> None:
    assert signflip_exact(np.ones(5, dtype=np.int64)).p_value == 0.0625
    assert signflip_exact(np.ones(6, dtype=np.int64)).p_value == 0.03125


def test_the_unit_of_counting_does_not_matter() -> None:
    values = np.array([3, -1, 2, 4, 0])
    assert signflip_exact(7 * values).p_value == signflip_exact(values).p_value


def test_drawn_signs_agree_with_the_exact_test_and_repeat() -> None:
    values = np.array(DARWIN) / 8
    p_value, least = signflip_monte_carlo(values)
    assert p_value == pytest.approx(0.0526733, abs=4 * (0.0526733 / 9999) ** 0.5)
    assert least == pytest.approx(1e-4)
    assert signflip_monte_carlo(values) == (p_value, least)
    assert signflip_monte_carlo(values, seed=1)[0] != p_value
    assert signflip_monte_carlo(np.zeros(4)) == (1.0, 1.0)


def test_sums_of_the_same_terms_are_ties_whatever_their_rounding() -> None:
    # .1 + .2 - .3 is not 0 in doubles; all 8 sums are at least as far out as this one.
    p_value, _ = signflip_monte_carlo(np.array([0.1, 0.2, -0.3]))
    assert p_value == 1.0


def test_too_large_a_sum_is_drawn() -> None:
    whole = np.array([LARGEST_EXACT_SUM, -1, 3])
    drawn = exact_or_drawn(whole, whole / 1.0)
    assert drawn.method == "monte_carlo"
    assert drawn.informative == 3
    assert exact_or_drawn(whole[1:], whole[1:] / 1.0).method == "exact"
    # Only the ratio counts: a common factor is taken out first.
    assert exact_or_drawn(whole[:1] * 10, whole[:1] / 1.0).method == "exact"


def test_many_tasks_stay_exact() -> None:
    values = np.ones(1500, dtype=np.int64)
    assert signflip_exact(values).p_value < 1e-270
    values[::2] = -1
    assert signflip_exact(values).p_value == 1.0
