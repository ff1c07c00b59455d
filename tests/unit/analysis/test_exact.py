"""The exact stratified test: published data, other implementations, and identities."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.arrays import Arm, arm
from analysis.exact import SMALLEST_P, cmh, convolve_all, strat_exact
from analysis.signflip import signflip_exact
from tests.unit.analysis.oracles import mcnemar_exact, stratified_table
from tests.unit.analysis.toy import many_arms, toy_arm

# Agresti's rabbits: [none cured, 1.5h cured; none died, 1.5h died] for five doses.
RABBITS = np.array(
    [
        [[0, 0], [6, 5]],
        [[3, 0], [3, 6]],
        [[6, 2], [0, 4]],
        [[5, 6], [1, 0]],
        [[2, 5], [0, 0]],
    ]
)
LATE = arm("1.5h", RABBITS[:, :, 1].sum(axis=1), RABBITS[:, 0, 1])
NONE = arm("none", RABBITS[:, :, 0].sum(axis=1), RABBITS[:, 0, 0])

# R's UCBAdmissions: admitted and rejected men, admitted and rejected women, departments A-F.
UCB = np.array(
    [
        [512, 313, 89, 19],
        [353, 207, 17, 8],
        [120, 205, 202, 391],
        [138, 279, 131, 244],
        [53, 138, 94, 299],
        [22, 351, 24, 317],
    ]
)
MEN = arm("men", UCB[:, 0] + UCB[:, 1], UCB[:, 0])
WOMEN = arm("women", UCB[:, 2] + UCB[:, 3], UCB[:, 2])


def test_rabbits_exact() -> None:
    test = strat_exact(LATE, NONE)
    assert test.statistic == 16
    assert test.p_value == pytest.approx(0.0399449, abs=5e-8)
    assert test.p_greater == pytest.approx(0.0199725, abs=5e-8)


def test_rabbits_asymptotic() -> None:
    assert cmh(LATE, NONE, correction=True) == pytest.approx((3.928571, 0.0474723), abs=5e-7)
    assert cmh(LATE, NONE) == pytest.approx((5.657143, 0.0173844), abs=5e-7)


def test_ucb_admissions() -> None:
    assert cmh(WOMEN, MEN, correction=True) == pytest.approx((1.426946, 0.232263), abs=5e-7)
    assert cmh(WOMEN, MEN) == pytest.approx((1.524607, 0.216924), abs=5e-7)


@pytest.mark.parametrize("correction", [False, True])
def test_cmh_is_that_of_statsmodels(correction: bool) -> None:
    a, b = many_arms(5)
    oracle = stratified_table(a, b).test_null_odds(correction=correction)
    assert cmh(a, b, correction=correction) == pytest.approx((oracle.statistic, oracle.pvalue))


def test_toy_sweep_score() -> None:
    test = strat_exact(toy_arm("a", 0), toy_arm("b", 0))
    assert test.p_value == pytest.approx(0.0874604, abs=5e-8)
    assert test.p_greater == pytest.approx(0.0437302, abs=5e-8)
    assert cmh(toy_arm("a", 0), toy_arm("b", 0)) == pytest.approx((4.05, 0.0441713), abs=5e-8)
    corrected = cmh(toy_arm("a", 0), toy_arm("b", 0), correction=True)
    assert corrected is not None
    assert corrected[0] == pytest.approx(2.8125)


def test_toy_sweep_infra() -> None:
    test = strat_exact(toy_arm("a", 1), toy_arm("b", 1))
    assert test.p_value == pytest.approx(0.0767196, abs=5e-8)
    assert test.p_less == pytest.approx(0.0383598, abs=5e-8)


def test_one_attempt_a_task_is_mcnemar() -> None:
    # b = 12, c = 4, and concordant tasks that change nothing.
    x_a = [0] * 12 + [1] * 4 + [1] * 5 + [0] * 5
    x_b = [1] * 12 + [0] * 4 + [1] * 5 + [0] * 5
    test = strat_exact(arm("a", [1] * 26, x_a), arm("b", [1] * 26, x_b))
    flips = signflip_exact(np.array(x_b) - np.array(x_a))
    assert test.p_value == pytest.approx(0.0768127, abs=5e-8)
    assert flips.p_value == pytest.approx(test.p_value)
    assert stats.binomtest(4, 16).pvalue == pytest.approx(test.p_value)
    assert mcnemar_exact(12, 4) == pytest.approx(test.p_value)
    # McNemar's mid-p (Fagerland) takes one point probability off the two-sided p-value.
    assert test.mid_p == pytest.approx(test.p_value - stats.binom.pmf(4, 16, 0.5))
    assert test.min_attainable_p == pytest.approx(2 / 2**16)
    assert flips.min_attainable_p == pytest.approx(2 / 2**16)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_for_any_pairs(pairs: list[tuple[bool, bool]]) -> None:
    n, x_a, x_b = [1] * len(pairs), [int(a) for a, _ in pairs], [int(b) for _, b in pairs]
    test = strat_exact(arm("a", n, x_a), arm("b", n, x_b))
    gained = sum(b > a for a, b in zip(x_a, x_b, strict=True))
    lost = sum(a > b for a, b in zip(x_a, x_b, strict=True))
    assert test.p_value == pytest.approx(mcnemar_exact(gained, lost))


def brute_force(a: Arm, b: Arm) -> float:
    """Enumerate every table with these margins."""
    weights: dict[int, int] = {}
    columns = (a.x, a.n, b.x, b.n)
    strata = list(zip(*(map(int, column.ravel()) for column in columns), strict=True))
    ranges = [range(max(0, xa + xb - na), min(xa + xb, nb) + 1) for xa, na, xb, nb in strata]
    for draw in product(*ranges):
        ways = 1
        for drawn, (xa, na, xb, nb) in zip(draw, strata, strict=True):
            ways *= comb(xa + xb, drawn) * comb(na + nb - xa - xb, nb - drawn)
        weights[sum(draw)] = weights.get(sum(draw), 0) + ways
    seen = weights[int(b.x.sum())]
    return sum(ways for ways in weights.values() if ways <= seen) / sum(weights.values())


counts = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.integers(0, n),
        st.integers(1, 4).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m))),
    )
)


@given(st.lists(counts, min_size=1, max_size=5))
def test_all_tables_enumerated_unequal_attempts_too(
    strata: list[tuple[int, int, tuple[int, int]]],
) -> None:
    a = arm("a", [n for n, _, _ in strata], [x for _, x, _ in strata])
    b = arm("b", [m for _, _, (m, _) in strata], [x for _, _, (_, x) in strata])
    assert strat_exact(a, b).p_value == pytest.approx(brute_force(a, b))


@given(st.integers(0, 10_000), st.randoms())
def test_the_order_of_tasks_does_not_matter(seed: int, random: object) -> None:
    a, b = many_arms(seed)
    order = np.random.default_rng(seed).permutation(len(a.tasks))
    turned = [arm(side.name, side.n[order], side.x[order]) for side in (a, b)]
    assert strat_exact(*turned).p_value == pytest.approx(strat_exact(a, b).p_value)


@given(st.integers(0, 10_000))
def test_swapping_arms_swaps_the_sides(seed: int) -> None:
    a, b = many_arms(seed)
    there, back = strat_exact(a, b), strat_exact(b, a)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.p_less == pytest.approx(back.p_greater)
    assert there.mid_p == pytest.approx(back.mid_p)


@given(st.integers(0, 10_000))
def test_identical_arms_have_p_1(seed: int) -> None:
    a, _ = many_arms(seed)
    assert strat_exact(a, a).p_value == 1.0


@given(st.integers(0, 10_000), st.integers(0, 4), st.integers(0, 4))
def test_tasks_that_never_vary_leave_p_unchanged(seed: int, zeros: int, full: int) -> None:
    a, b = many_arms(seed)
    more = [
        arm(
            side.name,
            np.concatenate([side.n.ravel(), [3] * (zeros + full)]),
            np.concatenate([side.x.ravel(), [0] * zeros, [3] * full]),
        )
        for side in (a, b)
    ]
    assert strat_exact(*more).p_value == pytest.approx(strat_exact(a, b).p_value)


@given(st.integers(0, 10_000))
def test_no_p_value_lies_below_the_attainable(seed: int) -> None:
    a, b = many_arms(seed, tasks=4, attempts=2)
    test = strat_exact(a, b)
    assert test.min_attainable_p <= test.p_value * (1 + 1e-9)
    assert test.p_value <= 1
    assert test.mid_p <= test.p_value


def test_nothing_informative_is_p_1_by_construction() -> None:
    test = strat_exact(arm("a", [5, 5], [0, 5]), arm("b", [5, 5], [0, 5]))
    assert (test.p_value, test.min_attainable_p, test.informative) == (1.0, 1.0, 0)


def test_a_huge_effect_is_a_bound_and_never_zero() -> None:
    a, b = arm("a", [60] * 200, [0] * 200), arm("b", [60] * 200, [60] * 200)
    test = strat_exact(a, b)
    assert test.p_value == test.p_greater == SMALLEST_P
    assert test.p_less == 1.0
    # Cutting the improbable ends off must not move what is left.
    level = strat_exact(arm("a", [60] * 200, [30] * 200), arm("b", [60] * 200, [30] * 200))
    assert level.p_value == 1.0


def test_a_sum_of_parts_keeps_its_offset() -> None:
    rare = np.array([0.0, 0.0, 1.0])
    pmf, offset = convolve_all([rare, np.array([0.5, 0.5]), rare])
    assert offset + int(np.flatnonzero(pmf)[0]) == 4
    assert float(pmf.sum()) == pytest.approx(1.0)
