"""The socket between agent and runner: answers whatever is said, and never breaks."""

import json
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.agents.bridge import Bridge
from runner.agents.client import RefusedError, Reply, Sandbox
from runner.errors import HelperFailedError
from runner.fields import as_mapping


def echo(command: str, timeout_s: float | None) -> Reply:
    return Reply(how="ok", exit_code=0, signal=None, stdout=command, stderr=str(timeout_s))


def said(bridge: Bridge, line: bytes) -> dict[str, object]:
    """What the bridge answers to a line."""
    with socket.socket(socket.AF_UNIX) as connection, connection.makefile("rb") as answers:
        connection.connect(str(bridge.address))
        connection.sendall(line)
        return as_mapping(json.loads(answers.readline())) or {}


def test_a_client_gets_what_the_command_gave(tmp_path: Path) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge, Sandbox(str(bridge.address)) as sandbox:
        first = sandbox.exec("echo 'ü\n\t'", timeout_s=1.5)
        second = sandbox.exec("ls")

    assert first == Reply(how="ok", exit_code=0, signal=None, stdout="echo 'ü\n\t'", stderr="1.5")
    assert second.stderr == "None"
    assert not (tmp_path / "b").exists()


def test_the_environment_names_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge:
        monkeypatch.setenv("BAROGRAPH_SANDBOX", str(bridge.address))
        with Sandbox.from_environment() as sandbox:
            assert sandbox.exec("x").how == "ok"


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b"\n", "not JSON"),
        (b"hello\n", "not JSON"),
        (b"[]\n", "exec must be a command"),
        (b"1\n", "exec must be a command"),
        (b"{}\n", "exec must be a command"),
        (b'{"exec": ""}\n', "exec must be a command"),
        (b'{"exec": 3}\n', "exec must be a command"),
        (b'{"exec": "a\\u0000b"}\n', "without NUL"),
        (b'{"exec": "\\ud800"}\n', "UTF-8"),
        (b'{"exec": "x", "timeout_s": 0}\n', "timeout_s"),
        (b'{"exec": "x", "timeout_s": -1}\n', "timeout_s"),
        (b'{"exec": "x", "timeout_s": "1"}\n', "timeout_s"),
        (b'{"exec": "x", "timeout_s": true}\n', "timeout_s"),
        (b'{"exec": "x", "timeout_s": NaN}\n', "timeout_s"),
        (b'{"exec": "x", "timeout_s": Infinity}\n', "timeout_s"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b"\xff\xfe\n", "not JSON"),
        (b"x" * (4 << 20) + b"\n", "4 MiB"),
    ],
)
def test_nonsense_is_answered(tmp_path: Path, line: bytes, part: str) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge:
        assert part in str(said(bridge, line)["error"])
        assert said(bridge, b'{"exec": "x"}\n')["how"] == "ok"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(line=st.binary(max_size=60).filter(lambda line: b"\n" not in line))
def test_no_line_breaks_it(tmp_path: Path, line: bytes) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge:
        assert set(said(bridge, line + b"\n")) in (
            {"error"},
            {"how", "exit_code", "signal", "stdout", "stderr"},
        )


def test_a_refusal_reaches_the_agent_as_an_exception(tmp_path: Path) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge, Sandbox(str(bridge.address)) as sandbox:
        with pytest.raises(RefusedError, match="without NUL"):
            sandbox.exec("a\0b")
        assert sandbox.exec("still there").stdout == "still there"


def test_several_connections_are_served_at_once(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=20)

    def meet(command: str, timeout_s: float | None) -> Reply:
        both.wait()
        return echo(command, timeout_s)

    with (
        Bridge(meet, folder=tmp_path / "b") as bridge,
        Sandbox(str(bridge.address)) as one,
        Sandbox(str(bridge.address)) as two,
    ):
        other = threading.Thread(target=two.exec, args=("two",))
        other.start()
        assert one.exec("one").stdout == "one"
        other.join(20)


def test_closing_waits_for_a_running_command_and_takes_no_other(tmp_path: Path) -> None:
    running, go_on = threading.Event(), threading.Event()
    ran: list[str] = []

    def slow(command: str, timeout_s: float | None) -> Reply:
        running.set()
        assert go_on.wait(20)
        ran.append(command)
        return echo(command, timeout_s)

    bridge = Bridge(slow, folder=tmp_path / "b")
    sandbox = Sandbox(str(bridge.address))
    replies: list[Reply] = []
    agent = threading.Thread(target=lambda: replies.append(sandbox.exec("first")))
    agent.start()
    assert running.wait(20)
    closing = threading.Thread(target=bridge.close)
    closing.start()
    go_on.set()
    closing.join(20)
    agent.join(20)

    assert not closing.is_alive()
    assert [reply.stdout for reply in replies] == ran == ["first"]
    with pytest.raises(RefusedError):
        sandbox.exec("second")
    sandbox.close()


def test_an_agent_that_hangs_up_costs_nothing(tmp_path: Path) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(bridge.address))
            connection.sendall(b'{"exec": "x"}\n{"exec"')
        assert said(bridge, b'{"exec": "y"}\n')["stdout"] == "y"


def test_a_folder_that_lies_too_deep_is_replaced(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)

    with Bridge(echo, folder=deep) as bridge, Sandbox(str(bridge.address)) as sandbox:
        assert len(str(bridge.address)) < 100
        assert sandbox.exec("x").how == "ok"
        address = bridge.address

    assert not address.parent.exists()


def test_a_folder_that_cannot_be_made_is_said() -> None:
    with pytest.raises(HelperFailedError, match="no socket can be made"):
        Bridge(echo, folder=Path("/proc/absent/b"))


def test_only_its_owner_may_use_it(tmp_path: Path) -> None:
    with Bridge(echo, folder=tmp_path / "b") as bridge:
        assert bridge.address.stat().st_mode & 0o077 == 0
        assert bridge.address.parent.stat().st_mode & 0o077 == 0
