"""The crew: everything in its order, no more at once than allowed, and every way to stop."""

import threading
from pathlib import Path

import pytest

from barograph.errors import BarographError
from barograph.facts import TrialFinished, TrialStarted
from runner.crew import MOST_FAILED_SANDBOXES, Crew
from runner.errors import HelperFailedError, OutcomeLostError
from runner.plan import plan
from runner.progress import Progress, ProgressBoard
from runner.sandboxes.errors import SandboxFailedError, SandboxRefusal
from runner.sandboxes.port import ExecResult
from tests.fake_sandboxes import FakeSandbox, everything_works
from tests.trying import Bench, RefusingLog


class Work:
    """A crew over a bench, and what it told."""

    def __init__(self, bench: Bench, *, concurrency: int = 4) -> None:
        self.bench = bench
        self.told: list[Progress] = []
        self.planned = plan(bench.sweep, "s1")
        board = ProgressBoard(
            bench.clock, planned=len(self.planned), past=[], listener=self.told.append
        )
        self.crew = Crew(
            self.planned, next_try=lambda _trial: 1, board=board, concurrency=concurrency
        )

    def run(self) -> None:
        self.crew.work(self.bench.shared)

    @property
    def hows(self) -> list[str]:
        return [finished.how for finished in self.bench.said(TrialFinished)]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_every_trial_is_run_once(bench: Bench) -> None:
    work = Work(bench)

    work.run()

    assert work.crew.reason == "complete"
    assert work.hows == ["completed"] * 24
    ids = [event.belongs.trial for event in bench.events if event.payload.type == "trial.finished"]
    assert sorted(ids, key=str) == sorted(trial.trial for trial in work.planned)
    last = work.crew.board.snapshot()
    assert (last.done, last.done_here, last.running, last.waiting) == (24, 24, (), 0)
    assert last.gave["passed"] == 24


def test_one_at_a_time_keeps_the_order_of_the_plan(bench: Bench) -> None:
    work = Work(bench, concurrency=1)

    work.run()

    begun = [
        event.belongs.trial for event in bench.events if isinstance(event.payload, TrialStarted)
    ]
    assert begun == [trial.trial for trial in work.planned]


def test_no_more_run_at_once_than_allowed(bench: Bench) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        ended = everything_works(sandbox, command)
        with lock:
            now[0] -= 1
        return ended

    bench.driver.answer = answer
    work = Work(bench, concurrency=3)

    work.run()

    assert most[0] <= 3
    assert max(len(progress.running) for progress in work.told) <= 3


def test_stopping_cancels_what_runs_and_begins_nothing(bench: Bench) -> None:
    running = threading.Barrier(5, timeout=20)

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        running.wait()
        assert sandbox.destroyed.wait(20)
        raise SandboxFailedError("it was destroyed")

    bench.driver.answer = answer
    work = Work(bench, concurrency=4)
    thread = threading.Thread(target=work.run)
    thread.start()
    running.wait()
    work.crew.stop()
    thread.join(20)

    assert not thread.is_alive()
    assert work.crew.reason == "stopped_by_user"
    assert work.hows == ["cancelled"] * 4
    assert work.crew.board.snapshot().done == 0


def test_stopped_before_it_begins_it_does_nothing(bench: Bench) -> None:
    work = Work(bench)
    work.crew.stop()

    work.run()

    assert bench.events == []


def test_a_log_that_takes_no_more_stops_the_work_with_one_sentence(tmp_path: Path) -> None:
    bench = Bench(tmp_path, log=RefusingLog(60))
    work = Work(bench)

    work.run()

    failure = work.crew.failure
    assert isinstance(failure, OutcomeLostError)
    assert "\n" not in str(failure)
    assert "no longer takes what happens" in str(failure)
    assert work.crew.reason == "stopped_by_guard"
    assert all(sandbox.destroyed.is_set() for sandbox in bench.driver.sandboxes)
    finished = bench.said(TrialFinished)
    assert work.crew.board.snapshot().done == len(finished)  # only what the log has is done


def test_a_machine_without_sandboxes_stops_at_the_first(bench: Bench) -> None:
    bench.driver.create_problem = SandboxRefusal("needs root")
    work = Work(bench, concurrency=1)

    work.run()

    assert work.crew.failure is bench.driver.create_problem
    assert work.hows == ["cancelled"]


def test_sandboxes_that_all_fail_stop_the_work(bench: Bench) -> None:
    bench.driver.create_problem = SandboxFailedError("no room for its files")
    work = Work(bench, concurrency=1)

    work.run()

    assert isinstance(work.crew.failure, HelperFailedError)
    assert "no room for its files" in str(work.crew.failure)
    assert work.hows == ["error"] * MOST_FAILED_SANDBOXES


def test_sandboxes_that_fail_now_and_then_stop_nothing(bench: Bench) -> None:
    bad_luck = SandboxFailedError("bad luck")
    bench.driver.problems = iter([bad_luck, None, bad_luck] * 8)
    work = Work(bench, concurrency=1)

    work.run()

    assert work.crew.failure is None
    assert work.hows == ["error", "completed", "error"] * 8


def test_without_a_watcher_running_tries_may_end_but_none_begins(bench: Bench) -> None:
    work = Work(bench, concurrency=1)

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        work.crew.fail(HelperFailedError("no collector"), cancel=False)
        return everything_works(sandbox, command)

    bench.driver.answer = answer

    work.run()

    assert work.hows == ["completed"]
    assert work.crew.reason == "stopped_by_guard"


def test_the_first_failure_is_the_one_that_is_told(bench: Bench) -> None:
    work = Work(bench)
    first = BarographError("first")
    work.crew.fail(first, cancel=True)
    work.crew.fail(BarographError("second"), cancel=True)

    assert work.crew.failure is first
