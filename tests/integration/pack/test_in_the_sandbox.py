"""In the product's own sandbox the pack does what its own bench says: nothing is left to luck."""

from pathlib import Path

import pytest

from barograph.facts import TrialFinished, TrialStarted
from bench.pack.design import ending, way_of
from bench.pack.lab import EXAMPLES, TASKS, task_names
from bench.pack.peaks import stated
from runner.sweeps import load_sweep
from tests.campaigning import Told, assert_complete, run
from tests.needs import need_namespaces

ORACLES = f"""
[sweep]
name = "oracles"
attempts = 1
concurrency = 4

[tasks]
paths = ["{TASKS}/*"]

[[agents]]
name = "oracle"
builtin = "oracle"

[[agents]]
name = "nop"
builtin = "nop"

[[conditions]]
name = "1x"
memory = {{ floor = "1x", ceiling = "1x" }}
"""


def _ends(told: Told) -> list[tuple[TrialStarted, TrialFinished]]:
    """Of every trial, how it began and how it ended."""
    outcomes = told.outcomes()
    return [
        (started, outcomes[str(event.belongs.trial)][0]) for event, started in told.of(TrialStarted)
    ]


def _passed(end: TrialFinished) -> bool:
    return end.rewards is not None and end.rewards.get("reward") == 1


@pytest.mark.slow
def test_every_task_can_be_solved_at_1x_and_not_by_doing_nothing(tmp_path: Path) -> None:
    need_namespaces()
    file = tmp_path / "oracles.toml"
    file.write_text(ORACLES)
    run(file, tmp_path / "data")
    ends = _ends(assert_complete(file, tmp_path / "data"))
    assert len(ends) == 2 * len(task_names())
    for started, end in ends:
        assert end.how == "completed", started.task
        assert _passed(end) is (started.agent == "oracle"), (started.task, started.agent)
        assert end.rewards is not None, "even a missing answer is judged"


@pytest.mark.slow
def test_a_sweep_ends_as_foreseen_trial_by_trial(tmp_path: Path) -> None:
    """From the stated peaks and the seeds alone: who is killed, and who passes."""
    need_namespaces()
    file = EXAMPLES / "small.toml"
    sweep, peaks = load_sweep(file), stated()
    run(file, tmp_path / "data")
    ends = _ends(assert_complete(file, tmp_path / "data"))
    assert len(ends) == sweep.trials
    for started, end in ends:
        assert started.seed is not None
        way = way_of(started.agent, started.seed)
        limits = sweep.limits[started.condition, started.task]
        foreseen = ending(peaks[started.task], way, limits.memory_ceiling_bytes)
        assert (end.how == "sandbox_died") is foreseen.killed, (started, end)
        assert _passed(end) is foreseen.passed, (started, end)
