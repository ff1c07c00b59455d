"""Q1 on the toy sweep, and which interval is used when."""

import numpy as np
import pytest

from analysis.arrays import Arm, arm
from analysis.cells import Cell, Outcomes
from analysis.errors import QuestionError
from analysis.grid import make_grid
from analysis.intervals import clopper_pearson
from analysis.rates import condition_rates, rate
from analysis.result import Frame
from analysis.spread import (
    clustered_standard_error,
    fixed_standard_error,
    within_task_correlation,
)
from tests.unit.analysis.toy import TOY_A, cells_of, toy_arm, toy_grid

RARE_METHODS: dict[Frame, str] = {"these_tasks": "Clopper", "tasks_like_these": "Korn"}


def test_toy_scores() -> None:
    a, b = (condition_rates(toy_grid(), name) for name in "ab")
    assert a.score.estimate == pytest.approx(0.366667, abs=5e-7)
    assert b.score.estimate == pytest.approx(0.566667, abs=5e-7)
    assert a.infra.estimate == pytest.approx(0.2)
    assert b.infra.estimate == pytest.approx(0.033333, abs=5e-7)
    assert a.score_excl_pooled == pytest.approx(0.458333, abs=5e-7)
    assert b.score_excl_pooled == pytest.approx(0.586207, abs=5e-7)
    assert a.score_excl_task_std.estimate == pytest.approx(0.441667, abs=5e-7)
    assert b.score_excl_task_std.estimate == pytest.approx(0.6)
    assert a.score_if_infra_failed == pytest.approx(0.3667, abs=5e-5)
    assert a.score_if_infra_solved == pytest.approx(0.5667, abs=5e-5)


def test_toy_standard_errors() -> None:
    a, b = toy_arm("a", 0), toy_arm("b", 0)
    assert clustered_standard_error(a) == pytest.approx(0.158465, abs=5e-7)
    assert clustered_standard_error(b) == pytest.approx(0.158465, abs=5e-7)
    assert fixed_standard_error(a) == pytest.approx(0.066667, abs=5e-7)
    assert fixed_standard_error(b) == pytest.approx(0.070711, abs=5e-7)
    assert within_task_correlation(a) == pytest.approx(0.481865, abs=5e-7)
    assert within_task_correlation(b) == pytest.approx(0.445813, abs=5e-7)


def test_six_tasks_are_described_and_not_tested() -> None:
    made = condition_rates(toy_grid(), "a")
    for result in (made.score, made.score_like, made.infra, made.infra_like):
        assert result.status == "descriptive_only"
        assert result.reasons == ("6 tasks of at least 10 that a test needs",)
        assert result.ci_low is not None
    assert condition_rates(toy_grid(times=2), "a").score.status == "ok"


def mixed(passes: int, *, tasks: int = 20, attempts: int = 5) -> Arm:
    """Tasks of which all have ``passes`` passes."""
    return arm("m", [attempts] * tasks, [passes] * tasks)


def test_each_frame_takes_its_interval() -> None:
    varied = arm("m", [5] * 40, [0, 1, 2, 3, 4, 5, 5, 3] * 5)
    these = rate(varied, frame="these_tasks", question="q", estimand="e")
    like = rate(varied, frame="tasks_like_these", question="q", estimand="e")
    assert these.ci_method == "normal, SE within tasks"
    assert like.ci_method == "t, tasks as clusters"
    assert these.estimate == pytest.approx(like.estimate)
    assert these.ci_high is not None
    assert like.ci_high is not None
    assert these.ci_high < like.ci_high
    rare = rate(varied, frame="these_tasks", question="q", estimand="e", rare=True)
    assert rare.ci_method == "Clopper-Pearson"
    rare = rate(varied, frame="tasks_like_these", question="q", estimand="e", rare=True)
    assert rare.ci_method == "Korn-Graubard"


@pytest.mark.parametrize("events", [3, 197])
def test_few_events_or_few_misses_are_rare(events: int) -> None:
    n, x = [5] * 40, np.zeros(40, dtype=np.int64)
    x[:] = 5 if events > 100 else 0
    x[:3] += -1 if events > 100 else 1
    for frame, method in RARE_METHODS.items():
        made = rate(arm("m", n, x), frame=frame, question="q", estimand="e")
        assert (made.ci_method or "").startswith(method)


def test_one_attempt_a_task_falls_back_to_wilson() -> None:
    single = arm("m", [1] * 60, [1, 0] * 30)
    made = rate(single, frame="these_tasks", question="q", estimand="e")
    assert made.ci_method == "Wilson"
    assert made.estimate == pytest.approx(0.5)


def test_all_or_nothing_tasks_have_an_interval_too() -> None:
    split = arm("m", [5] * 60, [5, 0] * 30)
    made = rate(split, frame="these_tasks", question="q", estimand="e")
    assert made.ci_method == "Wilson"
    assert made.ci_low is not None
    assert made.ci_high is not None
    assert made.ci_low < 0.5 < made.ci_high


def test_equal_tasks_do_not_give_a_certain_rate() -> None:
    made = rate(mixed(2), frame="tasks_like_these", question="q", estimand="e")
    assert made.ci_method == "Korn-Graubard"
    assert made.ci_low is not None
    assert made.ci_low < 0.4 < (made.ci_high or 0)


def test_no_infra_error_has_an_upper_limit() -> None:
    grid = make_grid(
        cells_of({("x", "c"): [(3, 0, 2)] * 12, ("y", "c"): [(1, 0, 4)] * 12}), conditions=["c"]
    )
    made = condition_rates(grid, "c")
    assert made.infra.estimate == 0.0
    assert made.infra.ci_high == pytest.approx(clopper_pearson(0, 120).high)
    assert made.infra_like.ci_high is not None
    assert made.infra_like.ci_high > clopper_pearson(0, 120).high


def test_agents_weigh_the_same_within_a_task() -> None:
    cells = cells_of({("x", "c"): [(4, 0, 0)] * 12, ("y", "c"): [(0, 0, 1)] * 12})
    made = condition_rates(make_grid(cells, conditions=["c"]), "c")
    assert made.score.estimate == pytest.approx(0.5)
    assert made.score_like.estimate == pytest.approx(0.8)
    assert any("attempts differ" in warning for warning in made.score.warnings)
    alone = condition_rates(make_grid(cells, conditions=["c"]), "c", agents=["y"])
    assert alone.score.estimate == 0.0


def test_a_task_without_a_valid_attempt_is_named_and_left_out() -> None:
    rows = [*TOY_A, (0, 5, 0)]
    made = condition_rates(make_grid(cells_of({("x", "c"): rows}), conditions=["c"]), "c")
    assert made.tasks_without_valid_attempt == ("task06",)
    assert made.score_excl_task_std.estimate == pytest.approx(0.441667, abs=5e-7)
    assert made.score_excl_task_std.n_tasks == 6


def test_nothing_but_infra_errors() -> None:
    cells = cells_of({("x", "c"): [(0, 2, 0)] * 12})
    made = condition_rates(make_grid(cells, conditions=["c"]), "c")
    assert made.score_excl_pooled is None
    assert made.score_excl_task_std.status == "insufficient"
    assert made.infra.estimate == 1.0


def test_infra_rate_by_confidence_adds_up() -> None:
    outcomes = Outcomes(infra=1, suspect=1, fail=2, passed=1, certain=1, likely=1)
    cells = [
        Cell(sweep="s", model=None, agent="x", task=f"t{i}", condition="c", outcomes=outcomes)
        for i in range(3)
    ]
    made = condition_rates(make_grid(cells, conditions=["c"]), "c").infra_by_confidence
    assert (made.certain, made.likely, made.possible) == pytest.approx((0.2, 0.4, 0.4))


def test_an_unknown_name_is_refused_with_those_known() -> None:
    with pytest.raises(QuestionError, match="no such condition; use one of a, b"):
        condition_rates(toy_grid(), "c")
    with pytest.raises(QuestionError, match="no such agent"):
        condition_rates(toy_grid(), "a", agents=["nobody"])


def test_correlation_is_undefined_where_nothing_varies() -> None:
    assert within_task_correlation(arm("m", [1] * 5, [1, 0, 1, 0, 1])) is None
    assert within_task_correlation(arm("m", [5] * 5, [0] * 5)) is None
    assert clustered_standard_error(arm("m", [5], [2])) is None
    assert fixed_standard_error(arm("m", [5, 1], [2, 0])) is None
