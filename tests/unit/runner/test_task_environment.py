"""Every wrong line in a task's [environment] is named."""

from pathlib import Path

import pytest

from barograph.errors import InputError
from runner.tasks import load_task
from tests.sweep_files import TASK_TOML, changed, write_task

ENVIRONMENT = "[environment]\n"


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

    with pytest.raises(InputError) as caught:
        load_task(write_task(tmp_path / "t", toml=toml))

    sentence = str(caught.value)

    assert "task.toml" in sentence
    for part in parts:
        assert part in sentence
