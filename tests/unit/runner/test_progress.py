"""What a screen is told about a campaign."""

from typing import get_args

import pytest

from barograph.clock import US_PER_S, FakeClock
from barograph.facts import TrialFinished
from runner.plan import PlannedTrial
from runner.progress import GAVE, Gave, Progress, ProgressBoard, what_it_gave


def planned(trial: str) -> PlannedTrial:
    return PlannedTrial(
        trial=trial,
        order=0,
        block=0,
        condition="c",
        agent="a",
        task="t",
        attempt=1,
        seed=1,
    )


PASSED = TrialFinished(how="completed", duration_s=1, rewards={"reward": 1})


@pytest.mark.parametrize(
    ("finished", "gave"),
    [
        (PASSED, "passed"),
        (TrialFinished(how="completed", duration_s=1, rewards={"reward": 0.5}), "failed"),
        (TrialFinished(how="completed", duration_s=1, rewards={"speed": 2}), "failed"),
        (
            TrialFinished(
                how="completed", duration_s=1, rewards={"reward": 1}, timed_out_phase="agent"
            ),
            "passed",
        ),
        (
            TrialFinished(
                how="completed", duration_s=1, rewards={"reward": 0}, timed_out_phase="agent"
            ),
            "timed_out",
        ),
        (
            TrialFinished(how="completed", duration_s=1, verifier_error="RewardFileEmptyError"),
            "verifier_error",
        ),
        (TrialFinished(how="sandbox_died", duration_s=1), "sandbox_died"),
        (TrialFinished(how="error", duration_s=1), "error"),
        (TrialFinished(how="cancelled", duration_s=1), "cancelled"),
    ],
)
def test_outcomes_are_sorted_by_their_raw_facts(finished: TrialFinished, gave: Gave) -> None:
    assert what_it_gave(finished) == gave


def test_the_list_of_kinds_is_whole() -> None:
    assert set(get_args(Gave)) == set(GAVE)


def test_rate_and_time_left_come_from_this_campaign() -> None:
    clock = FakeClock()
    board = ProgressBoard(clock, planned=20, past=[PASSED] * 4, listener=None)
    for number in range(4):
        board.began(planned(str(number)), 1)
    clock.advance(60 * US_PER_S)
    for number in range(3):
        board.ended(str(number), PASSED)

    progress = board.snapshot()

    assert (progress.done, progress.done_here, len(progress.running)) == (7, 3, 1)
    assert progress.waiting == 12
    assert progress.per_minute == pytest.approx(3)
    assert progress.left_s == pytest.approx(13 * 20)
    assert progress.gave["passed"] == 7


def test_few_outcomes_give_no_rate() -> None:
    board = ProgressBoard(FakeClock(), planned=3, past=[], listener=None)
    board.ended("x", PASSED)

    assert (board.snapshot().per_minute, board.snapshot().left_s) == (None, None)


def test_a_cancelled_try_leaves_its_trial_to_be_done() -> None:
    board = ProgressBoard(FakeClock(), planned=3, past=[], listener=None)
    board.began(planned("x"), 1)
    board.ended("x", TrialFinished(how="cancelled", duration_s=1))
    board.began(planned("y"), 1)
    board.ended("y", None)

    progress = board.snapshot()
    assert (progress.done, progress.waiting, progress.gave["cancelled"]) == (0, 3, 1)


def test_the_listener_hears_of_every_change() -> None:
    clock, told = FakeClock(), list[Progress]()
    board = ProgressBoard(clock, planned=1, past=[], listener=told.append)
    board.began(planned("x"), 2)
    clock.advance(5)
    board.entered("x", "agent")
    board.entered("unknown", "agent")
    board.ended("x", PASSED)

    assert [len(progress.running) for progress in told] == [1, 1, 1, 0]
    running = told[1].running[0]
    assert (running.phase, running.phase_since_us, running.try_no) == ("agent", 5, 2)
