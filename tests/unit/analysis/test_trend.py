"""The trend over ceilings: R's smokers, the toy's permutation p-value, enumeration."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.arrays import Arm, arm
from analysis.exact import cmh
from analysis.intervals import normal_two_sided
from analysis.trend import mantel_z, trend, trend_test
from tests.unit.analysis.toy import many_arms

TOY = np.array([[0, 1, 2], [1, 1, 3], [2, 3, 3], [5, 4, 5], [0, 0, 1]])


def arms_of(table: np.ndarray[tuple[int, ...], np.dtype[np.int64]], attempts: int) -> list[Arm]:
    n = [attempts] * len(table)
    return [arm(str(place), n, table[:, place]) for place in range(table.shape[1])]


def test_toy() -> None:
    z = mantel_z(arms_of(TOY, 5))
    assert z == pytest.approx(2.108805, abs=5e-7)
    assert normal_two_sided(z or 0.0) == pytest.approx(0.0349614, abs=5e-8)
    # The design's .0513 was drawn; this is what it is exactly.
    assert trend_test(arms_of(TOY, 5)).p_value == pytest.approx(0.0513, abs=1e-3)


def test_smokers_of_one_stratum() -> None:
    patients, smokers = [86, 93, 136, 82], [83, 90, 129, 70]
    z = mantel_z(
        [arm(str(i), [n], [x]) for i, (n, x) in enumerate(zip(patients, smokers, strict=True))]
    )
    assert z is not None
    assert z == pytest.approx(-2.864298, abs=5e-7)
    total = sum(patients)
    assert z**2 * total / (total - 1) == pytest.approx(8.224922, abs=5e-7)


@given(st.integers(0, 1000))
def test_two_ceilings_are_cmh(seed: int) -> None:
    a, b = many_arms(seed)
    known, z = cmh(a, b), mantel_z([a, b])
    assert (known is None) == (z is None)
    if known is not None and z is not None:
        assert z**2 == pytest.approx(known[0])


def brute_force(arms: list[Arm]) -> float:
    """Enumerate how each stratum's events can fall on the ceilings."""
    spread: dict[int, int] = {0: 1}
    expected = 0.0
    for place in range(len(arms[0].tasks)):
        n = [int(side.n[place, 0]) for side in arms]
        events = sum(int(side.x[place, 0]) for side in arms)
        expected += events * sum(rank * k for rank, k in enumerate(n)) / sum(n)
        ways: dict[int, int] = {}
        for split in product(*(range(k + 1) for k in n)):
            if sum(split) == events:
                score = sum(rank * x for rank, x in enumerate(split))
                weight = int(np.prod([comb(k, x) for k, x in zip(n, split, strict=True)]))
                ways[score] = ways.get(score, 0) + weight
        together: dict[int, int] = {}
        for (one, w1), (two, w2) in product(spread.items(), ways.items()):
            together[one + two] = together.get(one + two, 0) + w1 * w2
        spread = together
    seen = sum(rank * int(side.x.sum()) for rank, side in enumerate(arms))
    far = abs(seen - expected) - 1e-9
    total = sum(spread.values())
    return sum(ways for score, ways in spread.items() if abs(score - expected) >= far) / total


rows = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=4)


@given(rows)
def test_all_splits_enumerated(table: list[list[int]]) -> None:
    arms = arms_of(np.array(table), 2)
    test = trend_test(arms)
    assert test.p_value == pytest.approx(brute_force(arms))
    back = trend_test(arms[::-1])
    assert test.p_value == pytest.approx(back.p_value)
    assert test.p_falling == pytest.approx(back.p_rising)
    assert test.min_attainable_p <= test.p_value * (1 + 1e-9)


def test_without_events_nothing_is_evidence() -> None:
    test = trend_test(arms_of(np.zeros((12, 3), dtype=np.int64), 2))
    assert (test.p_value, test.min_attainable_p) == (1.0, 1.0)
    made = trend(arms_of(np.zeros((12, 3), dtype=np.int64), 2), endpoint="infra", words="Infra")
    assert made.these.p_value == 1.0
    assert made.mantel_z is None
    assert made.these.ci_low is not None
    assert made.these.ci_low < 0 < (made.these.ci_high or 0)


def test_slope_in_points_a_step_and_its_tests() -> None:
    falling = np.array([[4, 2, 0]] * 12)
    made = trend(arms_of(falling, 4), endpoint="infra", words="Infra-error rate")
    assert made.these.estimate == pytest.approx(-50.0)
    assert made.these.p_value is not None
    assert made.these.p_value < 1e-12
    assert made.like.p_value == pytest.approx(2 / 2**12)
    assert made.p_falling is not None
    assert made.p_rising is not None
    assert made.p_falling < made.p_rising


def test_very_many_attempts_take_the_approximation() -> None:
    huge = [arm(str(rank), [9_000], [4_500 + 40 * rank]) for rank in range(3)]
    test = trend_test(huge)
    assert test.method == "asymptotic"
    assert test.p_value == pytest.approx(normal_two_sided(mantel_z(huge) or 0.0))
    assert test.p_rising < test.p_falling
