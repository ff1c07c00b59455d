"""Rows from the store's answers: outcomes only, with how often each trial was tried."""

from dataclasses import fields

import pytest

from analysis.dataset import analyse_sweep, judge_try, judged_trials, trial_rows
from analysis.errors import NoTrialsError
from analysis.verdicts.reading import policy_v1
from store.answers import Table
from store.reader import Reader
from store.rows import Evidence, SweepRow, TrialRow, TryRow


def ended(task: str, *, condition: str = "1x", outcome: bool = True, **facts: object) -> TryRow:
    """An ended try with the given evidence."""
    return TryRow(
        sweep="s1",
        trial=f"{task}-{condition}",
        try_no=1,
        task=task,
        agent="brute",
        model=None,
        condition=condition,
        attempt=1,
        block=0,
        host="h",
        stands=outcome,
        outcome=outcome,
        started_t_us=0,
        finished_t_us=1,
        duration_s=1.0,
        how="completed",
        reward=None,
        spec_memory_bytes=None,
        ceiling_bytes=None,
        ceiling_multiple=None,
        parent_cap_bytes=None,
        peak_bytes=None,
        kills=1,
        kill_phase="agent",
        kill_command="python3 fit.py",
        kill_victim="python3",
        evidence=Evidence(**facts),  # type: ignore[arg-type]  # names are the test's own
    )


SWEEP = SweepRow(
    sweep="s1",
    name="ceilings",
    digest="d",
    seed=7,
    trials=2,
    attempts=1,
    conditions=["1x", "3x"],
    agents=["thrifty", "brute"],
    tasks=["sort"],
    oom_scope="sandbox",
    timezone="UTC",
    dataset=None,
    harness="barograph",
    product_version="0",
    planned_t_us=0,
    campaigns=1,
    concurrency=1,
    first_started_t_us=0,
    finished_t_us=None,
    finished_reason=None,
    standing=2,
    tries=3,
)


class Canned:
    """Answers the two questions about trials and tries with given rows."""

    def __init__(self, tries: list[TryRow], trials: list[TrialRow]) -> None:
        self._tries, self._trials = tries, trials

    def ask(self, sql: str) -> Table:
        if "FROM trial" in sql:
            names = tuple(field.name for field in fields(TrialRow))
            return Table(
                names, [tuple(getattr(row, name) for name in names) for row in self._trials]
            )
        whole = tuple(field.name for field in fields(TryRow) if field.name != "evidence")
        facts = tuple(field.name for field in fields(Evidence))
        return Table(
            (*whole, *facts),
            [
                (
                    *(getattr(row, name) for name in whole),
                    *(getattr(row.evidence, name) for name in facts),
                )
                for row in self._tries
            ],
        )


def begun(trial: str, tries: int) -> TrialRow:
    return TrialRow(
        sweep="s1",
        trial=trial,
        task="sort",
        agent="brute",
        model=None,
        condition="1x",
        attempt=1,
        tries=tries,
        standing_try=1,
        latest_try=tries,
        latest_started_t_us=0,
        latest_how="completed",
        reward=None,
    )


def test_a_sweep_is_read_judged_and_analysed() -> None:
    tries = [
        ended("sort", oom_group_kill=1, oom_kill=3, oom_phase="agent"),
        ended("sort", condition="3x", passed=True, verifier_ran=True),
    ]
    reader = Reader(Canned(tries, [begun("sort-1x", 2), begun("sort-3x", 1)]))
    judged = judged_trials(reader, "s1", policy_v1())
    assert [entry.verdict.cause for entry in judged] == ["oom_container", "none"]
    assert judged[0].row.oom_phase == "agent"
    assert judged[0].row.oom_command == "python3 fit.py"
    made = analyse_sweep(SWEEP, judged)
    assert made.conditions == ("1x", "3x")
    assert made.agents == ("thrifty", "brute")
    assert (made.n_trials, made.retries) == (2, 1)


def test_tries_that_are_no_outcome_are_left_out() -> None:
    rows = trial_rows([ended("a", outcome=False), ended("b")], {})
    assert [row.task for row in rows] == ["b"]
    assert rows[0].tries == 1


def test_any_try_can_be_judged() -> None:
    cancelled = ended("a", outcome=False, cancelled_by_operator=True)
    assert judge_try(policy_v1(), cancelled).cause == "cancelled"


def test_a_sweep_without_outcomes_says_so() -> None:
    with pytest.raises(NoTrialsError):
        analyse_sweep(SWEEP, [])
