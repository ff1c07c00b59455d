"""From judged rows to counts: nothing lost, nothing twice, each treatment adds up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cells import Outcomes, tally
from analysis.errors import NoTrialsError, QuestionError, RowsError
from analysis.grid import make_grid
from analysis.rows import TrialRow, judge_rows
from analysis.verdicts.reading import policy_v1
from tests.unit.analysis.toy import CHILD_KILLED, FAILED, KILLED, PASSED, trial

KINDS = {
    "passed": PASSED,
    "infra": KILLED,
    "fail": FAILED,
    "timeout": {"timed_out": True},
    "suspect": CHILD_KILLED,
    "timeout_infra": {"timed_out": True, "psi_mem_full_frac": 0.5},
    "excluded": {"cancelled_by_operator": True, **KILLED},
}


@given(st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(0, 2)), max_size=40))
def test_counts_are_disjoint_and_complete(drawn: list[tuple[str, int]]) -> None:
    rows = [
        trial(f"t{task}", "1x", attempt, KINDS[kind]) for attempt, (kind, task) in enumerate(drawn)
    ]
    total = sum((cell.outcomes for cell in tally(judge_rows(policy_v1(), rows))), Outcomes())
    for kind in KINDS:
        assert getattr(total, kind) == sum(one == kind for one, _ in drawn)
    assert total.n + total.excluded == len(drawn)
    headline, sensitive = total.infra_errors(), total.infra_errors("sensitivity")
    assert headline == total.infra
    assert sensitive == total.infra + total.suspect + total.timeout_infra
    assert total.certain + total.likely + total.possible == sensitive
    assert total.killed == total.infra + total.suspect


def test_a_trial_twice_is_refused() -> None:
    rows = [trial("t", "1x", 1, PASSED), trial("t", "1x", 1, FAILED)]
    with pytest.raises(RowsError, match="a trial appears twice"):
        tally(judge_rows(policy_v1(), rows))


def test_retries_are_a_number_beside_the_rates() -> None:
    row = trial("t", "1x", 1, PASSED)
    again = TrialRow(
        sweep=row.sweep,
        trial="x",
        task="t",
        agent=row.agent,
        condition="1x",
        attempt=2,
        evidence=PASSED,
        tries=3,
    )
    (cell,) = tally(judge_rows(policy_v1(), [row, again]))
    assert cell.outcomes.n == 2
    assert cell.outcomes.retries == 2


def test_an_agent_with_two_models_is_two_contestants() -> None:
    rows = [
        TrialRow(
            sweep="s",
            trial=model,
            task="t",
            agent="a",
            model=model,
            condition="1x",
            attempt=1,
            evidence=PASSED,
        )
        for model in ("m1", "m2")
    ]
    cells = tally(judge_rows(policy_v1(), rows))
    assert [cell.contestant for cell in cells] == ["a (m1)", "a (m2)"]
    assert rows[0].contestant == "a (m1)"


def test_equal_evidence_is_judged_alike() -> None:
    rows = [trial("t", "1x", attempt, dict(FAILED)) for attempt in range(3)]
    assert len({id(entry.verdict) for entry in judge_rows(policy_v1(), rows)}) == 1


def test_grids_refuse_what_is_not_listed() -> None:
    cells = tally(judge_rows(policy_v1(), [trial("t", "1x", 1, PASSED)]))
    with pytest.raises(NoTrialsError, match="no trial has ended yet"):
        make_grid([], conditions=["1x"])
    with pytest.raises(QuestionError, match="condition not listed"):
        make_grid(cells, conditions=["3x"])
    with pytest.raises(QuestionError, match="agent not listed"):
        make_grid(cells, conditions=["1x"], agents=["thrifty"])
    grid = make_grid(cells, conditions=["1x", "3x"], agents=["thrifty", "brute"])
    assert grid.n.shape == (1, 2, 2)
    assert int(grid.n.sum()) == 1
