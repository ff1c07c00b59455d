"""An agent is a process tree of the host: it starts lean, and nothing of it outlives its time."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from barograph.clock import SystemClock
from barograph.envelope import Belongs
from barograph.log.memory import MemoryLog
from barograph.writer import Writer
from runner import acting
from runner.acting import AgentEnd, Bell, Stage, act
from runner.agents.process import AgentProcess, agent_environment
from runner.commands import AgentCommands, Commands
from runner.recording import TryRecorder
from runner.redact import Redactor
from runner.sandboxes.port import ExecResult, SandboxRequest
from tests.fake_sandboxes import FakeSandbox, result

PATH = {"PATH": os.environ.get("PATH", os.defpath)}


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(holds: Callable[[], bool], within_s: float = 20) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return holds()


def pids_in(file: Path, count: int) -> list[int]:
    """Pids that a script writes to a file, one a line, once all are there."""

    def read() -> list[int]:
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    assert until(lambda: len(read()) == count)
    return read()


def shell(script: str, folder: Path) -> AgentProcess:
    return AgentProcess(["sh", "-c", script], cwd=folder, env=PATH, log=folder / "agent.log")


def test_what_an_agent_prints_is_kept_and_its_exit_code_told(tmp_path: Path) -> None:
    process = shell("echo out; echo err >&2; pwd; exit 7", tmp_path)

    assert process.wait(20) == 7
    assert process.close() == 7
    assert (tmp_path / "agent.log").read_text() == f"out\nerr\n{tmp_path}\n"


@pytest.mark.parametrize(
    ("command", "code"), [(["sh", "-c", "kill -9 $$"], 137), (["no-such-program"], 127)]
)
def test_an_end_by_signal_or_without_a_beginning_has_a_code_too(
    tmp_path: Path, command: list[str], code: int
) -> None:
    process = AgentProcess(command, cwd=tmp_path, env=PATH, log=tmp_path / "agent.log")

    assert process.wait(20) == code
    process.close()


DAEMON = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(300)
"""


@pytest.mark.parametrize("ending", ["by itself", "in time"])
def test_nothing_that_it_started_outlives_it(tmp_path: Path, ending: str) -> None:
    """Also not a daemon with a session of its own that ignores SIGTERM."""
    (tmp_path / "daemon.py").write_text(DAEMON)
    last = "" if ending == "by itself" else "sleep 300"
    process = shell(
        f"{sys.executable} daemon.py pids; sleep 300 & echo $! >> pids; "
        f"while [ $(wc -l < pids) -lt 2 ]; do sleep 0.01; done; {last}",
        tmp_path,
    )
    pids = pids_in(tmp_path / "pids", 2)
    if ending == "in time":
        assert all(lives(pid) for pid in pids)
    process.close()

    assert not any(lives(pid) for pid in pids)


def test_an_agent_may_write_its_last_words(tmp_path: Path) -> None:
    process = shell("trap 'echo bye; exit 5' TERM; echo ready > up; sleep 300 & wait", tmp_path)
    assert until((tmp_path / "up").exists)

    assert process.close() == 5
    assert (tmp_path / "agent.log").read_text() == "bye\n"


def test_an_agent_dies_with_its_runner(tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import sys
        from pathlib import Path
        from runner.agents.process import AgentProcess
        folder = Path({str(tmp_path)!r})
        command = ["sh", "-c", "sleep 300 & echo $! >> pids; echo $$ >> pids; wait"]
        process = AgentProcess(command, cwd=folder, env={PATH!r}, log=folder / "agent.log")
        process.wait(None)
    """)
    runner = subprocess.Popen([sys.executable, "-c", program])
    pids = pids_in(tmp_path / "pids", 2)
    runner.send_signal(signal.SIGKILL)
    runner.wait()

    assert until(lambda: not any(lives(pid) for pid in pids))


def test_a_ctrl_c_in_the_terminal_does_not_reach_it(tmp_path: Path) -> None:
    process = shell("echo $$ > pids; sleep 300", tmp_path)
    pid = pids_in(tmp_path / "pids", 1)[0]

    assert os.getsid(pid) != os.getsid(0)
    process.close()


def test_an_agent_is_given_what_it_needs_and_what_is_named() -> None:
    host = {
        "PATH": "/usr/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "API_KEY": "k",
        "SECRET": "s",
        "BAROGRAPH_ACK_FD": "5",
    }

    environment = agent_environment(
        host, named=["API_KEY", "ABSENT"], given={"BAROGRAPH_SEED": "1"}
    )

    python = str(Path(sys.executable).parent)
    assert environment == {
        "PATH": f"{python}:/usr/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "API_KEY": "k",
        "BAROGRAPH_SEED": "1",
    }


class Scene:
    """An agent's script, and a sandbox that answers it."""

    def __init__(self, folder: Path, script: str, *, limit_s: float | None = 30) -> None:
        self.log = folder / "agent.log"
        (folder / "agent.py").write_text(
            "from runner.agents.client import Sandbox\n"
            "sandbox = Sandbox.from_environment()\n" + textwrap.dedent(script)
        )
        self.bell = Bell()
        self.sandbox = FakeSandbox(
            SandboxRequest(name="x", oom_scope="sandbox"),
            lambda _state: self.bell.ring(),
            self.answer,
        )
        writer = Writer(MemoryLog(), source="r1")
        recorder = TryRecorder(writer, Belongs(), redactor=Redactor(), clock=SystemClock())
        self.commands = AgentCommands(
            Commands(self.sandbox, recorder),
            recorder,
            limit_s=limit_s,
            on_problem=self.bell.ring,
        )
        self.stage = Stage(
            command=["python3", "agent.py"],
            cwd=folder,
            environment=agent_environment(os.environ, named=[], given={}),
            log=self.log,
            socket_folder=folder / "socket",
        )

    def answer(self, sandbox: FakeSandbox, command: str) -> ExecResult:
        if command == "die":
            sandbox.die()
            raise sandbox.died(result(None, how="sandbox_died"))
        if command == "for ever":
            assert sandbox.interrupted.wait(60)
            return result(None, how="timeout")
        if command == "linger":
            threading.Timer(0.2, sandbox.die).start()
        return result(stdout=command.upper().encode())

    def run(self) -> AgentEnd:
        def gone() -> bool:
            return self.sandbox.death is not None or self.commands.problem is not None

        return act(self.stage, self.commands, self.bell, gone)


def test_an_agent_acts_by_exec(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "print(sandbox.exec('make').stdout); raise SystemExit(3)")

    assert scene.run() == AgentEnd(how="ok", exit_code=3)
    assert scene.log.read_text() == "MAKE\n"
    assert not scene.stage.socket_folder.exists()


def test_an_agent_out_of_time_is_stopped(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "import time; print('up', flush=True); time.sleep(300)", limit_s=1)

    end = scene.run()

    assert (end.how, end.exit_code) == ("timeout", 143)


def test_an_agent_whose_sandbox_died_may_end_by_itself(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "print(sandbox.exec('die').how)")

    assert scene.run() == AgentEnd(how="ok", exit_code=0)
    assert scene.log.read_text() == "sandbox_died\n"


def test_an_agent_that_does_not_notice_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acting, "FAREWELL_S", 0.1)
    scene = Scene(tmp_path, "import time; sandbox.exec('linger'); time.sleep(300)")

    end = scene.run()

    assert (end.how, end.exit_code) == ("stopped", 143)


def test_what_an_agent_left_running_without_a_limit_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acting, "LEFT_RUNNING_S", 0.1)
    leave = """
        import os, threading, time
        threading.Thread(target=sandbox.exec, args=("for ever",)).start()
        time.sleep(0.5)
        os._exit(4)
    """
    scene = Scene(tmp_path, leave, limit_s=None)

    assert scene.run() == AgentEnd(how="ok", exit_code=4)
    assert scene.sandbox.commands == [("for ever", None)]
    assert scene.sandbox.interrupted.is_set()


def test_an_agent_that_cannot_be_started_is_recorded_not_judged(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "")
    scene.stage = replace(scene.stage, command=["./absent"])

    assert scene.run() == AgentEnd(how="ok", exit_code=127)
    assert "cannot start ./absent" in scene.log.read_text()
