"""How often a test says "different" where nothing is: 5% at most, over thousands of sweeps."""

import numpy as np
import pytest

from analysis.arrays import IntArray, arm
from analysis.exact import strat_exact_counts
from analysis.signflip import signflip_exact
from analysis.trend import trend_test

RUNS = 4_000
TASKS, ATTEMPTS = 40, 5
pytestmark = pytest.mark.slow


def null_sweeps(seed: int, arms: int) -> IntArray:
    """Passes (runs, arms, tasks) of tasks whose chances are U-shaped and the same in all arms."""
    generator = np.random.default_rng(seed)
    # Beta(.235, .235): within-task correlation .68, as public data has.
    chance = generator.beta(0.235, 0.235, (RUNS, 1, TASKS))
    return generator.binomial(ATTEMPTS, chance, (RUNS, arms, TASKS)).astype(np.int64)


def test_exact_and_sign_flip_hold_their_level() -> None:
    n = np.full(TASKS, ATTEMPTS)
    false_alarms = np.zeros(3)
    for x_a, x_b in null_sweeps(1, 2):
        exact, flips = strat_exact_counts(x_a, n, x_b, n), signflip_exact(x_b - x_a)
        false_alarms += [exact.p_value <= 0.05, flips.p_value <= 0.05, exact.mid_p <= 0.05]
    exact_rate, flips_rate, mid_rate = false_alarms / RUNS
    assert 0.02 < exact_rate <= 0.055
    assert 0.02 < flips_rate <= 0.055
    assert exact_rate <= mid_rate <= 0.06


def test_the_exact_test_must_not_be_used_to_generalise() -> None:
    # Task effects of mean zero: 12% of the tasks flip. The sign-flip test is right about
    # tasks like these; the exact one is about these tasks, in which something did change.
    generator = np.random.default_rng(2)
    n, runs = np.full(89, ATTEMPTS), 600
    false_alarms = np.zeros(2)
    for _ in range(runs):
        chance = generator.beta(0.235, 0.235, 89)
        flipped = generator.random(89) < 0.12
        other = np.where(flipped, 1 - chance, chance)
        x_a, x_b = generator.binomial(ATTEMPTS, chance), generator.binomial(ATTEMPTS, other)
        exact, flips = strat_exact_counts(x_a, n, x_b, n), signflip_exact(x_b - x_a)
        false_alarms += [exact.p_value <= 0.05, flips.p_value <= 0.05]
    assert false_alarms[0] / runs > 0.12
    assert false_alarms[1] / runs < 0.075


def test_rare_events_leave_the_exact_test_conservative() -> None:
    generator = np.random.default_rng(3)
    n = np.full(TASKS, ATTEMPTS)
    false_alarms = np.zeros(2)
    for _ in range(RUNS):
        chance = generator.beta(0.063, 2.94, TASKS)
        x_a, x_b = generator.binomial(ATTEMPTS, chance), generator.binomial(ATTEMPTS, chance)
        test = strat_exact_counts(x_a, n, x_b, n)
        false_alarms += [test.p_value <= 0.05, test.mid_p <= 0.05]
    assert false_alarms[0] / RUNS <= 0.03
    assert false_alarms[0] < false_alarms[1] <= 0.055 * RUNS


def test_the_trend_holds_its_level() -> None:
    runs, beyond = 1_000, 0
    for passes in null_sweeps(4, 4)[:runs]:
        arms = [arm(str(place), [ATTEMPTS] * TASKS, x) for place, x in enumerate(passes)]
        beyond += trend_test(arms).p_value <= 0.05
    assert 0.03 < beyond / runs <= 0.065
