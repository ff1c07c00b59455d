"""Failures grouped by cause, phase, task and command."""

from analysis.failures import group_failures
from analysis.plain import to_plain
from analysis.rows import judge_rows
from analysis.verdicts.reading import policy_v1
from tests.unit.analysis.toy import CHILD_KILLED, FAILED, KILLED, PASSED, trial

ROWS = [
    trial("bayes", "1x", 1, KILLED, command="python3 fit.py --all"),
    trial("bayes", "1x", 2, KILLED, command="python3 fit.py --all"),
    trial("sort", "1x", 1, KILLED, command="sort big"),
    trial("sort", "3x", 1, CHILD_KILLED, command="sort big", agent="thrifty"),
    trial("sort", "3x", 2, FAILED),
    trial("sort", "uncapped", 1, PASSED),
    trial("sort", "uncapped", 2, {**PASSED, "oom_kill": 1, "oom_phase": "agent"}, command="x"),
    trial("sort", "uncapped", 3, {"cancelled_by_operator": True}),
]


def test_groups() -> None:
    made = group_failures(judge_rows(policy_v1(), ROWS))
    assert (made.trials, made.failed, made.excluded, made.passed_with_kill) == (8, 5, 1, 1)
    causes = [(group.cause, group.trials) for group in made.by_cause]
    assert causes == [("oom_container", 3), ("model_failure", 1), ("oom_child", 1)]
    first = made.by_cause[0]
    assert first.share == 0.6
    assert [(group.key, group.trials) for group in first.by_task] == [("bayes", 2), ("sort", 1)]
    assert [group.key for group in first.by_command] == ["python3 fit.py --all", "sort big"]
    assert [group.key for group in first.by_phase] == ["agent"]
    assert first.by_phase[0].share == 1.0
    assert [(group.key, group.trials) for group in first.by_condition] == [("1x", 3)]
    assert first.examples == ("brute-bayes-1x-1", "brute-sort-1x-1")
    assert [(group.key, group.trials) for group in made.by_phase] == [("agent", 4), (None, 1)]
    assert [(group.key, group.trials) for group in made.by_command] == [
        ("python3 fit.py --all", 2),
        ("sort big", 2),
        (None, 1),
    ]


def test_the_order_of_rows_does_not_matter_but_for_examples() -> None:
    there = group_failures(judge_rows(policy_v1(), ROWS))
    back = group_failures(judge_rows(policy_v1(), ROWS[::-1]))
    assert there.by_task == back.by_task
    assert [group.trials for group in there.by_cause] == [group.trials for group in back.by_cause]


def test_nothing_failed() -> None:
    made = group_failures(judge_rows(policy_v1(), [trial("t", "1x", 1, PASSED)]))
    assert made.failed == 0
    assert made.by_cause == ()
    assert made.by_task == ()
    assert isinstance(to_plain(made), dict)
