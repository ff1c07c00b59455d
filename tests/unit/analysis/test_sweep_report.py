"""A whole sweep: the tables agree with each other, and the words with the tables."""

import random
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import pytest

from analysis.cells import tally
from analysis.errors import NoTrialsError, QuestionError, RowsError
from analysis.plain import to_json
from analysis.result import Result
from analysis.rows import judge_rows
from analysis.sweep_report import SweepAnalysis, analyse, analyse_cells
from analysis.verdicts.reading import policy_v1
from tests.unit.analysis.sweeps import CEILINGS, drawn_rows, judged_sweep
from tests.unit.analysis.toy import CHILD_KILLED, FAILED, PASSED, cells_of, trial

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(scope="module")
def made() -> SweepAnalysis:
    return analyse(judged_sweep(1), conditions=CEILINGS)


def test_the_table_holds_every_trial(made: SweepAnalysis) -> None:
    assert made.n_trials == 288
    assert [row.condition for row in made.table] == list(CEILINGS)
    for row in made.table:
        assert row.n == 48
        assert sum(agent.rates.score.n_trials for agent in row.agents) == 48
        assert row.outcomes.passed + row.outcomes.infra + row.outcomes.fail == 48
        assert row.rates.score.estimate == pytest.approx(row.outcomes.passed / 48)
        assert row.rates.infra.estimate == pytest.approx(row.outcomes.infra / 48)


def test_each_other_ceiling_is_compared_with_the_reference_in_one_family(
    made: SweepAnalysis,
) -> None:
    assert made.reference == "1x"
    assert made.table[0].score_change is None
    assert made.table[0].infra_change is None
    for row in made.table[1:]:
        for change in (row.score_change, row.infra_change):
            assert change is not None
            assert (change.a, change.b) == ("1x", row.condition)
            assert change.p_holm is not None
            assert change.p_holm >= (change.these.p_value or 0)
        for agent in row.agents:
            assert agent.score_change is not None
            assert agent.score_change.agents == (agent.agent,)


def test_the_curve_of_infra_errors_falls(made: SweepAnalysis) -> None:
    assert made.infra_trend is not None
    assert made.infra_trend.these.p_value is not None
    assert made.infra_trend.these.p_value < 0.001
    assert made.verdict.startswith("Infra errors fall from ")
    assert "trend over all ceilings p < .001" in made.verdict


def test_the_ranking_is_that_of_the_scores(made: SweepAnalysis) -> None:
    for ranking, row in zip(made.ranking, made.table, strict=True):
        scores = {agent.agent: agent.rates.score.estimate for agent in row.agents}
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
        assert dict(zip(ranking.order, ranking.scores, strict=True)) == scores
        assert len(ranking.gaps) == 1


def test_steps_add_up_to_the_whole_way(made: SweepAnalysis) -> None:
    assert [(step.a, step.b) for step in made.steps[:5]] == list(pairwise(CEILINGS))
    assert (made.steps[5].a, made.steps[5].b) == ("1x", "uncapped")
    total = sum(
        (step.infra_removed.estimate or 0) + (step.new_solves.estimate or 0)
        for step in made.steps[:5]
    )
    change = made.table[-1].score_change
    assert change is not None
    assert total == pytest.approx(change.these.estimate)


def test_kills_are_asked_about_at_every_ceiling_that_killed(made: SweepAnalysis) -> None:
    together = [item for item in made.failed_anyway if len(item.agents) == 2]
    killing = [row.condition for row in made.table[:-1] if row.outcomes.killed]
    assert [item.a for item in together] == killing
    assert {item.b for item in made.failed_anyway} == {"uncapped"}
    assert f"Of {together[0].kills} trials that the ceiling killed at 1x" in " ".join(
        made.statements
    )


def test_flips_count_every_task(made: SweepAnalysis) -> None:
    for table in made.flips:
        assert table.gained + table.lost + table.unchanged == 12


def test_the_order_of_rows_changes_nothing(made: SweepAnalysis) -> None:
    rows = drawn_rows(1)
    random.Random(4).shuffle(rows)
    again = analyse(judge_rows(policy_v1(), rows), conditions=CEILINGS)
    assert to_json(again) == to_json(made)


def test_no_suspect_no_sensitivity(made: SweepAnalysis) -> None:
    assert made.sensitivity == ()
    assert "No trial is a suspect, so the classification changes nothing." in made.statements


def results(value: object) -> list[Result]:
    """Every result record anywhere in an analysis."""
    if isinstance(value, Result):
        return [value]
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return [found for item in items for found in results(item)]
    slots = getattr(value, "__slots__", ())
    return [found for name in slots for found in results(getattr(value, name))]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("tasks", "attempts"), [(1, 1), (3, 2), (12, 1), (14, 3)])
def test_any_sweep_gives_records_and_sentences(seed: int, tasks: int, attempts: int) -> None:
    made = analyse(judged_sweep(seed, tasks=tasks, attempts=attempts), conditions=CEILINGS)
    found = results(made)
    assert len(found) > 100
    for result in found:
        sentence = result.sentence()
        assert "nan" not in sentence
        assert "None" not in sentence
        if tasks < 10:
            assert result.p_value is None
            assert result.status != "ok"
    assert made.verdict.endswith(".")
    assert "None" not in made.verdict
    if tasks < 10:
        assert "not tested" in made.verdict
        assert "p =" not in made.verdict
        assert made.guards
    to_json(made)


def test_a_sweep_under_way_is_analysed_as_far_as_it_is() -> None:
    rows = [row for row in drawn_rows(1) if row.condition in {"1x", "3x"}][:70]
    made = analyse(judge_rows(policy_v1(), rows), conditions=CEILINGS)
    assert made.n_trials == 70
    assert made.table[1].rates.score.status == "insufficient"
    assert made.table[5].score_change is not None
    assert made.table[5].score_change.these.status == "insufficient"
    assert "cannot be compared" in made.verdict
    assert any("attempts differ" in guard for guard in made.guards)
    to_json(made)


def test_one_ceiling_and_one_agent() -> None:
    rows = [trial(f"t{i}", "1x", 1, PASSED if i % 3 else FAILED) for i in range(12)]
    made = analyse(judge_rows(policy_v1(), rows), conditions=["1x"])
    assert made.infra_trend is None
    assert made.interactions == ()
    assert made.verdict == (
        "Infra errors are 0.0% at 1x; there is no other ceiling to compare 1x with."
    )


def test_three_agents_tell_the_clearest_reversal() -> None:
    flat = [(2, 0, 2)] * 12
    low, high = [(0, 0, 4)] * 12, [(4, 0, 0)] * 12
    cells = cells_of(
        {
            ("flat", "1x"): flat,
            ("flat", "free"): flat,
            ("up", "1x"): low,
            ("up", "free"): high,
            ("down", "1x"): high,
            ("down", "free"): low,
        }
    )
    made = analyse_cells(cells, conditions=["1x", "free"])
    assert len(made.interactions) == 3
    assert "the ranking differs" in made.verdict
    assert "would come about less than once in 1,000 (p < .001)" in made.verdict
    assert made.ranking[0].order == ("down", "flat", "up")
    assert made.ranking[1].order == ("up", "flat", "down")


def test_equality_is_never_claimed() -> None:
    same = [(2, 0, 2), (4, 0, 0), (0, 0, 4)] * 4
    made = analyse_cells(cells_of({("x", "1x"): same, ("x", "3x"): same}), conditions=["1x", "3x"])
    assert "not distinguishable from no change, which is no proof that nothing changes" in (
        made.verdict
    )
    assert "within noise" not in made.verdict


def test_suspects_are_counted_each_way() -> None:
    rows = [
        trial(f"t{task:02}", condition, attempt, evidence)
        for task in range(12)
        for condition, evidence in (("1x", CHILD_KILLED), ("3x", FAILED))
        for attempt in (1, 2, 3)
    ]
    made = analyse(judge_rows(policy_v1(), rows), conditions=["1x", "3x"])
    assert [row.suspects for row in made.sensitivity] == [36, 0]
    assert made.table[0].rates.infra.estimate == 0.0
    assert made.sensitivity[0].infra.estimate == 1.0
    assert made.table[0].rates.infra_by_confidence.likely == 1.0
    assert "36 suspects counted as infra errors would turn the finding on infra errors at 3x." in (
        made.statements
    )


def test_excluded_and_retried_trials_are_said() -> None:
    rows = [*drawn_rows(1), trial("task000", "1x", 9, {"cancelled_by_operator": True})]
    made = analyse(judge_rows(policy_v1(), rows), conditions=CEILINGS)
    assert (made.n_trials, made.excluded, made.retries) == (288, 1, 0)


def test_wrong_questions_are_refused() -> None:
    judged = judged_sweep(1, tasks=2, attempts=1)
    with pytest.raises(QuestionError, match="no such ceiling; use one of 1x"):
        analyse(judged, conditions=CEILINGS, reference="4x")
    with pytest.raises(QuestionError, match="condition not listed"):
        analyse(judged, conditions=["1x"])
    with pytest.raises(NoTrialsError, match="no trial has ended yet"):
        analyse([], conditions=CEILINGS)
    cells = [*tally(judged), *cells_of({("x", "1x"): [(1, 0, 0)]})]
    other = [cells[0], *cells_of({("x", "1x"): [(1, 0, 0)]})]
    object.__setattr__(other[0], "sweep", "another")
    with pytest.raises(RowsError, match="several sweeps"):
        analyse_cells(other, conditions=CEILINGS)


def test_another_reference() -> None:
    made = analyse(judged_sweep(1), conditions=CEILINGS, reference="3x")
    assert made.table[3].score_change is None
    assert made.table[0].score_change is not None
    assert made.table[0].score_change.a == "3x"
    assert (made.steps[-1].a, made.steps[-1].b) == ("3x", "uncapped")
