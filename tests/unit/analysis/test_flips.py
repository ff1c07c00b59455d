"""The table of tasks that changed."""

import pytest

from analysis.arrays import arm
from analysis.flips import flips


def test_changed_tasks_largest_gain_first() -> None:
    made = flips(arm("1x", [5] * 5, [0, 5, 2, 3, 1]), arm("3x", [5] * 5, [5, 0, 2, 4, 1]))
    assert [(row.task, row.was, row.now) for row in made.changed] == [
        ("0", "never", "always"),
        ("3", "sometimes", "sometimes"),
        ("1", "always", "never"),
    ]
    assert (made.gained, made.lost, made.unchanged) == (2, 1, 2)
    first = made.changed[0]
    assert first.change_points == pytest.approx(100.0)
    assert (first.passed_a, first.attempts_a, first.passed_b, first.attempts_b) == (0, 5, 5, 5)
    # Fisher's exact test of 0/5 against 5/5, and Benjamini-Hochberg over five tasks.
    assert first.p_value == pytest.approx(2 / 252)
    assert first.q_value == pytest.approx(2 / 252 * 5 / 2)


def test_two_attempts_cannot_make_a_task_significant() -> None:
    made = flips(arm("1x", [2], [0]), arm("3x", [2], [2]))
    assert made.changed[0].p_value == made.changed[0].min_attainable_p == pytest.approx(1 / 3)


def test_nothing_changed_or_nothing_common() -> None:
    same = flips(arm("1x", [2, 2], [1, 0]), arm("3x", [2, 2], [1, 0]))
    assert (same.changed, same.unchanged) == ((), 2)
    none = flips(arm("1x", [2, 0], [1, 0]), arm("3x", [0, 2], [0, 1]))
    assert (none.changed, none.unchanged) == ((), 0)
