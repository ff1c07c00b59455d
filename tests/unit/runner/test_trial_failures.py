"""One try that we, the driver, the log or the user end: never shaped like a task's result."""

import threading
from pathlib import Path

import pytest

from barograph.errors import EnvironmentRefusal
from barograph.facts import ExecFinished, SandboxCreated, TrialFinished
from barograph.log.port import LogError
from runner.errors import HelperFailedError
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.port import ExecResult
from runner.trial import Try
from tests.fake_sandboxes import TIMED_OUT, FakeSandbox, everything_works, result
from tests.sweep_files import TASK_TOML, changed, write_task
from tests.trying import Bench, RefusingLog


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_sandbox_that_cannot_be_made_is_an_error_and_no_result(bench: Bench) -> None:
    bench.driver.create_problem = SandboxFailedError("the disk is on fire")

    finished = bench.trial().run()

    assert bench.phase_ends == [("environment", "error")]
    assert (finished.how, finished.rewards, finished.verifier_ran) == ("error", None, False)
    assert finished.exceptions is not None
    raised = finished.exceptions[0]
    assert (raised.type, raised.phase) == ("SandboxFailedError", "environment")
    assert bench.observer.finished == []


def test_a_driver_that_breaks_is_an_error_and_no_result(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        raise SandboxFailedError("its supervisor does not answer")

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert (finished.how, finished.sandbox_exit) == ("error", None)
    assert bench.said(ExecFinished)[0].how == "error"
    assert bench.driver.sandboxes[0].destroyed.is_set()


def test_a_bug_of_ours_is_an_error_whose_trace_is_kept(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        raise ZeroDivisionError("oops")

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert finished.how == "error"
    trial = bench.planned(agent="oracle").trial
    kept = bench.folder.try_folder(trial, 1) / "exception.txt"
    assert "ZeroDivisionError: oops" in kept.read_text()


@pytest.mark.parametrize(
    ("ended", "error", "how", "timed_out"),
    [
        (result(3), "SetupError", "error", None),
        (TIMED_OUT, "SetupTimeoutError", "timeout", "setup"),
    ],
)
def test_a_task_that_cannot_be_set_up_is_an_error(
    tmp_path: Path, ended: ExecResult, error: str, how: str, timed_out: str | None
) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "tasks" / "a" / "environment" / "setup.sh").write_text("exit 3")
    bench.driver.answer = lambda sandbox, command: ended

    finished = bench.trial().run()

    assert bench.phase_ends == [("environment", "ok"), ("setup", how)]
    assert finished.exceptions is not None
    assert (finished.how, finished.exceptions[0].type) == ("error", error)
    assert finished.timed_out_phase == timed_out
    assert bench.driver.sandboxes[0].uploads == ["/app", "/tmp/setup.sh"]


def test_a_try_cancelled_before_it_begins_makes_no_sandbox(bench: Bench) -> None:
    trial = bench.trial()
    trial.cancel()

    finished = trial.run()

    assert finished.how == "cancelled"
    assert bench.driver.sandboxes == []
    assert trial.refusal is None


def test_a_running_try_is_cancelled_at_once(bench: Bench) -> None:
    running = threading.Event()

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        running.set()
        assert sandbox.destroyed.wait(20)
        raise SandboxFailedError("it was destroyed")

    bench.driver.answer = answer
    trial = bench.trial()
    thread = threading.Thread(target=trial.run)
    thread.start()
    assert running.wait(20)
    trial.cancel()
    thread.join(20)

    finished = bench.said(TrialFinished)[-1]
    assert (finished.how, finished.exceptions) == ("cancelled", None)
    assert bench.observer.finished == [bench.driver.sandboxes[0].request.name]


def test_an_outcome_that_was_reached_is_not_cancelled_any_more(bench: Bench) -> None:
    trial = bench.trial()

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        ended = everything_works(sandbox, command)
        if "/tests/test.sh" in command:
            trial.cancel()
        return ended

    bench.driver.answer = answer

    assert trial.run().how == "completed"


@pytest.mark.parametrize("room", range(14))
def test_a_log_that_takes_no_more_ends_the_try_and_its_sandbox(tmp_path: Path, room: int) -> None:
    bench = Bench(tmp_path, log=RefusingLog(room))

    with pytest.raises(LogError):
        bench.trial().run()

    assert bench.said(TrialFinished) == []
    assert all(sandbox.destroyed.is_set() for sandbox in bench.driver.sandboxes)


def test_an_end_that_nobody_could_write_is_no_outcome(bench: Bench) -> None:
    bench.observer.finish_problem = LogError("the disk is full")

    with pytest.raises(LogError, match="full"):
        bench.trial().run()

    assert bench.said(TrialFinished) == []


@pytest.mark.parametrize(
    "problem", [HelperFailedError("no collector"), EnvironmentRefusal("no cgroups")]
)
def test_a_machine_that_can_run_nothing_gives_no_outcome(
    bench: Bench, problem: EnvironmentRefusal
) -> None:
    bench.observer.watch_problem = problem
    trial = bench.trial()

    finished = trial.run()

    assert finished.how == "cancelled"
    assert finished.exceptions is not None
    assert trial.refusal is problem
    assert bench.driver.sandboxes[0].destroyed.is_set()


def test_what_would_not_go_away_is_told_beside_the_outcome(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        sandbox.destroy_problem = SandboxFailedError("a cgroup stays")
        return everything_works(sandbox, command)

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert (finished.how, finished.rewards) == ("completed", {"reward": 1.0})
    assert [raised.phase for raised in finished.exceptions or []] == [None]


def test_a_secret_in_a_command_or_an_error_is_not_recorded(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        raise SandboxFailedError("cannot run TOKEN=hunter2hunter2")

    bench.driver.answer = answer

    bench.trial().run()

    assert all("hunter2" not in repr(event) for event in bench.events)


def test_flags_of_the_task_are_told_with_the_sandbox(tmp_path: Path) -> None:
    toml = changed(TASK_TOML, "cpus = 1", "cpus = 1\nstorage_mb = 100")
    write_task(tmp_path / "tasks" / "flagged", toml=toml)
    bench = Bench(tmp_path)

    Try(bench.shared, bench.planned(agent="nop", task="flagged"), 1).run()

    assert bench.said(SandboxCreated)[0].flags == ["fake", "storage_not_enforced"]
