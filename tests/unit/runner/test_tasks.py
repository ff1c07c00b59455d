"""A task directory is read strictly: everything wrong gets one sentence that helps."""

from pathlib import Path

import pytest

from barograph.errors import InputError
from barograph.units import GIB, MIB
from runner.task_environment import STORAGE_NOT_ENFORCED
from runner.tasks import load_task
from tests.sweep_files import write_task


def message(folder: Path) -> str:
    """The one sentence, which must name a file."""
    with pytest.raises(InputError) as caught:
        load_task(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_plain_task_is_read_whole(tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "plain"))

    assert task.name == "plain"
    assert task.spec.memory_bytes == 64 * MIB
    assert task.spec.cpu_cores == 1
    assert (task.agent_timeout_s, task.verifier_timeout_s) == (20, 20)
    assert (task.network, task.workdir, task.flags) == ("public", "/app", ())
    assert task.instruction.is_file()


def test_what_is_not_stated_has_harbors_defaults(tmp_path: Path) -> None:
    toml = "[metadata.barograph]\nlocal = true\n"

    task = load_task(write_task(tmp_path / "t", toml=toml))

    assert (task.spec.memory_bytes, task.spec.cpu_cores) == (None, None)
    assert task.agent_timeout_s is None
    assert (task.verifier_timeout_s, task.environment_timeout_s) == (600, 600)


def test_older_spellings_mean_the_same(tmp_path: Path) -> None:
    toml = """
        version = "1.0"
        [metadata]
        difficulty = "easy"
        author_name = "somebody"
        [metadata.barograph]
        local = true
        [environment]
        memory = "4G"
        storage = "10G"
        allow_internet = false
        cpus = 0.5
    """

    task = load_task(write_task(tmp_path / "old", toml=toml))

    assert task.spec.memory_bytes == 4 * GIB
    assert task.spec.cpu_cores == 0.5
    assert task.network == "no-network"
    assert task.flags == (STORAGE_NOT_ENFORCED,)


def test_what_a_program_wrote_with_all_defaults_is_accepted(tmp_path: Path) -> None:
    toml = """
        schema_version = "1.4"
        artifacts = []
        [task]
        name = "some/name"
        version = "1"
        description = "d"
        authors = [{ name = "n", email = "e" }]
        keywords = ["k"]
        [metadata.barograph]
        local = true
        [agent]
        user = "root"
        network_mode = "public"
        [verifier]
        environment_mode = "shared"
        env = { A = "1" }
        collect = []
        [environment]
        os = "linux"
        docker_image = "x/y:1"
        gpus = 0
        gpu_types = []
        allowed_hosts = []
        mcp_servers = []
        network_mode = "public"
        allow_internet = true
        storage_mb = 10240
        env = { B = "2" }
        workdir = "/srv/../srv"
        [solution]
        env = { C = "3" }
    """
    good = toml.replace("/srv/../srv", "/srv")

    task = load_task(write_task(tmp_path / "good", toml=good))

    assert task.name == "some/name"
    assert (task.workdir, task.flags) == ("/srv", (STORAGE_NOT_ENFORCED,))
    assert (task.verifier_env, task.environment_env, task.solution_env) == (
        {"A": "1"},
        {"B": "2"},
        {"C": "3"},
    )
    assert "workdir" in message(write_task(tmp_path / "bad", toml=toml))


@pytest.mark.parametrize(
    ("toml", "parts"),
    [
        ("[[steps]]\nname = 'a'", ["steps", "several steps is not supported yet"]),
        ("multi_step_reward_strategy = 'mean'", ["multi_step_reward_strategy", "not supported"]),
        ("artifacts = ['/out']", ["artifacts", "not supported yet"]),
        ("artifacts = [{ source = '/x', service = 'db' }]", ["artifacts", "not supported yet"]),
        ("schema_version = '2.0'", ["schema_version = '2.0'"]),
        ("schema_version = 1", ["schema_version = 1", "not a text"]),
        ("schema_version = '1.1'\nversion = '1.0'", ["version", "keep schema_version"]),
        ("agents = 1", ["agents", "did you mean agent?"]),
        ("[agent]\nuser = 'bob'", ["agent.user = 'bob'", "not supported yet"]),
        ("[agent]\nuser = 1000", ["agent.user = 1000", "not supported yet"]),
        ("[agent]\ntimeout_sec = -1", ["agent.timeout_sec = -1"]),
        ("[agent]\ntimeout_sec = 1e99", ["agent.timeout_sec"]),
        ("[agent]\nnetwork_mode = 'no-network'", ["agent.network_mode", "whole task"]),
        ("[agent]\nnetwork_mode = 'allowlist'", ["agent.network_mode", "allowlist"]),
        ("[agent]\ntimeout = 3", ["agent.timeout", "did you mean timeout_sec?"]),
        ("agent = 3", ["agent = 3", "not a table"]),
        ("[verifier]\nuser = 'bob'", ["verifier.user", "not supported yet"]),
        ("[verifier]\nenvironment_mode = 'separate'", ["verifier.environment_mode", "separate"]),
        ("[verifier.environment]\ncpus = 1", ["verifier.environment", "not supported yet"]),
        ("[[verifier.collect]]\ncommand = 'x'", ["verifier.collect", "not supported yet"]),
        ("[verifier]\nallowed_hosts = ['a']", ["verifier.allowed_hosts", "allowlist"]),
        ("[solution]\ncommand = 'x'", ["solution.command"]),
        ("[task]\nname = ' '", ["task.name"]),
        ("[task]\nname = '/x'", ["task.name"]),
        ("[task]\nlabel = 'x'", ["task.label"]),
    ],
)
def test_a_wrong_table_is_named(tmp_path: Path, toml: str, parts: list[str]) -> None:
    local = "\n[metadata.barograph]\nlocal = true\n"

    sentence = message(write_task(tmp_path / "t", toml=toml + local))

    for part in parts:
        assert part in sentence


@pytest.mark.parametrize("local", ["", "[metadata]\nx = 1", "[metadata.barograph]\nlocal = false"])
def test_a_task_that_needs_its_image_is_refused(tmp_path: Path, local: str) -> None:
    sentence = message(write_task(tmp_path / "t", toml=local))

    assert "runs in its Dockerfile" in sentence
    assert "[metadata.barograph] local = true" in sentence


def test_a_task_with_only_an_image_is_refused(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "t", toml='[environment]\ndocker_image = "x:1"')
    (folder / "environment" / "Dockerfile").unlink()

    assert "runs in its image" in message(folder)


@pytest.mark.parametrize("value", ["1", '"yes"', "[]"])
def test_local_is_true_or_false(tmp_path: Path, value: str) -> None:
    toml = f"[metadata.barograph]\nlocal = {value}\n"

    assert "metadata.barograph.local" in message(write_task(tmp_path / "t", toml=toml))


@pytest.mark.parametrize(
    "name",
    [
        "steps",
        "trajectory.json",
        "environment/docker-compose.yaml",
        "environment/docker-compose.yml",
        "tests/test.bat",
    ],
)
def test_a_part_that_nothing_here_can_do_is_refused(tmp_path: Path, name: str) -> None:
    folder = write_task(tmp_path / "t")
    (folder / name).write_text("x")

    sentence = message(folder)

    assert name in sentence
    assert "not supported yet" in sentence


def test_a_task_without_a_verifier_is_refused(tmp_path: Path) -> None:
    assert "no verifier" in message(write_task(tmp_path / "t", test=None))


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "local"),
        (b"\xff\xfe", "not UTF-8 text (line 1)"),
        (b"ok = 1\n\xff", "not UTF-8 text (line 2)"),
        (b"\x7fELF\0\0", "binary file"),
        (b"a = 1\nb = \n", "line 2"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        (b"x" * (5 << 20), "too large"),
        (b"a = " + b"[" * 5000, "nested too deeply"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, part: str) -> None:
    folder = write_task(tmp_path / "t")
    (folder / "task.toml").write_bytes(content)

    sentence = message(folder)

    assert "task.toml" in sentence
    assert part in sentence


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    assert "no such folder" in message(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    assert "this is no folder" in message(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert "no such task file" in message(tmp_path / "empty")
    folder = write_task(tmp_path / "t")
    (folder / "task.toml").unlink()
    (folder / "task.toml").mkdir()
    assert "this is a folder" in message(folder)


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_an_instruction_must_say_something(tmp_path: Path, content: bytes | None) -> None:
    folder = write_task(tmp_path / "t")
    (folder / "instruction.md").unlink()
    if content is not None:
        (folder / "instruction.md").write_bytes(content)

    assert "instruction" in message(folder)
