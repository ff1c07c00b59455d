"""Infra removed and new solves: the toy's numbers, and that they always add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.arrays import Arm
from analysis.decomposition import Outcome3, decompose
from tests.unit.analysis.toy import toy_arm


def toy(name: str) -> Outcome3:
    return Outcome3(solved=toy_arm(name, 0), infra=toy_arm(name, 1))


def test_toy() -> None:
    made = decompose(toy("a"), toy("b"))
    assert made.infra_removed.estimate == pytest.approx(10.0)
    assert made.new_solves.estimate == pytest.approx(10.0)
    assert [task.infra_removed for task in made.tasks] == pytest.approx([0, 0.16, 0.44, 0, 0, 0])
    assert [task.new_solves for task in made.tasks] == pytest.approx([0, 0.04, 0.16, 0, 0.2, 0.2])
    assert made.kitagawa_infra == pytest.approx(0.075833, abs=5e-7)
    assert made.kitagawa_solves == pytest.approx(0.124167, abs=5e-7)
    assert sum(sum(row) for row in made.transitions) == pytest.approx(1.0)
    assert made.infra_removed.status == "descriptive_only"


def outcomes(seed: int, name: str, *, infra: bool = True) -> Outcome3:
    generator = np.random.default_rng(seed)
    shape = (13, 2)
    n = generator.integers(1, 5, shape)
    e = generator.binomial(n, 0.3) if infra else np.zeros(shape, dtype=np.int64)
    s = generator.binomial(n - e, 0.5)
    tasks = tuple(f"t{place}" for place in range(shape[0]))
    return Outcome3(
        solved=Arm(name=name, tasks=tasks, n=n, x=s), infra=Arm(name=name, tasks=tasks, n=n, x=e)
    )


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_parts_sum_to_the_change(one: int, two: int) -> None:
    a, b = outcomes(one, "a"), outcomes(two, "b")
    made = decompose(a, b)
    rate_a, rate_b = (side.solved.x / side.solved.n for side in (a, b))
    change = (rate_b - rate_a).mean(axis=1)
    parts = np.array([task.infra_removed + task.new_solves for task in made.tasks])
    assert np.abs(parts - change).max() < 1e-15
    assert sum(sum(row) for row in made.transitions) == pytest.approx(1.0)


def test_without_infra_errors_everything_is_new_solves() -> None:
    made = decompose(outcomes(1, "a", infra=False), outcomes(2, "b", infra=False))
    assert made.infra_removed.estimate == 0.0
    assert made.infra_removed.p_value == 1.0
    assert made.infra_removed.ci_low is None
    assert "every task changed by the same" in made.infra_removed.warnings[-1] or any(
        "every task" in warning for warning in made.infra_removed.warnings
    )
    assert made.kitagawa_infra == pytest.approx(0.0)


def test_a_task_without_a_valid_attempt_has_no_kitagawa_split() -> None:
    tasks = tuple(f"t{place}" for place in range(10))
    n = np.full((10, 1), 2)
    dead = Outcome3(
        solved=Arm(name="a", tasks=tasks, n=n, x=np.zeros((10, 1), dtype=np.int64)),
        infra=Arm(name="a", tasks=tasks, n=n, x=n),
    )
    alive = Outcome3(
        solved=Arm(name="b", tasks=tasks, n=n, x=n),
        infra=Arm(name="b", tasks=tasks, n=n, x=np.zeros((10, 1), dtype=np.int64)),
    )
    made = decompose(dead, alive)
    assert made.kitagawa_infra is None
    assert made.infra_removed.estimate == pytest.approx(100.0)
    assert made.infra_removed.p_value == pytest.approx(2 / 2**10)


def test_equal_attempts_give_an_exact_sign_flip_test() -> None:
    made = decompose(toy("a"), toy("b"))
    assert made.infra_removed.n_tasks_informative == 2
    assert made.infra_removed.min_attainable_p == pytest.approx(0.5)
    drawn = decompose(outcomes(1, "a"), outcomes(2, "b"))
    assert drawn.new_solves.p_method == "monte_carlo"


def test_nothing_in_common() -> None:
    a = outcomes(1, "a")
    empty = Arm(name="b", tasks=a.solved.tasks, n=0 * a.solved.n, x=0 * a.solved.x)
    made = decompose(a, Outcome3(solved=empty, infra=empty))
    assert made.new_solves.status == "insufficient"
    assert made.transitions == ()
    assert made.kitagawa_infra is None
