"""A sweep file is read strictly: nothing wrong in it waits for the first trial."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.errors import BarographError, ExitCode, InputError
from barograph.units import MIB
from runner.conditions import Amount, Multiple
from runner.errors import SweepFileError
from runner.sweeps import load_sweep
from tests.sweep_files import SWEEP_TOML, TASK_TOML, changed, write_sweep, write_task


def message(file: Path) -> str:
    """The one sentence, which must name a file."""
    with pytest.raises(InputError) as caught:
        load_sweep(file)
    assert str(file.parent) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.INPUT
    return str(caught.value)


def test_a_plain_sweep_is_read_whole(tmp_path: Path) -> None:
    sweep = load_sweep(write_sweep(tmp_path))

    assert (sweep.name, sweep.seed, sweep.attempts, sweep.concurrency) == ("small", 7, 2, 4)
    assert (sweep.oom_scope, sweep.timezone) == ("sandbox", "UTC")
    assert [task.name for task in sweep.tasks] == ["a", "b", "c"]
    assert [agent.builtin for agent in sweep.agents] == ["nop", "oracle"]
    assert sweep.trials == 2 * 2 * 3 * 2
    tight, roomy = sweep.limits["1x", "a"], sweep.limits["roomy", "a"]
    assert (tight.memory_floor_bytes, tight.memory_ceiling_bytes) == (64 * MIB, 64 * MIB)
    assert (roomy.memory_floor_bytes, roomy.memory_ceiling_bytes) == (64 * MIB, None)
    assert (tight.memory_floor_multiple, tight.memory_ceiling_multiple) == (1, 1)
    assert (roomy.memory_ceiling_multiple, roomy.cpu_ceiling_cores) == (None, None)
    assert tight.spec_from == "task"


def test_bounds_can_be_multiples_sizes_or_open(tmp_path: Path) -> None:
    toml = changed(
        SWEEP_TOML,
        'memory = "1x"',
        'memory = { floor = "32M", ceiling = "1.5x" }\n'
        'cpu = { floor = "500m", ceiling = 2 }\ntimeout_multiplier = 2',
    )

    sweep = load_sweep(write_sweep(tmp_path, toml=toml))

    condition = sweep.conditions[0]
    assert condition.memory.floor == Amount(32 * MIB)
    assert condition.memory.ceiling == Multiple(1.5)
    assert condition.timeout_multiplier == 2
    limits = sweep.limits["1x", "b"]
    assert (limits.memory_floor_bytes, limits.memory_ceiling_bytes) == (32 * MIB, 96 * MIB)
    assert (limits.cpu_floor_cores, limits.cpu_ceiling_cores) == (0.5, 2)
    assert (limits.memory_floor_multiple, limits.memory_ceiling_multiple) == (None, 1.5)


def test_a_default_spec_serves_tasks_that_state_none(tmp_path: Path) -> None:
    toml = changed(SWEEP_TOML, "[tasks]", '[spec]\nmemory = "128M"\ncpus = 2\n[tasks]')
    file = write_sweep(tmp_path, toml=toml)
    bare = changed(TASK_TOML, "memory_mb = 64\ncpus = 1\n", "")
    write_task(tmp_path / "tasks" / "bare", toml=bare)

    sweep = load_sweep(file)

    assert sweep.limits["1x", "bare"].memory_ceiling_bytes == 128 * MIB
    assert sweep.limits["1x", "bare"].spec_from == "sweep"
    assert sweep.limits["1x", "bare"].spec.cpu_cores == 2
    assert sweep.limits["1x", "a"].memory_ceiling_bytes == 64 * MIB
    assert sweep.limits["1x", "a"].spec_from == "task"


@pytest.mark.parametrize("cut", ["[[agents]]", "[[conditions]]", "[tasks]"])
def test_a_missing_table_is_named(tmp_path: Path, cut: str) -> None:
    whole = changed(SWEEP_TOML, cut, cut)

    sentence = message(write_sweep(tmp_path, toml=whole[: whole.index(cut)]))

    assert "this field is missing" in sentence


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('memory = "2x"', "environment.memory_mb"),
        ('memory = "64M"\ncpu = "1x"', "environment.cpus"),
    ],
)
def test_a_multiple_of_nothing_is_refused(tmp_path: Path, line: str, field: str) -> None:
    toml = changed(SWEEP_TOML, 'memory = "1x"', line)
    toml = changed(toml, 'floor = "1x", ', "")
    file = write_sweep(tmp_path, toml=toml, tasks=())
    write_task(tmp_path / "tasks" / "bare", toml="[metadata.barograph]\nlocal = true\n")

    sentence = message(file)

    assert f"task 'bare' states no {field}" in sentence
    assert "[spec]" in sentence


def test_a_task_that_cannot_run_can_be_left_out(tmp_path: Path) -> None:
    toml = changed(SWEEP_TOML, "[tasks]", '[tasks]\nexclude = ["image"]')
    file = write_sweep(tmp_path, toml=toml)
    write_task(tmp_path / "tasks" / "image", toml="")
    (tmp_path / "tasks" / "README.md").write_text("about the tasks")

    assert [task.name for task in load_sweep(file).tasks] == ["a", "b", "c"]


def test_two_tasks_of_one_name_are_refused(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, toml=changed(SWEEP_TOML, "tasks/*", "tasks/**/a"))
    write_task(tmp_path / "tasks" / "more" / "a")

    sentence = message(file)

    assert "two tasks have this name" in sentence
    assert str(tmp_path / "tasks" / "more" / "a") in sentence


def test_a_task_that_two_globs_match_is_one(tmp_path: Path) -> None:
    toml = changed(SWEEP_TOML, '["tasks/*"]', '["tasks/*", "tasks/a"]\ninclude = ["a", "[b]"]')

    assert [task.name for task in load_sweep(write_sweep(tmp_path, toml=toml)).tasks] == ["a", "b"]


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\0", b"\xff\xfe", b"", b"[sweep", b"1", b"\0"])
def test_what_is_no_sweep_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = write_sweep(tmp_path)
    file.write_bytes(content)

    assert "sweep.toml" in message(file)


def test_a_folder_or_nothing_is_no_sweep_file(tmp_path: Path) -> None:
    assert "this is a folder" in message(tmp_path)
    assert "no such sweep file" in message(tmp_path / "absent.toml")
    assert "sweep file" in message(tmp_path / ("x" * 300))


@given(content=st.binary(max_size=300))
def test_no_bytes_cause_anything_but_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.toml"
    file.write_bytes(content)

    with pytest.raises(BarographError):
        load_sweep(file)


@given(position=st.integers(0, 700), junk=st.text(max_size=6))
def test_a_damaged_file_never_causes_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, position: int, junk: str
) -> None:
    whole = changed(SWEEP_TOML, "tasks/*", "absent/*")
    file = tmp_path_factory.getbasetemp() / "damaged.toml"
    file.write_text(whole[:position] + junk + whole[position + 1 :], encoding="utf-8")

    with pytest.raises(SweepFileError):
        load_sweep(file)


class TestDigest:
    def test_forgets_comments_place_and_concurrency(self, tmp_path: Path) -> None:
        first = load_sweep(write_sweep(tmp_path / "x"))
        noted = "# a comment\n" + changed(SWEEP_TOML, "seed = 7", "seed   =  7")
        noted = changed(noted, "concurrency = 4", "concurrency = 9")
        second = load_sweep(write_sweep(tmp_path / "y", toml=noted))

        assert first.digest == second.digest

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("seed = 7", "seed = 8"),
            ("attempts = 2", "attempts = 3"),
            ('memory = "1x"', 'memory = "2x"'),
            ('name = "nop"', 'name = "nop"\nmodel = "m"'),
            ('name = "small"', 'name = "other"'),
        ],
    )
    def test_changes_with_the_meaning(self, tmp_path: Path, old: str, new: str) -> None:
        first = load_sweep(write_sweep(tmp_path / "x"))
        second = load_sweep(write_sweep(tmp_path / "y", toml=changed(SWEEP_TOML, old, new)))

        assert first.digest != second.digest

    def test_changes_with_a_task(self, tmp_path: Path) -> None:
        file = write_sweep(tmp_path)
        first = load_sweep(file)
        (tmp_path / "tasks" / "a" / "tests" / "test.sh").write_text("#!/bin/sh\n")

        assert load_sweep(file).digest != first.digest
