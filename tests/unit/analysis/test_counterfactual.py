"""Would the killed trials have failed anyway: identities, refusals, simulated coverage."""

import numpy as np
import pytest

from analysis.arrays import Arm, FloatArray, arm
from analysis.counterfactual import failed_anyway
from analysis.intervals import clopper_pearson


def pair(kills: list[int], solved: list[int], n: int = 5) -> tuple[Arm, Arm]:
    return arm("1x", [n] * len(kills), kills), arm("uncapped", [n] * len(solved), solved)


def test_the_share_weighs_each_kill_by_what_its_task_does_with_room() -> None:
    killed, solved = pair([4, 1, 0], [0, 5, 5])
    made = failed_anyway(killed, solved)
    assert made.kills == 5
    assert made.these.estimate == pytest.approx(0.8)
    assert made.these.n_tasks == 2
    assert made.these.p_value is None
    assert "would have failed at uncapped too: 80.0%" in made.these.sentence()


@pytest.mark.parametrize(("solved", "share"), [([0] * 12, 1.0), ([5] * 12, 0.0)])
def test_all_and_none_have_an_interval(solved: list[int], share: float) -> None:
    made = failed_anyway(*pair([2] * 12, solved))
    assert made.these.estimate == share
    for result in (made.these, made.like):
        assert result.ci_low is not None
        assert result.ci_high is not None
        assert 0.05 < result.ci_high - result.ci_low < 0.5


def test_few_attempts_at_b_bound_what_many_kills_can_tell() -> None:
    many = failed_anyway(arm("1x", [5] * 12, [5] * 12), arm("free", [5] * 12, [0] * 12))
    few = failed_anyway(arm("1x", [5] * 12, [5] * 12), arm("free", [2] * 12, [0] * 12))
    assert many.kills == few.kills == 60
    assert few.these.ci_low == pytest.approx(clopper_pearson(24, 24).low)
    assert many.these.ci_low == pytest.approx(clopper_pearson(60, 60).low)


def test_one_attempt_shows_no_spread_and_still_has_an_interval() -> None:
    kills, solved = [1] * 20, [0, 1] * 10
    made = failed_anyway(*pair(kills, solved, n=1))
    assert made.these.estimate == pytest.approx(0.5)
    assert made.these.ci_low == pytest.approx(clopper_pearson(10, 20).low)


def test_tasks_that_all_fail_alike_still_have_an_interval() -> None:
    made = failed_anyway(*pair([2] * 12, [3] * 12, n=6))
    assert made.like.ci_low is not None
    assert made.like.ci_high is not None
    assert made.like.ci_low < 0.4
    assert made.like.ci_high > 0.6


def test_no_kill_is_no_estimate() -> None:
    made = failed_anyway(*pair([0] * 12, [3] * 12))
    assert made.these.status == "insufficient"
    assert "no kill by the ceiling at 1x" in made.these.reasons
    assert made.these.estimate is None


def test_one_task_says_nothing_about_tasks_like_it() -> None:
    made = failed_anyway(*pair([3, 0, 0], [2, 5, 5]))
    assert made.these.ci_low is not None
    assert made.like.ci_low is None
    assert made.like.status == "descriptive_only"


def test_kills_of_tasks_without_attempts_at_b_are_left_out() -> None:
    killed = arm("1x", [5, 5], [2, 2])
    made = failed_anyway(killed, arm("uncapped", [5, 0], [5, 0]))
    assert made.kills == 2
    assert made.these.estimate == 0.0


def draw(generator: np.random.Generator, shape: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    """Chances of a kill at a and of failing at b for each task and agent."""
    killable = generator.random(shape) < 0.5
    kill = np.where(killable, generator.beta(1, 2, shape), 0.0)
    return kill, generator.beta(0.4, 0.4, shape)


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "agents", "attempts"), [(12, 2, 2), (12, 2, 5), (89, 1, 5)])
def test_counterfactual_coverage(tasks: int, agents: int, attempts: int) -> None:
    generator = np.random.default_rng(7)
    shape, runs = (tasks, agents), 400
    names, n = tuple(str(place) for place in range(tasks)), np.full(shape, attempts)
    many = [draw(generator, shape) for _ in range(2000)]
    weight, failing = (np.concatenate([pair[i] for pair in many]) for i in (0, 1))
    truth_like = float((weight * failing).sum() / weight.sum())
    covered = np.zeros(2)
    for _ in range(runs):
        kill, fail = draw(generator, shape)
        killed = Arm(name="a", tasks=names, n=n, x=generator.binomial(attempts, kill))
        solved = Arm(name="b", tasks=names, n=n, x=generator.binomial(attempts, 1 - fail))
        made = failed_anyway(killed, solved)
        truth = float((kill * fail).sum() / kill.sum())
        for place, (result, value) in enumerate(((made.these, truth), (made.like, truth_like))):
            low, high = result.ci_low or 0.0, 1.0 if result.ci_high is None else result.ci_high
            covered[place] += low <= value <= high
    assert covered.min() / runs >= 0.94
