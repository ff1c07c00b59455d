"""The examples in docs/sweeps.md are what they say: a sweep that loads, a task that loads."""

import re
import shutil
from pathlib import Path

from runner.sweeps import load_sweep
from runner.tasks import load_task
from tests.repo.tree import ROOT
from tests.sweep_files import write_task

SWEEP, TASK = re.findall(
    r"```toml\n(.*?)```", (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8"), re.DOTALL
)


def test_the_sweep_file_is_one(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    sweep = load_sweep(tmp_path / "sweep.toml")
    assert sweep.trials == 3 * 2 * 12 * 2
    assert [condition.name for condition in sweep.conditions] == ["1x", "3x", "uncapped"]


def test_the_task_file_is_one(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "bayes-net", toml=TASK))
    assert task.spec.memory_bytes == 64 << 20
