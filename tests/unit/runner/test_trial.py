"""One try, and what the log is told, for everything that can happen to it."""

from pathlib import Path

import pytest

from barograph.facts import (
    ExecFinished,
    PhaseStarted,
    SandboxCreated,
    SandboxState,
    TrialFinished,
    TrialStarted,
)
from barograph.units import MIB
from runner.sandboxes.port import ExecResult
from tests.fake_sandboxes import TIMED_OUT, FakeSandbox, everything_works, result
from tests.sweep_files import SWEEP_TOML, changed
from tests.trying import Bench

ALL_WELL = [("environment", "ok"), ("setup", "ok"), ("agent", "ok"), ("verifier", "ok")]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def in_verifier(command: str) -> bool:
    return "/tests/test.sh" in command


def in_agent(command: str) -> bool:
    return "/solution/solve.sh" in command


def test_a_good_try_tells_its_whole_story(bench: Bench) -> None:
    finished = bench.trial().run()

    assert bench.phase_ends == ALL_WELL
    assert bench.phases == ["environment", "setup", "agent", "verifier"]
    assert finished == bench.said(TrialFinished)[-1]
    assert (finished.how, finished.rewards) == ("completed", {"reward": 1.0})
    assert (finished.verifier_ran, finished.verifier_exit, finished.agent_exit) == (True, 0, 0)
    assert (finished.sandbox_exit, finished.timed_out_phase) == (None, None)
    assert (finished.verifier_error, finished.exceptions) == (None, None)
    sandbox = bench.driver.sandboxes[0]
    assert sandbox.uploads == ["/app", "/solution", "/tests"]
    assert sandbox.destroyed.is_set()
    name = sandbox.request.name
    assert bench.observer.watched == bench.observer.finished == [name]
    assert [(one.phase, one.ordinal) for one in bench.said(ExecFinished)] == [
        ("agent", 1),
        ("verifier", 2),
    ]


def test_every_event_says_what_it_belongs_to(bench: Bench) -> None:
    planned = bench.planned(agent="oracle")

    bench.trial(try_no=3).run()

    for event in bench.events:
        belongs = event.belongs
        assert (belongs.sweep, belongs.trial, belongs.try_no) == ("s1", planned.trial, 3)
        assert belongs.target == f"{planned.trial}-3"


def test_what_is_asked_is_what_the_condition_means_for_the_task(bench: Bench) -> None:
    bench.trial(condition="1x").run()
    bench.trial(condition="roomy").run()

    tight, roomy = (sandbox.request for sandbox in bench.driver.sandboxes)
    assert (tight.memory_floor_bytes, tight.memory_ceiling_bytes) == (64 * MIB, 64 * MIB)
    assert (roomy.memory_floor_bytes, roomy.memory_ceiling_bytes) == (64 * MIB, None)
    assert (tight.oom_scope, tight.network, tight.workdir) == ("sandbox", "public", "/app")
    started = bench.said(TrialStarted)[0]
    assert (started.memory_ceiling_multiple, started.spec_memory_bytes) == (1.0, 64 * MIB)
    assert started.spec_from == "task"
    assert bench.said(SandboxCreated)[0].flags == ["fake"]


def test_time_limits_are_the_tasks_and_the_agents_is_multiplied(tmp_path: Path) -> None:
    toml = changed(SWEEP_TOML, 'memory = "1x"', 'memory = "1x"\ntimeout_multiplier = 1.5')
    bench = Bench(tmp_path, toml=toml)

    bench.trial().run()

    limits = {started.phase: started.limit_s for started in bench.said(PhaseStarted)}
    assert limits == {"environment": 600, "setup": 600, "agent": 30, "verifier": 20}
    assert [limit for _, limit in bench.driver.sandboxes[0].commands] == [30, 20]


def test_an_agent_that_does_nothing_is_judged_too(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        sandbox.files["/logs/verifier/reward.txt"] = b"0"
        return result(1)

    bench.driver.answer = answer

    finished = bench.trial(agent="nop").run()

    assert (finished.how, finished.rewards, finished.agent_exit) == ("completed", {"reward": 0}, 0)
    assert finished.verifier_exit == 1
    assert bench.driver.sandboxes[0].uploads == ["/app", "/tests"]


def test_after_the_agents_timeout_the_verifier_still_runs(bench: Bench) -> None:
    bench.driver.answer = lambda sandbox, command: (
        TIMED_OUT if in_agent(command) else everything_works(sandbox, command)
    )

    finished = bench.trial().run()

    assert bench.phase_ends == [*ALL_WELL[:2], ("agent", "timeout"), ("verifier", "ok")]
    assert (finished.how, finished.rewards) == ("completed", {"reward": 1.0})
    assert (finished.timed_out_phase, finished.verifier_ran) == ("agent", True)


def test_the_verifier_comes_in_only_after_the_agent(bench: Bench) -> None:
    uploads_at_agent: list[list[str]] = []

    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        if in_agent(command):
            uploads_at_agent.append(list(sandbox.uploads))
        return everything_works(sandbox, command)

    bench.driver.answer = answer

    bench.trial().run()

    assert uploads_at_agent == [["/app", "/solution"]]


@pytest.mark.parametrize("with_command", [True, False])
def test_a_dead_sandbox_is_not_judged(bench: Bench, *, with_command: bool) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        sandbox.die()
        if with_command:
            raise sandbox.died(result(None, how="sandbox_died"))
        return result()  # it died a moment after the command had ended

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert bench.phase_ends == [*ALL_WELL[:2], ("agent", "error")]
    assert (finished.how, finished.sandbox_exit) == ("sandbox_died", 137)
    assert (finished.verifier_ran, finished.rewards) == (False, None)
    assert finished.exceptions is None
    assert "/tests" not in bench.driver.sandboxes[0].uploads
    states = [state.state for state in bench.said(SandboxState)]
    assert states == ["running", "group_killed"]
    assert len(bench.said(ExecFinished)) == 1


def test_a_sandbox_that_dies_under_the_verifier_gives_no_reward(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        if in_verifier(command):
            sandbox.files["/logs/verifier/reward.txt"] = b"1"
            sandbox.die()
            raise sandbox.died(result(None, how="sandbox_died"))
        return result()

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert bench.phase_ends == [*ALL_WELL[:3], ("verifier", "error")]
    assert (finished.how, finished.rewards) == ("sandbox_died", None)
    assert finished.verifier_ran is False


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({}, "RewardFileNotFoundError"),
        ({"reward.txt": b""}, "RewardFileEmptyError"),
        ({"reward.txt": b"good"}, "VerifierOutputParseError"),
        ({"reward.json": b"{", "reward.txt": b"1"}, "VerifierOutputParseError"),
    ],
)
def test_a_verifier_that_leaves_nothing_usable_has_failed_itself(
    bench: Bench, files: dict[str, bytes], error: str
) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        sandbox.files |= {f"/logs/verifier/{name}": content for name, content in files.items()}
        return result()

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert (finished.how, finished.rewards) == ("completed", None)
    assert (finished.verifier_error, finished.verifier_ran) == (error, True)
    assert bench.phase_ends == [*ALL_WELL[:3], ("verifier", "error")]
    assert finished.exceptions is None


def test_a_verifier_out_of_time_is_an_error_of_its_own(bench: Bench) -> None:
    def answer(sandbox: FakeSandbox, command: str) -> ExecResult:
        sandbox.files["/logs/verifier/reward.txt"] = b"1"  # half-way, so worth nothing
        return TIMED_OUT if in_verifier(command) else result()

    bench.driver.answer = answer

    finished = bench.trial().run()

    assert bench.phase_ends == [*ALL_WELL[:3], ("verifier", "timeout")]
    assert (finished.verifier_error, finished.rewards) == ("VerifierTimeoutError", None)
    assert (finished.how, finished.timed_out_phase) == ("completed", "verifier")
