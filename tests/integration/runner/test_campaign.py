"""Campaigns on the real kernel: complete, killed, stopped, refused, and without their collector."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from barograph.facts import (
    SandboxDestroyed,
    SweepFinished,
    SweepPlanned,
    SweepStarted,
    TrialFinished,
)
from runner.errors import FolderOwnedError, OtherSweepError
from tests import needs
from tests.campaigning import TINY_SWEEP, Told, assert_complete, run, start
from tests.ending import ended, gone
from tests.sweep_files import SWEEP_TOML, changed, write_sweep


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    needs.need_namespaces()


@pytest.fixture
def slow_sweep(tmp_path: Path) -> Path:
    """Trials of about half a second, so that there is time to do something to them."""
    toml = changed(SWEEP_TOML, 'name = "nop"', 'name = "sleepy"\ncommand = ["sleep", "0.5"]')
    return write_sweep(tmp_path, toml=toml)


@pytest.fixture
def running(slow_sweep: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A campaign over ``slow_sweep`` that has two outcomes already."""
    process = start(slow_sweep, tmp_path / "data")
    assert process.stdout is not None
    for line in process.stdout:
        if line == "done 2\n":
            break
    assert process.poll() is None
    yield process
    ended(process)


def test_a_sweep_runs_to_its_end(tmp_path: Path) -> None:
    end = run(TINY_SWEEP, tmp_path / "data")

    assert end.reason == "complete"
    told = assert_complete(TINY_SWEEP, tmp_path / "data")
    for task in ("allocate", "generate", "greet"):
        assert told.outcome(task=task, agent="oracle").rewards is not None
    # The scripted agent's first command wants 100 MiB under a ceiling of 48.
    killed = told.outcome(task="allocate", agent="scripted", condition="1x")
    assert (killed.how, killed.sandbox_exit, killed.verifier_ran) == ("sandbox_died", 137, False)
    roomy = told.outcome(task="allocate", agent="scripted", condition="uncapped")
    assert roomy.rewards == {"reward": 1.0, "answered": 1.0}
    assert end.progress.gave["passed"] == 11
    assert [one.reason for one in told.all(SweepFinished)] == ["complete"]


def test_a_complete_sweep_is_not_run_again(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, tasks=("a",))
    run(file, tmp_path / "data")
    before = len(Told(tmp_path / "data").all(TrialFinished))

    end = run(file, tmp_path / "data")

    assert (end.reason, end.progress.done_here) == ("complete", 0)
    told = Told(tmp_path / "data")
    assert len(told.all(TrialFinished)) == before
    assert len(told.all(SweepPlanned)) == 1
    assert [one.resumed for one in told.all(SweepStarted)] == [False, True]


def test_a_killed_campaign_goes_on_where_it_was(
    running: subprocess.Popen[str], slow_sweep: Path, tmp_path: Path
) -> None:
    assert gone(running) == -signal.SIGKILL
    had = len(Told(tmp_path / "data").outcomes())

    end = run(slow_sweep, tmp_path / "data")

    assert had >= 2
    assert end.progress.done_here == 24 - had
    told = assert_complete(slow_sweep, tmp_path / "data")
    cancelled = [one for one in told.all(TrialFinished) if one.how == "cancelled"]
    assert {one.exceptions[0].type for one in cancelled if one.exceptions} == {"RunnerDied"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_campaign_says_so_and_goes_on_later(
    running: subprocess.Popen[str], slow_sweep: Path, tmp_path: Path, number: signal.Signals
) -> None:
    running.send_signal(number)

    assert running.wait(30) == ExitCode.INTERRUPTED
    told = Told(tmp_path / "data")
    assert [one.reason for one in told.all(SweepFinished)] == ["stopped_by_user"]
    assert "cancelled" in {one.how for one in told.all(TrialFinished)}
    run(slow_sweep, tmp_path / "data")
    assert_complete(slow_sweep, tmp_path / "data")


def test_a_second_signal_ends_at_once_and_loses_nothing(
    running: subprocess.Popen[str], slow_sweep: Path, tmp_path: Path
) -> None:
    running.send_signal(signal.SIGTERM)
    running.send_signal(signal.SIGINT)

    assert running.wait(30) == ExitCode.INTERRUPTED
    run(slow_sweep, tmp_path / "data")
    assert_complete(slow_sweep, tmp_path / "data")


def test_a_second_campaign_is_refused_while_the_first_lives(
    running: subprocess.Popen[str], slow_sweep: Path, tmp_path: Path
) -> None:
    with pytest.raises(FolderOwnedError, match=f"pid {running.pid}"):
        run(slow_sweep, tmp_path / "data")

    assert running.wait(60) == ExitCode.OK
    assert_complete(slow_sweep, tmp_path / "data")


def test_another_sweep_is_refused(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, tasks=("a",))
    run(file, tmp_path / "data")
    file.write_text(file.read_text().replace("seed = 7", "seed = 8"))

    with pytest.raises(OtherSweepError) as caught:
        run(file, tmp_path / "data")

    assert str(caught.value).count("sha256:") == 2
    assert "'small'" in str(caught.value)
    assert caught.value.exit_code is ExitCode.INPUT


def test_a_dead_collector_is_replaced_and_nobody_notices(
    running: subprocess.Popen[str], slow_sweep: Path, tmp_path: Path
) -> None:
    folder = Told(tmp_path / "data").folder
    killed: set[int] = set()
    while len(killed) < 3:
        pid = int(folder.collector_lock.read_text() or 0)
        if pid and pid not in killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.05)

    assert running.wait(60) == ExitCode.OK
    told = assert_complete(slow_sweep, tmp_path / "data")
    assert "error" not in {one.how for one in told.all(TrialFinished)}
    ends = told.all(SandboxDestroyed)
    assert {end.read_by for end in ends} <= {"collector", "runner"}
