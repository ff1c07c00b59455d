"""Whatever is killed, at whatever moment: no process, mount or cgroup stays behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from barograph.envelope import Belongs
from runner.sandboxes import records
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.local import LocalDriver
from runner.sandboxes.port import SandboxRequest, Standing
from runner.sandboxes.supervisor import removal
from tests.ending import gone
from tests.integration.sandboxes.boxes import (
    MIB,
    assert_nothing_left,
    cgroups_left,
    context_in,
    local_driver,
    processes_left,
)

RUNNER = """
import sys, time
from dataclasses import replace
from pathlib import Path
from barograph.envelope import Belongs
from runner.sandboxes.port import SandboxRequest
from tests.integration.sandboxes.boxes import local_driver
folder, socket, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
driver = local_driver(folder, collector_socket=Path(socket) if socket else None)
for number in range(count):
    belongs = Belongs(sweep="s", trial=f"t{number}", try_no=1)
    box = driver.create(SandboxRequest(name=f"t{number}-1", belongs=belongs, oom_scope="sandbox"))
    box.exec("setsid sleep 307 > /dev/null 2>&1 & yes > /dev/null &")
    print("up", number, box.link.pid, flush=True)
time.sleep(60)
"""
ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def runner(tmp_path: Path, collector: str = "", count: int = 2) -> Generator[subprocess.Popen[str]]:
    """A process that holds sandboxes and can be killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(tmp_path), collector, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        yield process
    finally:
        gone(process)
        process.stdout.close()


def wait_for(condition: object, limit_s: float = 20) -> None:
    assert callable(condition)
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, condition
        time.sleep(0.02)


def supervisors(process: subprocess.Popen[str], count: int) -> list[int]:
    assert process.stdout is not None
    return [int(process.stdout.readline().split()[2]) for _ in range(count)]


class Collector(threading.Thread):
    """Says yes to every request, and keeps what it was asked while cgroups stood."""

    def __init__(self, path: Path, cgroups: Path) -> None:
        super().__init__(daemon=True)
        self.asked: list[dict[str, object]] = []
        self.standing: list[bool] = []
        self._cgroups = cgroups
        path.parent.mkdir(parents=True, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self.start()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb") as stream:
                asked = json.loads(stream.readline())
                self.asked.append(asked)
                self.standing.append((self._cgroups / str(asked["target"])).is_dir())
                stream.write(b'{"ok":true,"final":{}}\n')

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self.join()


def memory_folder(tmp_path: Path) -> Path:
    driver = LocalDriver(context_in(tmp_path))
    box = driver.create(SandboxRequest(name="probe", oom_scope="process"))
    cgroups = box.standing.cgroups
    driver.close()
    return Path(cgroups.get("memory", cgroups.get("unified", ""))).parent


def test_an_ordinary_life_leaves_nothing(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="sandbox"))
    box.exec("setsid sleep 308 > /dev/null 2>&1 & mkdir -p deep/er; touch deep/er/file")
    box.destroy()
    dead = driver.create(
        SandboxRequest(name="dead", oom_scope="sandbox", memory_ceiling_bytes=8 * MIB)
    )
    with pytest.raises(Exception, match="OOM scope"):
        dead.exec(["python3", "-c", "x = b'1' * (64 << 20)"])
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_a_killed_runner_is_cleaned_up_by_its_supervisors(tmp_path: Path) -> None:
    local_driver(tmp_path)
    path = tmp_path / "run" / "collector.sock"
    collector = Collector(path, memory_folder(tmp_path))
    with runner(tmp_path, str(path)) as process:
        supervisors(process, 2)
        process.kill()
        wait_for(lambda: not processes_left(context_in(tmp_path)))
    collector.close()
    assert sorted(str(asked["target"]) for asked in collector.asked) == ["t0-1", "t1-1"]
    assert {(asked["do"], asked["reason"]) for asked in collector.asked} == {
        ("finish", "owner_gone")
    }
    assert collector.standing == [True, True]
    driver = LocalDriver(context_in(tmp_path))
    assert driver.clean_left_overs() == []
    driver.close()
    driver.create(SandboxRequest(name="again", oom_scope="process")).destroy()
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_without_a_collector_the_next_campaign_finds_them(tmp_path: Path) -> None:
    local_driver(tmp_path)
    with runner(tmp_path) as process:
        supervisors(process, 2)
        process.kill()
        wait_for(lambda: not processes_left(context_in(tmp_path)))
    driver = LocalDriver(context_in(tmp_path))
    seen: list[Standing] = []
    cleaned = driver.clean_left_overs(seen.append)
    assert [standing.name for standing in cleaned] == ["t0-1", "t1-1"]
    assert seen == list(cleaned)
    assert seen[0].belongs == Belongs(sweep="s", trial="t0", try_no=1, target="t0-1")
    assert driver.clean_left_overs() == []
    driver.create(SandboxRequest(name="t0-1", oom_scope="process")).destroy()
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_killing_runner_and_supervisors_leaves_no_process(tmp_path: Path) -> None:
    local_driver(tmp_path)
    with runner(tmp_path, count=3) as process:
        for pid in supervisors(process, 3):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        wait_for(lambda: not processes_left(context_in(tmp_path)))
    driver = LocalDriver(context_in(tmp_path))
    assert len(driver.clean_left_overs()) == 3
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


@pytest.mark.parametrize("delay_s", [0.0, 0.01, 0.03, 0.06, 0.1, 0.15])
def test_a_runner_killed_while_it_creates(tmp_path: Path, delay_s: float) -> None:
    local_driver(tmp_path)
    with runner(tmp_path, count=50) as process:
        supervisors(process, 1)
        time.sleep(delay_s)
        process.kill()
        wait_for(lambda: not processes_left(context_in(tmp_path)))
    driver = LocalDriver(context_in(tmp_path))
    driver.clean_left_overs()
    for folder in context_in(tmp_path).scratch.iterdir():  # killed before the record
        driver.create(SandboxRequest(name=folder.name, oom_scope="process"))
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_what_never_stood_is_removed_and_has_no_end(tmp_path: Path) -> None:
    local_driver(tmp_path)
    with runner(tmp_path) as process:
        supervisors(process, 2)
        process.kill()
        wait_for(lambda: not processes_left(context_in(tmp_path)))
    record = records.read(records.path_of(context_in(tmp_path).records, "t0-1"))
    assert record is not None
    removal.remove_cgroups([next(iter(record.standing.cgroups.values()))], 5)
    driver = LocalDriver(context_in(tmp_path))
    seen: list[Standing] = []
    assert [one.name for one in driver.clean_left_overs(seen.append)] == ["t0-1", "t1-1"]
    assert [one.name for one in seen] == ["t1-1"]
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_a_killed_supervisor_is_the_sandboxs_failure(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="sandbox"))
    box.exec("setsid sleep 309 > /dev/null 2>&1 &")
    killer = threading.Timer(0.3, os.kill, (box.link.pid, signal.SIGKILL))
    killer.start()
    with pytest.raises(SandboxFailedError, match="unexpectedly"):
        box.exec("sleep 60")
    with pytest.raises(SandboxFailedError):
        box.exec("true")
    killer.join()
    wait_for(lambda: not [line for line in processes_left(context_in(tmp_path)) if "sleep" in line])
    seen: list[Standing] = []
    box.destroy(seen.append)
    assert [standing.name for standing in seen] == ["box"]
    driver.close()
    # Its last zombies are the host's init's to reap.
    wait_for(lambda: not processes_left(context_in(tmp_path)))
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_a_stopped_supervisor_can_be_destroyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.sandboxes.local_sandbox._DOWN_TIMEOUT_S", 0.5)
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="sandbox"))
    os.kill(box.link.pid, signal.SIGSTOP)
    box.destroy()
    driver.close()
    wait_for(lambda: not processes_left(context_in(tmp_path)))
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_lost_and_torn_records(tmp_path: Path) -> None:
    local_driver(tmp_path)
    context = context_in(tmp_path)
    with runner(tmp_path) as process:
        supervisors(process, 2)
        process.kill()
        wait_for(lambda: not processes_left(context))
    records.path_of(context.records, "t0-1").unlink()
    (context.records / "torn.json").write_text('{"name": "to')
    driver = LocalDriver(context)
    assert sorted(standing.name for standing in driver.clean_left_overs()) == ["t0-1", "t1-1"]
    driver.close()
    assert cgroups_left(context) == []
    assert list(context.records.iterdir()) == []


def test_a_full_disk_is_our_failure_and_leaves_nothing(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=20", "none", str(small)], check=True
    )
    try:
        cramped = local_driver(tmp_path, scratch=small / "trials")
        with pytest.raises(SandboxFailedError, match="space"):
            cramped.create(SandboxRequest(name="box", oom_scope="process"))
        cramped.close()
    finally:
        subprocess.run(["umount", str(small)], check=True)
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)
