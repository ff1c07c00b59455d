"""The pack's files: valid for Harbor and for us, and nothing in a task tells its truth."""

import ast
import sys

import pytest

from bench.pack.design import scripted
from bench.pack.lab import EXAMPLES, PROGRAMS, TASKS, WAYS, task_names
from bench.pack.truth import EXPECTED, TRUTHS
from runner.sweeps import load_sweep
from runner.tasks import load_task

_SCRIPTS = tuple(EXAMPLES.rglob("*.py"))
SWEEPS = {"ceilings": 288, "small": 24, "process-scope": 48}


def test_there_are_twelve_tasks_each_with_a_truth() -> None:
    assert len(task_names()) == 12
    assert sorted(TRUTHS) == task_names()


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_file_plans_what_its_comment_says(name: str) -> None:
    file = EXAMPLES / f"{name}.toml"
    sweep = load_sweep(file)
    assert sweep.name == name
    assert sweep.seed == 1
    assert sweep.trials == SWEEPS[name]
    assert f"{sweep.trials} trials" in file.read_text()


@pytest.mark.parametrize("task", task_names())
def test_a_task_loads_and_has_all_parts(task: str) -> None:
    loaded = load_task(TASKS / task)
    assert loaded.name == task
    assert loaded.flags == ()
    for script in (loaded.setup_script, loaded.tests / "test.sh", loaded.solution / "solve.sh"):
        assert script.stat().st_mode & 0o111, script
    for way in WAYS:
        assert (PROGRAMS / task / f"{way}.py").is_file()
    dockerfile = (TASKS / task / "environment" / "Dockerfile").read_text()
    assert dockerfile.startswith("FROM python:3.11-slim\n")


@pytest.mark.parametrize("task", task_names())
def test_the_truth_lies_with_the_verifier_only(task: str) -> None:
    (truth,) = [TASKS / task / "tests" / name for name in EXPECTED if _is_there(task, name)]
    where = {path.name for path in (TASKS / task).rglob("*")} - {truth.name}
    assert "check.py" in where
    for path in (TASKS / task / "environment").rglob("*"):
        assert path.name not in EXPECTED


def _is_there(task: str, name: str) -> bool:
    return (TASKS / task / "tests" / name).is_file()


@pytest.mark.parametrize("task", task_names())
def test_the_agents_find_the_answer_file_in_the_instruction(task: str) -> None:
    answer = scripted().answer_file((TASKS / task / "instruction.md").read_text())
    checked = (TASKS / task / "tests" / "check.py").read_text()
    assert f'ANSWER = "{answer}"' in checked


@pytest.mark.parametrize("path", sorted(str(one.relative_to(EXAMPLES)) for one in _SCRIPTS))
def test_scripts_import_the_standard_library_only(path: str) -> None:
    script = EXAMPLES / path
    ours = {"runner", "scripted"} if script.parent.name == "agents" else set[str]()
    for node in ast.walk(ast.parse(script.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names | ours, (script, name)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("task", task_names())
def test_programs_draw_no_lots(task: str, way: str) -> None:
    """What decides a reward is the work; no program of an agent may ask for a random number."""
    text = (PROGRAMS / task / f"{way}.py").read_text()
    assert "random" not in text
    assert "sleep" not in text
