"""Parts of the supervisor that need no sandbox."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from runner.sandboxes.supervisor import farewell
from runner.sandboxes.supervisor.loop import Loop
from runner.sandboxes.supervisor.oomwatch import OomWatch

ROOT = Path(__file__).resolve().parents[4]
SLOW = ("typing", "signal", "enum", "json", "socket", "pathlib", "dataclasses", "contextlib")


def test_it_imports_nothing_slow() -> None:
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); "
        "import runner.sandboxes.supervisor.main; print(*sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & set(SLOW)
    ours = {name for name in loaded if name.split(".")[0] in {"barograph", "collector", "runner"}}
    assert all(name.startswith("runner.sandboxes.supervisor.") for name in ours - PARENTS)


PARENTS = {"runner", "runner.sandboxes", "runner.sandboxes.supervisor"}


def test_the_loop_serves_descriptors_and_moments() -> None:
    loop, heard = Loop(), list[str]()
    read, write = os.pipe()

    def readable() -> None:
        heard.append(os.read(read, 10).decode())
        loop.forget(read)
        loop.after(0, loop.stop)

    loop.watch(read, readable)
    loop.after(60, lambda: heard.append("cancelled")).cancelled = True
    loop.after(0, lambda: os.close(write) if os.write(write, b"piped") else None)
    loop.run()
    os.close(read)
    assert heard == ["piped"]


def test_kills_are_read_from_the_counter(tmp_path: Path) -> None:
    (tmp_path / "memory.events").write_text("low 0\noom 2\noom_kill 3\noom_group_kill 1\n")
    assert OomWatch(str(tmp_path), 2).kills() == 3
    (tmp_path / "memory.events").write_text("low 0\n")
    assert OomWatch(str(tmp_path), 2).kills() == 0


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b'{"ok":true,"final":{}}\n', True),
        (b'{"ok":false,"error":"unknown target"}\n', False),
        (b'{"ok":1}\n', False),
        (b"[]\n", False),
        (b"gibberish\n", False),
        (b"", False),
    ],
    ids=repr,
)
def test_the_farewell_believes_only_a_yes(tmp_path: Path, answer: bytes, told: bool) -> None:
    # Deeper than the 108 bytes that a socket's path may have.
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    asked: list[object] = []
    server = socket.socket(socket.AF_UNIX)
    held = os.open(folder, os.O_RDONLY)
    server.bind(f"/proc/self/fd/{held}/c.sock")
    os.close(held)
    server.listen()

    def serve() -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rwb") as stream:
            asked.append(json.loads(stream.readline()))
            stream.write(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    request = json.dumps({"do": "finish", "target": "t-1"}).encode() + b"\n"
    assert farewell.finish(str(folder / "c.sock"), request) is told
    thread.join()
    server.close()
    assert asked == [{"do": "finish", "target": "t-1"}]


def test_without_a_collector_the_farewell_says_no(tmp_path: Path) -> None:
    assert not farewell.finish(str(tmp_path / "missing.sock"), b"{}\n")
    assert not farewell.finish(str(tmp_path / "no" / "folder.sock"), b"{}\n")
