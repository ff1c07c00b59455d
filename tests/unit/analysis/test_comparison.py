"""Q2 as a record: estimates, intervals, guards, Holm families and concentrated effects."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.arrays import Arm, arm
from analysis.comparison import Comparison, compare, with_holm
from analysis.contrast import UNEQUAL, make_contrast, t_interval
from analysis.spread import mean_standard_error
from tests.unit.analysis.toy import TOY_A, TOY_B, many_arms, toy_arm


def wide_toy(name: str, outcome: int) -> Arm:
    """The toy sweep with four more tasks in which nothing happens: enough for a test."""
    table = [*(TOY_A if name == "a" else TOY_B), *[(0, 0, 5)] * 4]
    return arm(name, [5] * 10, [row[outcome] for row in table])


def score(x_a: Sequence[int], x_b: Sequence[int], n: int = 5) -> Comparison:
    return compare(arm("a", [n] * len(x_a), x_a), arm("b", [n] * len(x_b), x_b), endpoint="score")


def test_toy_difference() -> None:
    made = compare(toy_arm("a", 0), toy_arm("b", 0), endpoint="score")
    assert made.these.estimate == pytest.approx(20.0)
    assert made.these.question == "Score at b minus at a"
    values = make_contrast([toy_arm("a", 0), toy_arm("b", 0)], [-1, 1]).values
    error = mean_standard_error(values)
    assert error == pytest.approx(0.089443, abs=5e-7)
    interval = t_interval(values)
    assert interval is not None
    oracle = stats.ttest_rel(toy_arm("b", 0).x.ravel() / 5, toy_arm("a", 0).x.ravel() / 5)
    assert oracle.pvalue == pytest.approx(0.0755868, abs=5e-8)
    ends = oracle.confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high))
    # Six tasks: described, and every p-value withheld.
    assert made.these.status == made.like.status == "descriptive_only"
    for p in (made.these.p_value, made.like.p_value, made.mid_p, made.p_paired_t, made.p_less):
        assert p is None
    assert made.these.min_attainable_p is not None


def test_toy_in_ten_tasks_gives_the_same_p_values() -> None:
    made = compare(wide_toy("a", 0), wide_toy("b", 0), endpoint="score")
    assert made.these.p_value == pytest.approx(0.0874604, abs=5e-8)
    assert made.p_greater == pytest.approx(0.0437302, abs=5e-8)
    assert made.like.p_value == pytest.approx(0.125)
    assert made.like.n_tasks_informative == 4
    assert made.like.min_attainable_p == pytest.approx(0.125)
    assert "no outcome of these margins" in made.like.warnings[0]
    infra = compare(wide_toy("a", 1), wide_toy("b", 1), endpoint="infra")
    assert infra.these.p_value == pytest.approx(0.0767196, abs=5e-8)
    assert infra.p_less == pytest.approx(0.0383598, abs=5e-8)
    assert infra.like.p_value == pytest.approx(0.25)
    assert infra.these.p_method == infra.like.p_method == "exact"


@given(st.integers(0, 10_000))
def test_swapping_arms_flips_the_sign(seed: int) -> None:
    a, b = many_arms(seed)
    there, back = compare(a, b, endpoint="score"), compare(b, a, endpoint="score")
    for one, two in ((there.these, back.these), (there.like, back.like)):
        assert one.estimate == pytest.approx(-(two.estimate or 0.0))
        assert one.p_value == pytest.approx(two.p_value)
        assert one.ci_low == pytest.approx(-(two.ci_high or 0.0))
    assert (there.odds_ratio is None) == (back.odds_ratio is None)


@given(st.integers(0, 10_000))
def test_identical_arms(seed: int) -> None:
    a, _ = many_arms(seed)
    made = compare(a, a, endpoint="score")
    assert made.these.estimate == 0.0
    assert made.these.p_value == made.like.p_value == 1.0
    assert made.p_paired_t is None
    assert made.these.ci_low is not None
    # Never "0 ± 0": two arms that agree by chance may still differ.
    assert made.these.ci_low < 0 < (made.these.ci_high or 0.0)
    assert (made.like.ci_low or 0.0) < 0 < (made.like.ci_high or 0.0)


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_any_pair_of_arms_makes_a_record(seed: int, attempts: int) -> None:
    generator = np.random.default_rng(seed)
    n = generator.integers(0, attempts + 1, (14, 2, 2))
    x = generator.binomial(n, generator.choice([0, 0.3, 1], (14, 2, 2)))
    names = tuple(f"t{place}" for place in range(14))
    arms = [Arm(name=name, tasks=names, n=n[:, :, i], x=x[:, :, i]) for i, name in enumerate("ab")]
    made = compare(arms[0], arms[1], endpoint="score", agents=("x", "y"))
    left = set(names) - set(made.dropped_tasks)
    assert made.these.n_tasks <= len(left)
    if made.these.status == "ok":
        assert made.these.p_value is not None
        assert made.these.ci_low is not None
        assert made.these.estimate is not None
        # Wilson's square-and-add may put the middle elsewhere, never the estimate outside.
        assert made.these.ci_low - 1e-9 <= made.these.estimate <= (made.these.ci_high or 0) + 1e-9


def test_one_attempt_a_task_has_an_interval_for_these_tasks() -> None:
    made = score([0, 1] * 10, [1, 1] * 10, n=1)
    assert (made.these.ci_method or "").startswith("square-and-add of Wilson")
    assert made.these.estimate == pytest.approx(50.0)


def test_unequal_attempts_are_exact_here_and_drawn_there() -> None:
    a = arm("a", [2, 3] * 8, [0, 1] * 8)
    b = arm("b", [3, 2] * 8, [2, 2] * 8)
    made = compare(a, b, endpoint="score")
    assert made.these.p_method == "exact"
    assert made.like.p_method == "monte_carlo"
    assert (made.like.n_resamples, made.like.seed is None) == (9999, False)
    assert UNEQUAL in made.like.warnings
    assert made.like.p_value is not None
    assert made.like.p_value < 0.01


def test_a_concentrated_effect_is_named() -> None:
    # Two tasks of twelve carry it: strong for these tasks, nothing for tasks like these.
    made = score([0, 0, *[0, 5] * 5], [5, 4, *[0, 5] * 5])
    assert made.these.p_value is not None
    assert made.these.p_value < 0.05 < (made.like.p_value or 0)
    assert made.concentrated_effect
    assert made.concentrated_on == ("0", "1")


def test_a_broad_effect_is_not_concentrated() -> None:
    made = score([1] * 12, [3] * 12)
    assert not made.concentrated_effect
    assert made.concentrated_on == ()
    assert made.like.ci_low is not None
    assert made.like.ci_low < 40 < (made.like.ci_high or 0)


def test_tasks_of_one_arm_only_are_dropped_and_named() -> None:
    a = arm("a", [5] * 12, [2] * 12)
    b = arm("b", [5] * 10 + [0, 0], [3] * 10 + [0, 0])
    made = compare(a, b, endpoint="score")
    assert made.dropped_tasks == ("10", "11")
    assert made.these.n_tasks == 10
    assert made.these.estimate == pytest.approx(20.0)


def test_nothing_in_common() -> None:
    made = compare(arm("a", [5, 0], [1, 0]), arm("b", [0, 5], [0, 1]), endpoint="score")
    assert made.these.status == made.like.status == "insufficient"
    assert made.these.estimate is None
    assert made.these.sentence() == "Score at b minus at a: not known (no trial)."


def test_holm_over_the_ceilings_of_one_endpoint() -> None:
    base = [1] * 12
    family = with_holm([score(base, x) for x in ([1] * 12, [2] * 12, [3] * 12)])
    raw = [made.these.p_value or 0.0 for made in family]
    assert family[2].p_holm == pytest.approx(3 * raw[2])
    assert family[1].p_holm == pytest.approx(max(2 * raw[1], 3 * raw[2]))
    assert family[0].p_holm == 1.0
    refused = with_holm([compare(toy_arm("a", 0), toy_arm("b", 0), endpoint="score")])
    assert refused[0].p_holm is None


def test_the_odds_ratio_is_a_record_with_its_assumption() -> None:
    made = score([1, 2] * 6, [3, 4] * 6)
    assert made.odds_ratio is not None
    assert made.odds_ratio.unit == "ratio"
    assert made.odds_ratio.assumptions[-1] == "the odds ratio is the same in every task"
    assert made.equal_odds is not None
