"""What is known to fail is said before the first trial."""

import resource
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import SweepFileError
from runner.preflight import check_agents, check_driver, make_room_for_files
from runner.sandboxes.errors import SandboxRefusal
from runner.sweeps import Sweep, load_sweep
from tests.fake_sandboxes import FakeDriver
from tests.sweep_files import SWEEP_TOML, TASK_TOML, changed, write_sweep, write_task

HOST = {"PATH": "/usr/bin:/bin", "KEY": "value"}


def sweep_with(folder: Path, agent: str) -> Sweep:
    toml = changed(SWEEP_TOML, 'name = "nop"', agent)
    return load_sweep(write_sweep(folder, toml=toml))


@pytest.mark.parametrize(
    "agent",
    [
        'name = "x"\ncommand = ["sh", "-c", "true"]\nenv = ["KEY"]',
        'name = "x"\ncommand = ["/bin/sh"]',
        'name = "x"\ncommand = ["./agent.sh"]',
        'name = "nop"',
    ],
)
def test_agents_that_can_start_pass(tmp_path: Path, agent: str) -> None:
    sweep = sweep_with(tmp_path, agent)
    (tmp_path / "agent.sh").write_text("#!/bin/sh\n")
    (tmp_path / "agent.sh").chmod(0o755)

    check_agents(sweep, HOST)


@pytest.mark.parametrize(
    ("agent", "parts"),
    [
        (
            'name = "x"\ncommand = ["no-such-program"]',
            ["agents[0].command = 'no-such-program'", "on PATH"],
        ),
        ('name = "x"\ncommand = ["agents/x.py"]', ["agents[0].command = 'agents/x.py'"]),
        ('name = "x"\ncommand = ["./sweep.toml"]', ["may not be executed"]),
        ('name = "nop"\nenv = ["ABSENT"]', ["agents[0].env = 'ABSENT'", "not set"]),
    ],
)
def test_agents_that_cannot_start_are_named(tmp_path: Path, agent: str, parts: list[str]) -> None:
    sweep = sweep_with(tmp_path, agent)
    (tmp_path / "sweep.toml").chmod(0o644)

    with pytest.raises(SweepFileError) as caught:
        check_agents(sweep, HOST)

    for part in parts:
        assert part in str(caught.value)


def test_the_oracle_needs_solutions(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    write_task(tmp_path / "tasks" / "unsolved", solution=None)

    with pytest.raises(SweepFileError, match="task 'unsolved' has not"):
        check_agents(load_sweep(file), HOST)


def test_a_driver_that_can_hold_everything_passes(tmp_path: Path) -> None:
    capable = replace(FakeDriver().capabilities, memory_floor="guaranteed")

    check_driver(sweep_with(tmp_path, 'name = "nop"'), capable)


@pytest.mark.parametrize(
    ("lacks", "old", "new", "what"),
    [
        ({"memory_ceiling": False}, "", "", "a memory ceiling"),
        ({"memory_floor": "none"}, "", "", "a memory floor"),
        ({"cpu_ceiling": False}, 'memory = "1x"', 'memory = "1x"\ncpu = "1x"', "a CPU ceiling"),
        ({"cpu_floor": "none"}, 'memory = "1x"', 'memory = "1x"\ncpu = "1x"', "a CPU floor"),
        ({"oom_scopes": frozenset({"process"})}, "", "", "OOM scope 'sandbox'"),
        ({"parent_cap": False}, "seed = 7", 'parent_cap = "8G"', "a parent cap"),
    ],
)
def test_what_a_driver_cannot_hold_is_refused(
    tmp_path: Path, lacks: dict[str, object], old: str, new: str, what: str
) -> None:
    capable = replace(FakeDriver().capabilities, memory_floor="guaranteed", cpu_floor="guaranteed")
    sweep = load_sweep(write_sweep(tmp_path, toml=changed(SWEEP_TOML, old, new)))

    with pytest.raises(SandboxRefusal, match=f"cannot enforce {what}"):
        check_driver(sweep, replace(capable, **lacks))  # type: ignore[arg-type]  # any field


def test_a_task_without_network_needs_a_driver_that_can(tmp_path: Path) -> None:
    file = write_sweep(tmp_path)
    toml = changed(TASK_TOML, "cpus = 1", 'cpus = 1\nnetwork_mode = "no-network"')
    write_task(tmp_path / "tasks" / "alone", toml=toml)
    capable = replace(FakeDriver().capabilities, memory_floor="guaranteed", no_network=False)

    with pytest.raises(SandboxRefusal, match="a task without network"):
        check_driver(load_sweep(file), capable)


def test_room_for_files_is_made_as_far_as_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []

    def current(_what: int) -> tuple[int, int]:
        return 300, 2000

    def ask(_what: int, limits: tuple[int, int]) -> None:
        asked.append(limits)

    monkeypatch.setattr(resource, "getrlimit", current)
    monkeypatch.setattr(resource, "setrlimit", ask)
    sweep = sweep_with(tmp_path, 'name = "nop"')

    make_room_for_files(sweep)
    make_room_for_files(replace(sweep, concurrency=1))

    assert asked == [(256 + 4 * 24, 2000)]
    with pytest.raises(SweepFileError, match=r"concurrency = 100.*2000 are allowed"):
        make_room_for_files(replace(sweep, concurrency=100))
