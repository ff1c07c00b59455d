"""A task directory is read strictly: everything wrong gets one sentence that helps."""

import os
from pathlib import Path

import pytest

from barograph.errors import InputError
from barograph.units import GIB, MIB
from runner.digests import directory_digest
from runner.errors import TaskError
from runner.task_environment import STORAGE_NOT_ENFORCED
from runner.tasks import load_task
from tests.sweep_files import TASK_TOML, changed, write_task

ENVIRONMENT = "[environment]\n"


def message(folder: Path) -> str:
    """The one sentence, which must name a file."""
    with pytest.raises(InputError) as caught:
        load_task(folder)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def with_environment(line: str) -> str:
    return changed(TASK_TOML, ENVIRONMENT, f"{ENVIRONMENT}{line}\n")


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
        workdir = "/work/../work"
        [solution]
        env = { C = "3" }
    """
    good = toml.replace("/work/../work", "/work")

    task = load_task(write_task(tmp_path / "good", toml=good))

    assert task.name == "some/name"
    assert (task.workdir, task.flags) == ("/work", (STORAGE_NOT_ENFORCED,))
    assert (task.verifier_env, task.environment_env, task.solution_env) == (
        {"A": "1"},
        {"B": "2"},
        {"C": "3"},
    )
    assert "workdir" in message(write_task(tmp_path / "bad", toml=toml))


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("memory_mb = 0", ["environment.memory_mb = 0", "out of range"]),
        ("memory_mb = -1", ["environment.memory_mb = -1"]),
        ("memory_mb = 1.5", ["environment.memory_mb = 1.5", "whole number"]),
        ('memory_mb = "64"', ["environment.memory_mb = '64'", "whole number"]),
        ("memory_mb = true", ["environment.memory_mb = True"]),
        ("memory_mb = 99999999999", ["out of range"]),
        ('memory = "2GB"', ["environment.memory = '2GB'", "not a size", "'2G'"]),
        ("memory = 4", ["environment.memory = 4", "suffix"]),
        ('memory = "4G"\nmemory_mb = 4096', ["environment.memory", "memory_mb only"]),
        ('storage = "0G"', ["environment.storage = '0G'", "out of range"]),
        ("storage_mb = 0", ["environment.storage_mb = 0"]),
        ("cpus = 0", ["environment.cpus = 0", "out of range"]),
        ("cpus = -2", ["environment.cpus = -2"]),
        ("cpus = nan", ["environment.cpus"]),
        ("cpus = inf", ["environment.cpus"]),
        ('cpus = "2"', ["environment.cpus = '2'", "not a number"]),
        ("memroy_mb = 64", ["environment.memroy_mb", "did you mean memory_mb?"]),
        ("zzz = 1", ["environment.zzz", "known here:"]),
        ('workdir = "app"', ["environment.workdir = 'app'", "absolute"]),
        ('workdir = "/"', ["environment.workdir"]),
        ('workdir = "/tests/x"', ["environment.workdir"]),
        ('workdir = "/usr/lib/x"', ["environment.workdir"]),
        ('workdir = ""', ["environment.workdir"]),
        ("workdir = 3", ["environment.workdir = 3"]),
        ("build_timeout_sec = 0", ["environment.build_timeout_sec = 0", "seconds"]),
        ('network_mode = "open"', ["environment.network_mode = 'open'", "no such choice"]),
        ('network_mode = "allowlist"', ["allowlist", "not supported yet"]),
        ('network_mode = "public"\nallow_internet = false', ["allow_internet", "contradicts"]),
        ("env = 3", ["environment.env = 3", "not a table"]),
        ("env = { A = 1 }", ["environment.env.A = 1", "not a text"]),
        ('env = { A = "${HOME}" }', ["environment.env.A", "host's environment"]),
        ("gpus = 1", ["environment.gpus = 1", "GPU is not supported yet"]),
        ("gpus = false", ["environment.gpus = False", "not supported yet"]),
        ('gpu_types = ["H100"]', ["environment.gpu_types", "not supported yet"]),
        ('tpu = { type = "v5" }', ["environment.tpu", "TPU is not supported yet"]),
        ('os = "windows"', ["environment.os = 'windows'", "not supported yet"]),
        ('mcp_servers = [{ name = "x" }]', ["environment.mcp_servers", "not supported yet"]),
        ('skills_dir = "skills"', ["environment.skills_dir", "not supported yet"]),
        ('healthcheck = { command = "true" }', ["environment.healthcheck", "not supported yet"]),
        ('allowed_hosts = ["a.org"]', ["environment.allowed_hosts", "allowlist"]),
    ],
)
def test_a_wrong_line_in_environment_is_named(tmp_path: Path, line: str, parts: list[str]) -> None:
    toml = changed(TASK_TOML, "memory_mb = 64\ncpus = 1\n", "")
    toml = changed(toml, ENVIRONMENT, f"{ENVIRONMENT}{line}\n")

    sentence = message(write_task(tmp_path / "t", toml=toml))

    assert "task.toml" in sentence
    for part in parts:
        assert part in sentence


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


class TestDigest:
    def test_is_the_same_for_a_copy(self, tmp_path: Path) -> None:
        first, second = write_task(tmp_path / "a"), write_task(tmp_path / "b")
        (second / "task.toml").chmod(0o600)
        os.utime(second / "task.toml", (0, 0))

        assert directory_digest(first) == directory_digest(second)

    def test_is_fixed_for_ever(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "file").write_text("content")
        (tmp_path / "link").symlink_to("sub/file")

        assert directory_digest(tmp_path) == (
            "sha256:acc39d1434fe8cd8d9cd0771fcb8868ec7b462eb1e0f772a5b66e3aaef6d9c76"
        )

    def test_ignores_what_running_the_tests_by_hand_leaves(self, tmp_path: Path) -> None:
        folder = write_task(tmp_path / "a")
        before = directory_digest(folder)
        (folder / "tests" / "__pycache__").mkdir()
        (folder / "tests" / "__pycache__" / "x.pyc").write_text("x")

        assert directory_digest(folder) == before

    @pytest.mark.parametrize("change", ["content", "mode", "name", "new folder", "link"])
    def test_changes_with_what_can_reach_a_trial(self, tmp_path: Path, change: str) -> None:
        folder = write_task(tmp_path / "a")
        before = directory_digest(folder)
        test = folder / "tests" / "test.sh"
        match change:
            case "content":
                test.write_text(test.read_text() + "\n")
            case "mode":
                test.chmod(0o644)
            case "name":
                (folder / "solution").rename(folder / "solutions")
            case "new folder":
                (folder / "tests" / "data").mkdir()
            case _:
                (folder / "tests" / "data").symlink_to("/etc")

        assert directory_digest(folder) != before

    def test_refuses_what_is_no_file(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")

        with pytest.raises(TaskError, match="neither file, folder nor link"):
            directory_digest(tmp_path)
