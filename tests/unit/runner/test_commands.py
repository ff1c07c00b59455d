"""An agent's commands: within its time, recorded, and plainly answered."""

from pathlib import Path

import pytest

from barograph.clock import US_PER_S
from barograph.envelope import Belongs
from barograph.facts import ExecFinished
from runner.agents.client import Reply
from runner.commands import AgentCommands, Commands
from runner.recording import TryRecorder
from runner.redact import Redactor
from runner.sandboxes.errors import SandboxDiedError, SandboxFailedError
from runner.sandboxes.port import ExecResult, SandboxRequest
from tests.fake_sandboxes import TIMED_OUT, FakeSandbox, result
from tests.trying import Bench


class Scene:
    """An agent's way into a fake sandbox."""

    def __init__(self, folder: Path, *, limit_s: float | None = 10) -> None:
        self.bench = Bench(folder)
        self.problems = 0
        self.sandbox = FakeSandbox(
            SandboxRequest(name="x", oom_scope="sandbox"),
            lambda _state: None,
            lambda _sandbox, _command: self.gives,
        )
        self.gives = result(stdout=b"out \xff")
        recorder = TryRecorder(
            self.bench.shared.writer, Belongs(), redactor=Redactor(), clock=self.bench.clock
        )
        self.agent = AgentCommands(
            Commands(self.sandbox, recorder), recorder, limit_s=limit_s, on_problem=self.note
        )

    def note(self) -> None:
        self.problems += 1

    @property
    def recorded(self) -> list[ExecFinished]:
        return self.bench.said(ExecFinished)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_an_agent_gets_text_and_the_log_a_fact(scene: Scene) -> None:
    reply = scene.agent.execute("make", None)

    assert reply == Reply(how="ok", exit_code=0, signal=None, stdout="out �", stderr="")
    recorded = scene.recorded[0]
    assert (recorded.phase, recorded.command, recorded.ordinal) == ("agent", "make", 1)
    assert (recorded.exit_code, recorded.output_bytes, recorded.pid) == (0, 5, 4711)


def test_no_command_gets_more_than_what_is_left_of_the_agents_time(scene: Scene) -> None:
    scene.agent.execute("a", None)
    scene.bench.clock.advance(4 * US_PER_S)
    scene.agent.execute("b", 3)
    scene.agent.execute("c", 30)

    assert [limit for _, limit in scene.sandbox.commands] == [10, 3, 6]


def test_after_its_time_nothing_is_run_for_it(scene: Scene) -> None:
    scene.bench.clock.advance(10 * US_PER_S)

    assert scene.agent.left_s == 0
    assert scene.agent.execute("a", None).how == "timeout"
    assert scene.sandbox.commands == []
    assert scene.recorded == []


def test_without_a_limit_a_commands_own_holds(tmp_path: Path) -> None:
    scene = Scene(tmp_path, limit_s=None)
    scene.agent.execute("a", None)
    scene.agent.execute("b", 3)

    assert scene.agent.left_s is None
    assert [limit for _, limit in scene.sandbox.commands] == [None, 3]


def test_a_command_out_of_time_is_an_answer_like_any_other(scene: Scene) -> None:
    scene.gives = TIMED_OUT

    assert scene.agent.execute("sleep", 1).how == "timeout"
    assert (scene.recorded[0].how, scene.agent.problem) == ("timeout", None)


@pytest.mark.parametrize(
    ("error", "recorded"),
    [
        (
            SandboxDiedError("killed", init_exit=137, result=result(None, how="sandbox_died")),
            ["sandbox_died"],
        ),
        (SandboxDiedError("was dead before", init_exit=137), []),
        (SandboxFailedError("broke"), ["error"]),
        (ZeroDivisionError("a bug"), []),
    ],
)
def test_an_agent_is_not_told_why_its_sandbox_is_gone(
    scene: Scene, error: Exception, recorded: list[str]
) -> None:
    def answer(_sandbox: FakeSandbox, _command: str) -> ExecResult:
        raise error

    scene.sandbox.answer = answer

    replies = [scene.agent.execute("a", None), scene.agent.execute("b", None)]

    assert [reply.how for reply in replies] == ["sandbox_died", "sandbox_died"]
    assert scene.agent.problem is error
    assert scene.problems == 1
    assert len(scene.sandbox.commands) == 1  # nothing more is tried
    assert [fact.how for fact in scene.recorded] == recorded
