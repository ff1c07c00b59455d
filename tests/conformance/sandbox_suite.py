"""What every sandbox driver must hold; a driver's test derives and gives ``make_driver``."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from barograph.errors import InputError
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.port import Driver, Sandbox, SandboxRequest

MIB = 1 << 20
HOLD = "import sys,time; x=b'1'*(int(sys.argv[1])<<20); print('held',flush=True); time.sleep(60)"
"""A program that really touches so many MiB and keeps them."""

Create = Callable[..., Sandbox]


def hold(mib: int) -> list[str]:
    return ["python3", "-c", HOLD, str(mib)]


COUNT = """
import os, sys
count = 0
for pid in os.listdir("/proc"):
    if pid.isdigit() and int(pid) != os.getpid():
        try:
            command = open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\\0", b" ").decode()
        except OSError:
            continue
        count += command.strip() == sys.argv[1]
print(count)
"""
"""Counts processes by their whole command line; not every image has pgrep."""


ONCE_ASLEEP: Final = "until grep -q sleep /proc/$!/comm; do :; done"
"""Ends a command that put a ``sleep`` into the background: not before that runs."""


def running(box: Sandbox, command: str) -> int:
    return int(box.exec(["python3", "-c", COUNT, command], timeout_s=60).stdout)


class SandboxSuite(ABC):
    @abstractmethod
    def make_driver(self, tmp_path: Path) -> Driver:
        """A driver with nothing standing."""

    @pytest.fixture
    def driver(self, tmp_path: Path) -> Iterator[Driver]:
        driver = self.make_driver(tmp_path)
        yield driver
        driver.close()

    @pytest.fixture
    def create(self, driver: Driver) -> Create:
        def make(name: str = "box", **asked: object) -> Sandbox:
            request: dict[str, object] = {"oom_scope": "process", **asked}
            return driver.create(SandboxRequest(name=name, **request))  # type: ignore[arg-type]  # any field

        return make

    @pytest.fixture
    def box(self, create: Create) -> Sandbox:
        return create(memory_ceiling_bytes=256 * MIB)


class CommandSuite(SandboxSuite):
    """What a command is, and how it ends."""

    def test_a_command_ends_with_its_exit_code_and_streams(self, box: Sandbox) -> None:
        result = box.exec("echo out; echo err >&2; exit 7", timeout_s=30)
        assert (result.how, result.exit_code, result.signal) == ("ok", 7, None)
        assert (result.stdout, result.stderr) == (b"out\n", b"err\n")
        assert (result.stdout_bytes, result.stderr_bytes) == (4, 4)
        assert 0 < result.duration_s < 30
        assert abs(result.started_t_us / 1e6 - time.time()) < 60

    def test_a_signal_is_not_an_exit_code(self, box: Sandbox) -> None:
        result = box.exec("kill -TERM $$")
        assert (result.how, result.exit_code, result.signal) == ("ok", None, 15)

    def test_arguments_are_passed_as_they_are(self, box: Sandbox) -> None:
        result = box.exec(["printf", "%s|", "a b", "$HOME", "", "ü"])
        assert result.stdout.decode() == "a b|$HOME||ü|"

    def test_output_may_be_binary(self, box: Sandbox) -> None:
        wanted = bytes(range(256)) * 8
        script = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 8)"
        assert box.exec(["python3", "-c", script]).stdout == wanted

    def test_its_own_streams_can_be_opened_again(self, box: Sandbox) -> None:
        result = box.exec("echo a > /dev/stdout; echo b > /dev/stderr")
        assert (result.exit_code, result.stdout, result.stderr) == (0, b"a\n", b"b\n")

    def test_standard_input_is_empty(self, box: Sandbox) -> None:
        assert box.exec("cat; echo end", timeout_s=20).stdout == b"end\n"

    def test_a_missing_program_is_the_commands_failure(self, box: Sandbox) -> None:
        result = box.exec(["no-such-program"])
        assert (result.how, result.exit_code) == ("ok", 127)
        assert b"no-such-program" in result.stderr

    def test_a_missing_folder_is_the_commands_failure(self, box: Sandbox) -> None:
        result = box.exec("true", workdir="/no/such")
        assert (result.how, result.exit_code) == ("ok", 126)
        assert b"/no/such" in result.stderr

    def test_what_no_kernel_takes_is_the_commands_failure(self, box: Sandbox) -> None:
        assert box.exec("echo \0").exit_code == 126
        assert box.exec("true " + "x" * (1 << 20)).exit_code == 126

    def test_the_working_folder_can_be_written(self, create: Create) -> None:
        box = create(workdir="/srv/place")
        assert box.exec("pwd; echo x > f && cat f").stdout == b"/srv/place\nx\n"
        assert box.exec("pwd", workdir="/root").stdout == b"/root\n"

    def test_only_stated_variables_come_in(
        self, create: Create, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BAROGRAPH_SECRET", "not for tasks")
        box = create(environment={"COLOUR": "red", "SHAPE": "round"})
        result = box.exec("env", environment={"SHAPE": "square"})
        seen = dict(line.split("=", 1) for line in result.stdout.decode().splitlines())
        assert "BAROGRAPH_SECRET" not in seen
        assert (seen["COLOUR"], seen["SHAPE"]) == ("red", "square")
        assert {"PATH", "HOME", "LANG"} <= set(seen)

    def test_python_is_there(self, box: Sandbox) -> None:
        result = box.exec(["python3", "-c", "import sqlite3, json; print('ready')"])
        assert result.stdout == b"ready\n"

    def test_impossible_arguments_are_refused(self, box: Sandbox) -> None:
        for limit_s in (0.0, -1.0):
            with pytest.raises(InputError):
                box.exec("true", timeout_s=limit_s)
        with pytest.raises(InputError):
            box.exec("true", output_bytes=-1)
        nothing: tuple[str, ...] = ()
        for command in ("", nothing):
            with pytest.raises(InputError):
                box.exec(command)


class ProcessSuite(SandboxSuite):
    """What lives and what dies."""

    def test_background_processes_outlive_their_command(self, box: Sandbox) -> None:
        started = box.exec("(while :; do echo tick; sleep 0.05; done) & echo $! >&2", timeout_s=20)
        assert started.how == "ok"
        pid = int(started.stderr)
        time.sleep(0.3)  # long enough for it to write after its command ended
        assert box.exec(f"kill -0 {pid}").exit_code == 0

    def test_a_time_limit_kills_all_that_was_started(self, box: Sandbox) -> None:
        daemon = "setsid sh -c 'setsid sleep 300 & setsid sleep 300 & sleep 300' & sleep 300"
        result = box.exec(f"echo begun; {daemon}", timeout_s=1)
        assert (result.how, result.exit_code, result.signal) == ("timeout", None, 9)
        assert result.stdout == b"begun\n"
        assert result.duration_s >= 1
        assert running(box, "sleep 300") == 0

    def test_a_time_limit_spares_earlier_commands(self, box: Sandbox) -> None:
        box.exec(f"setsid sleep 301 > /dev/null 2>&1 & {ONCE_ASLEEP}")
        assert box.exec("sleep 60", timeout_s=0.2).how == "timeout"
        assert running(box, "sleep 301") == 1

    def test_an_interruption_ends_what_runs_and_spares_the_rest(self, box: Sandbox) -> None:
        box.interrupt()  # nothing runs: nothing happens
        box.exec(f"setsid sleep 303 > /dev/null 2>&1 & {ONCE_ASLEEP}")
        with ThreadPoolExecutor(2) as pool:
            ends = [pool.submit(box.exec, command) for command in ("sleep 300; true", "sleep 305")]
            while running(box, "sleep 300") + running(box, "sleep 305") < 2:
                pass
            box.interrupt()
            assert [end.result(60).how for end in ends] == ["timeout", "timeout"]
        assert running(box, "sleep 303") == 1
        assert box.exec("echo on").stdout == b"on\n"

    def test_a_flood_is_counted_and_cut(self, box: Sandbox) -> None:
        script = "echo first; yes | head -c 40000000; echo last"
        result = box.exec(script, timeout_s=60, output_bytes=1000)
        assert result.stdout_bytes == 40_000_000 + len("first\nlast\n")
        assert result.stdout.startswith(b"first\n")
        assert result.stdout.endswith(b"\nlast\n")
        assert b"bytes left out" in result.stdout
        assert len(result.stdout) < 1200

    def test_many_commands_at_once(self, box: Sandbox) -> None:
        def run(number: int) -> int | None:
            return box.exec(f"sleep 0.1; exit {number}").exit_code

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(run, range(16))) == list(range(16))

    def test_the_leaders_pid_is_its_session(self, box: Sandbox) -> None:
        result = box.exec("true")
        assert result.pid is not None
        assert result.pid > 0

    def test_destroying_ends_running_commands(self, create: Create) -> None:
        box = create()
        raised: list[BaseException] = []

        def run() -> None:
            try:
                box.exec("echo ready; sleep 300")
            except SandboxFailedError as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(0.3)
        box.destroy()
        thread.join(20)
        assert len(raised) == 1
        with pytest.raises(SandboxFailedError):
            box.exec("true")
        box.destroy()
