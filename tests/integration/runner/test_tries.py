"""Single tries on the real kernel: clocks, ceilings, verifiers, and what each leaves in the log."""

import json
import shutil
from pathlib import Path

import pytest

from barograph.facts import ExecFinished, OomKill, PhaseFinished, SandboxCreated, TrialFinished
from barograph.units import MIB
from tests import needs
from tests.campaigning import REPOSITORY, Told, assert_complete, run
from tests.sweep_files import TASK_TOML, changed, write_task

SWEEP = """
[sweep]
name = "one"
oom_scope = "{scope}"
[tasks]
paths = ["task"]
[[agents]]
name = "scripted"
command = ["python3", "scripted.py"]
[[conditions]]
name = "only"
memory = "{memory}"
cpu = {{ ceiling = "1x" }}
"""


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    needs.need_namespaces()


class Told1(Told):
    """The log of a sweep of one trial."""

    @property
    def finished(self) -> TrialFinished:
        (finished,) = self.all(TrialFinished)
        return finished

    @property
    def phases(self) -> list[tuple[str, str]]:
        return [(end.phase, end.how) for end in self.all(PhaseFinished)]

    def log(self, name: str) -> str:
        (path,) = self.folder.trials.glob(f"*/1/{name}")
        return path.read_text()


def try_once(
    folder: Path,
    commands: list[str],
    *,
    toml: str = TASK_TOML,
    test: str = "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n",
    setup: str | None = None,
    memory: str = "1x",
    scope: str = "sandbox",
) -> Told1:
    """One trial of a task whose agent runs these commands."""
    write_task(folder / "task", toml=toml, test=test, setup=setup)
    (folder / "sweep.toml").write_text(SWEEP.format(memory=memory, scope=scope))
    shutil.copy(REPOSITORY / "tests" / "data" / "agents" / "scripted.py", folder)
    (folder / "scripts").mkdir()
    (folder / "scripts" / "task.json").write_text(json.dumps(commands))
    run(folder / "sweep.toml", folder / "data")
    assert_complete(folder / "sweep.toml", folder / "data")
    return Told1(folder / "data")


HUNGRY = "python3 -c 'print(len(bytearray(200 << 20)))'"


def test_what_is_asked_is_applied_and_read_back(tmp_path: Path) -> None:
    told = try_once(tmp_path, ["true"], memory="48M")

    (created,) = told.all(SandboxCreated)
    assert created.asked_memory_ceiling_bytes == created.applied_memory_ceiling_bytes == 48 * MIB
    assert created.applied_cpu_ceiling_cores == pytest.approx(1)


def test_after_a_timeout_the_verifier_judges_what_is_there(tmp_path: Path) -> None:
    toml = changed(TASK_TOML, "timeout_sec = 20", "timeout_sec = 1.5")
    test = "#!/bin/bash\ngrep -qx done work.txt && echo 1 > /logs/verifier/reward.txt\n"

    told = try_once(tmp_path, ["echo done > work.txt", "sleep 60"], toml=toml, test=test)

    assert told.phases[2:] == [("agent", "timeout"), ("verifier", "ok")]
    assert (told.finished.how, told.finished.rewards) == ("completed", {"reward": 1.0})
    assert told.finished.timed_out_phase == "agent"
    hows = [one.how for one in told.all(ExecFinished) if one.phase == "agent"]
    assert hows == ["ok", "timeout"]


def test_under_scope_sandbox_a_kill_ends_everything(tmp_path: Path) -> None:
    told = try_once(tmp_path, ["echo before", HUNGRY, "echo never"])

    assert told.phases[2:] == [("agent", "error")]
    assert (told.finished.how, told.finished.sandbox_exit) == ("sandbox_died", 137)
    assert told.finished.verifier_ran is False
    agent = [one for one in told.all(ExecFinished) if one.phase == "agent"]
    assert [one.how for one in agent] == ["ok", "sandbox_died"]
    (kill,) = told.all(OomKill)
    assert (kill.victim_comm, kill.limit_bytes) == ("python3", 64 * MIB)
    assert kill.victim_session_pid == agent[1].pid


def test_under_scope_process_only_the_victim_dies(tmp_path: Path) -> None:
    told = try_once(tmp_path, [HUNGRY, "echo after > work.txt"], scope="process")

    assert told.phases[2:] == [("agent", "ok"), ("verifier", "ok")]
    assert (told.finished.how, told.finished.rewards) == ("completed", {"reward": 1.0})
    assert told.finished.sandbox_exit is None
    agent = [one for one in told.all(ExecFinished) if one.phase == "agent"]
    # bash runs a lone command in its own place, so the victim may be the leader itself.
    assert (agent[0].signal, agent[0].exit_code) in [(9, None), (None, 137)]
    assert agent[1].exit_code == 0
    assert len(told.all(OomKill)) == 1


@pytest.mark.parametrize(
    ("test", "error"),
    [
        ("exit 0", "RewardFileNotFoundError"),
        (": > /logs/verifier/reward.txt", "RewardFileEmptyError"),
        ("echo maybe > /logs/verifier/reward.txt", "VerifierOutputParseError"),
        ("mkdir /logs/verifier/reward.json", "VerifierOutputParseError"),
        ("head -c 3000000 /dev/zero > /logs/verifier/reward.txt", "VerifierOutputParseError"),
        ("ln -s /etc/passwd /logs/verifier/reward.txt", "VerifierOutputParseError"),
        ("echo 1 > /logs/verifier/reward.txt; sleep 60", "VerifierTimeoutError"),
    ],
)
def test_a_verifier_that_fails_is_told_from_a_task_that_failed(
    tmp_path: Path, test: str, error: str
) -> None:
    toml = changed(TASK_TOML, "[verifier]\ntimeout_sec = 20", "[verifier]\ntimeout_sec = 2")

    told = try_once(tmp_path, ["true"], toml=toml, test=f"#!/bin/bash\n{test}\n")

    finished = told.finished
    assert (finished.how, finished.verifier_error) == ("completed", error)
    assert finished.rewards is None


def test_a_verifier_killed_by_the_ceiling_dies_with_the_sandbox(tmp_path: Path) -> None:
    told = try_once(tmp_path, ["true"], test=f"#!/bin/bash\n{HUNGRY}\n")

    assert told.phases[2:] == [("agent", "ok"), ("verifier", "error")]
    assert (told.finished.how, told.finished.verifier_ran) == ("sandbox_died", False)


def test_nothing_that_an_agent_left_is_taken_for_a_reward(tmp_path: Path) -> None:
    commands = [
        "mkdir -p /logs/verifier/reward.json; echo 1 > /logs/verifier/reward.txt",
        "ls /tests /solution",
        "echo 1 > /tests/test.sh",
    ]

    told = try_once(tmp_path, commands, test="#!/bin/bash\necho judged\n")

    assert told.finished.verifier_error == "RewardFileNotFoundError"
    assert told.log("verifier.log") == "judged\n"
    codes = [one.exit_code for one in told.all(ExecFinished) if one.phase == "agent"]
    assert codes[0] == 0
    assert codes[1] != 0  # neither is there while an agent acts


def test_a_setup_script_makes_the_tasks_data_and_goes(tmp_path: Path) -> None:
    told = try_once(
        tmp_path,
        ["test -e /tmp/setup.sh || cat made.txt input.txt"],
        setup="#!/bin/bash\necho talking\necho made > made.txt\n",
    )

    assert "made\\ninput\\n" in told.log("agent.log")
    assert told.log("setup.log") == "talking\n"


def test_a_setup_that_fails_is_an_error_and_no_result(tmp_path: Path) -> None:
    told = try_once(tmp_path, ["true"], setup="#!/bin/bash\nexit 4\n")

    assert told.phases == [("environment", "ok"), ("setup", "error")]
    assert told.finished.how == "error"
    assert told.finished.exceptions is not None
    assert "exit code 4" in told.finished.exceptions[0].message


def test_an_agent_that_floods_fills_no_disk(tmp_path: Path) -> None:
    told = try_once(tmp_path, ["head -c 50000000 /dev/zero | tr '\\0' x", "true"])

    agent = [one for one in told.all(ExecFinished) if one.phase == "agent"]
    assert agent[0].output_bytes == 50_000_000
    assert len(told.log("agent.log")) < 2 << 20
