"""Every wrong line in a sweep file is named, with its value and what would be right."""

from pathlib import Path

import pytest

from barograph.errors import ExitCode, InputError
from runner.sweeps import load_sweep
from tests.sweep_files import SWEEP_TOML, changed, write_sweep

WRONG_LINES = [
    ('name = "small"', 'name = ""', ["sweep.name = ''"]),
    ('name = "small"', 'name = "a/b"', ["sweep.name = 'a/b'", "not a plain name"]),
    ('name = "small"', "", ["sweep.name", "missing"]),
    ("seed = 7", "seed = -1", ["sweep.seed = -1", "out of range"]),
    ("seed = 7", "seed = 1.5", ["sweep.seed = 1.5", "whole number"]),
    ("seed = 7", 'seed = "7"', ["sweep.seed = '7'"]),
    ("seed = 7", "sead = 7", ["sweep.sead", "did you mean seed?"]),
    ("attempts = 2", "attempts = 0", ["sweep.attempts = 0"]),
    ("attempts = 2", "attempts = true", ["sweep.attempts = True"]),
    ("attempts = 2", "attempts = 100000000000", ["sweep.attempts"]),
    ("concurrency = 4", "concurrency = 0", ["sweep.concurrency = 0"]),
    ("concurrency = 4", "concurrency = 9999", ["sweep.concurrency = 9999", "1 to 1024"]),
    ("seed = 7", 'oom_scope = "pod"', ["sweep.oom_scope = 'pod'", '"sandbox", "process"']),
    ("seed = 7", 'timezone = "Europe/Belrin"', ["sweep.timezone", 'did you mean "Europe/Berlin"?']),
    ("seed = 7", 'timezone = "zzz"', ["sweep.timezone = 'zzz'", "IANA"]),
    ("seed = 7", 'parent_cap = "8GB"', ["sweep.parent_cap = '8GB'", "'2G'"]),
    ("seed = 7", 'parent_cap = "0"', ["sweep.parent_cap = '0'"]),
    ("seed = 7", 'parent_cap = "32M"', ["sweep.parent_cap", "'1x'", "64 MiB"]),
    ("[sweep]", "[sweeps]", ["sweep", "missing"]),
    ("[tasks]", "[spec]\nmemory = '2GB'\n[tasks]", ["spec.memory = '2GB'", "'2G'"]),
    ("[tasks]", "[spec]\ncpus = 0\n[tasks]", ["spec.cpus = 0"]),
    ("[tasks]", "[spec]\ncpu = 1\n[tasks]", ["spec.cpu", "did you mean cpus?"]),
    ('paths = ["tasks/*"]', "paths = []", ["tasks.paths", "missing"]),
    ('paths = ["tasks/*"]', 'paths = "tasks/*"', ["tasks.paths = 'tasks/*'", "not a list"]),
    ('paths = ["tasks/*"]', 'paths = ["nope/*"]', ["tasks.paths = 'nope/*'", "no task directory"]),
    (
        'paths = ["tasks/*"]',
        'paths = ["tasks/zzz"]',
        ["tasks.paths = 'tasks/zzz'", "no task directory"],
    ),
    ('paths = ["tasks/*"]', 'paths = ["."]', ["no such task file"]),
    (
        'paths = ["tasks/*"]',
        'paths = ["tasks/*"]\ninclude = ["d*"]',
        ["tasks.include = 'd*'", "no task has such a name"],
    ),
    (
        'paths = ["tasks/*"]',
        'paths = ["tasks/*"]\nexclude = ["zz"]',
        ["tasks.exclude = 'zz'", "no task has such a name"],
    ),
    (
        'paths = ["tasks/*"]',
        'paths = ["tasks/*"]\nexclude = ["*"]',
        ["no task is left"],
    ),
    ('name = "nop"', 'name = "codex"', ["agents[0].name = 'codex'", "no built-in agent"]),
    ('name = "nop"', 'name = "x"\nbuiltin = "y"', ["agents[0].builtin = 'y'", "no built-in agent"]),
    ('name = "nop"', 'name = "x"\ncommand = []', ["agents[0].command", "empty command"]),
    ('name = "nop"', 'name = "x"\ncommand = "run"', ["agents[0].command = 'run'", "not a list"]),
    ('name = "nop"', 'name = "x"\ncommand = [1]', ["agents[0].command = [1]"]),
    (
        'name = "nop"',
        'name = "nop"\nbuiltin = "nop"\ncommand = ["x"]',
        ["agents[0].builtin", "beside command"],
    ),
    ('name = "nop"', 'name = "nop"\nenv = ["A=1"]', ["agents[0].env = 'A=1'", "names belong"]),
    ('name = "nop"', 'name = "nop"\nenv = ["BAROGRAPH_SEED"]', ["agents[0].env"]),
    ('name = "nop"', 'name = "oracle"', ["agents[1].name = 'oracle'", "taken"]),
    ('name = "nop"', 'name = "nop"\ntimeout = 3', ["agents[0].timeout"]),
    ('name = "roomy"', 'name = "1x"', ["conditions[1].name = '1x'", "taken"]),
    ('name = "roomy"', "", ["conditions[1].name", "missing"]),
    ('memory = "1x"', "", ["conditions[0].memory", "missing"]),
    ('memory = "1x"', 'memory = "2GB"', ["conditions[0].memory = '2GB'", "'1.5x'", "'512M'"]),
    ('memory = "1x"', 'memory = "0x"', ["conditions[0].memory = '0x'", "out of range"]),
    ('memory = "1x"', 'memory = "-1x"', ["conditions[0].memory = '-1x'", "'1.5x'"]),
    ('memory = "1x"', "memory = 0", ["conditions[0].memory = 0"]),
    ('memory = "1x"', "memory = -5", ["conditions[0].memory = -5"]),
    ('memory = "1x"', "memory = 1.5", ["conditions[0].memory = 1.5", "'1.5x'"]),
    ('memory = "1x"', 'memory = "1M"', ["memory.floor", "too little", "4 MiB"]),
    ('memory = "1x"', 'memory = "900000x"', ["conditions[0].memory", "out of range"]),
    ('memory = "1x"', 'memory = "99999T"', ["more than any machine has"]),
    ('memory = "1x"', "memory = {}", ["conditions[0].memory.ceiling", "missing", "uncapped"]),
    (
        'memory = "1x"',
        'memory = { floor = "uncapped", ceiling = "1x" }',
        ["conditions[0].memory.floor = 'uncapped'", "'1.5x'"],
    ),
    (
        'memory = "1x"',
        'memory = { floor = "2x", ceiling = "1x" }',
        ['condition "1x" memory.ceiling', "below the floor for task 'a'", "64 MiB under 128 MiB"],
    ),
    (
        'memory = "1x"',
        'memory = { ceiling = "1x", swap = 1 }',
        ["conditions[0].memory.swap"],
    ),
    ('memory = "1x"', 'memory = "1x"\ncpu = 0', ["conditions[0].cpu = 0", "'500m'"]),
    ('memory = "1x"', 'memory = "1x"\ncpu = "1m"', ["cpu.floor", "too little", "0.01 cores"]),
    ('memory = "1x"', 'memory = "1x"\ncpu = "99999"', ["more than any machine has"]),
    (
        'memory = "1x"',
        'memory = "1x"\ntimeout_multiplier = 0',
        ["conditions[0].timeout_multiplier = 0", "out of range"],
    ),
    ('memory = "1x"', 'memory = "1x"\ntimeout = 3', ["conditions[0].timeout"]),
    ("[[conditions]]", "[[condition]]", ["condition", "did you mean conditions?"]),
    ("[[agents]]", "[agents]", ["not valid TOML"]),
    ("seed = 7", "seed = 7\nseed = 8", ["not valid TOML", "line 5"]),
]


@pytest.mark.parametrize(("old", "new", "parts"), WRONG_LINES)
def test_a_wrong_line_is_named(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    file = write_sweep(tmp_path, toml=changed(SWEEP_TOML, old, new))

    with pytest.raises(InputError) as caught:
        load_sweep(file)

    sentence = str(caught.value)
    assert str(tmp_path) in sentence
    assert "\n" not in sentence
    assert caught.value.exit_code is ExitCode.INPUT

    for part in parts:
        assert part in sentence
