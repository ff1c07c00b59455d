"""The socket: what a client may say, in whatever manner, and who may serve it."""

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from barograph.daemons import reachable
from barograph.facts import SandboxDestroyed, TickMissed
from barograph.folder import DataFolder
from collector.client import CollectorClient, ensure
from collector.errors import (
    ProbeRefusal,
    RequestError,
    TargetGone,
    UnknownTargetError,
    UnreachableError,
)
from collector.protocol import Watch
from tests.cells import cell, make_cell, need_memory_cgroup
from tests.integration.collector.watching import Watching, until, watching


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watching]:
    need_memory_cgroup()
    with watching(tmp_path / "data") as made:
        yield made


@contextlib.contextmanager
def raw_link(watcher: Watching) -> Generator[socket.socket]:
    """A connection that speaks as it likes."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(20)
        with reachable(watcher.folder.collector_socket) as address:
            link.connect(address)
        yield link


def flood(link: socket.socket, data: bytes) -> None:
    """Send for ever."""
    while True:
        link.sendall(data)


BROKEN = [
    b"",
    b"nothing",
    b"[]",
    b"{}",
    b'{"do":"dance"}',
    b'{"do":"watch"}',
    b'{"do":"watch","target":7}',
    b'{"do":"watch","target":"t","cgroups":[]}',
    b'{"do":"watch","target":"t","cgroups":{"memory":"relative"}}',
    b'{"do":"watch","target":"t","cgroups":{"memory":"/no/such"}}',
    b'{"do":"watch","target":"t","cgroups":{"memory":"/proc"},"ours":1}',
    b'{"do":"watch","target":"t","cgroups":{"memory":"/proc"}}',
    b'{"do":"watch","target":"t","pid":-4}',
    b'{"do":"watch","target":"t","pid":999999999}',
    b'{"do":"finish","target":"t","reason":"bored"}',
    b'{"do":"finish","target":null}',
    b"\xff\xfe\x00",
    b"[" * 5000,
]


def test_what_cannot_be_done_is_said_and_costs_nothing(watcher: Watching) -> None:
    with pytest.raises(UnknownTargetError):
        watcher.client.finish("nobody")
    with cell() as first, cell() as second:
        watcher.watch("t", first)
        watcher.watch("t", first)
        with pytest.raises(RequestError, match="another cgroup"):
            watcher.watch("t", second)
        missing = make_cell()
        missing.remove()
        with pytest.raises(TargetGone):
            watcher.watch("u", missing)
        with pytest.raises(ProbeRefusal):
            watcher.client.watch(Watch(target="v"))
        assert watcher.client.status().targets == ("t",)
        watcher.client.finish("t")


def test_nothing_that_a_client_says_ends_it(watcher: Watching) -> None:
    answers: list[dict[str, object]] = []
    with raw_link(watcher) as link, link.makefile("rb") as lines:
        link.sendall(b"\n".join(BROKEN) + b'\n{"do":"status"}\n')
        for line in lines:
            answers.append(json.loads(line))
            if answers[-1]["ok"]:
                break
    assert len(answers) == len(BROKEN)  # the empty line is no request, the status is the last
    assert all(isinstance(answer["error"], str) for answer in answers[:-1])


def test_a_line_without_end_is_hung_up_on(watcher: Watching) -> None:
    with raw_link(watcher) as link, pytest.raises((BrokenPipeError, ConnectionResetError)):
        flood(link, b"x" * 65536)
    assert watcher.client.status().targets == ()


def test_a_client_that_does_not_read_blocks_nobody(watcher: Watching) -> None:
    with raw_link(watcher) as link:
        link.settimeout(1)
        with pytest.raises((TimeoutError, BrokenPipeError, ConnectionResetError)):
            flood(link, b'{"do":"status"}\n' * 500)
        before = watcher.client.status().ticks
        time.sleep(2.2)
        assert watcher.client.status().ticks >= before + 2
    assert watcher.payloads(TickMissed) == []


def test_too_few_descriptors_are_refused_by_number(tmp_path: Path) -> None:
    root = tmp_path / "data"
    folder = DataFolder.create(root)
    command = f"ulimit -n 60; exec {sys.executable} -m collector --dir {root} --linger-s 0"
    process = subprocess.Popen(["/bin/sh", "-c", command])
    until(folder.collector_socket.exists, "it does not start")
    made = [make_cell() for _ in range(8)]
    try:
        with CollectorClient(folder) as client:
            watches = [Watch(target=one.kernel_path, cgroups=one.folders) for one in made]
            with pytest.raises(ProbeRefusal, match="limit is 60 open files"):
                list(map(client.watch, watches))
            assert client.status().targets != ()
            for name in client.status().targets:
                client.finish(name)
        assert process.wait(timeout=30) == 0
    finally:
        for target in made:
            target.remove()


def test_nobody_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="no collector answers"):
        CollectorClient(DataFolder.create(tmp_path / "data"))


def test_a_deep_folder_is_no_obstacle(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 150) / ("e" * 150)
    assert len(str(deep)) > 300
    with watching(deep) as watcher, cell() as target:
        watcher.watch("t", target)
        watcher.client.finish("t")
        assert watcher.folder.collector_socket.stat().st_mode & 0o777 == 0o600
    assert len(watcher.payloads(SandboxDestroyed, "t")) == 1


def test_a_second_collector_of_a_folder_is_refused_by_name(watcher: Watching) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "collector", "--dir", str(watcher.folder.root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 3
    assert f"pid {watcher.client.status().pid}" in second.stderr
    assert "Traceback" not in second.stderr


def test_two_starters_get_one_collector(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path / "data")
    script = (
        "import sys\nfrom barograph.folder import DataFolder\nfrom collector.client import ensure\n"
        "print(ensure(DataFolder.create(sys.argv[1]), linger_s=2, within_s=120).status().pid)"
    )
    command = [sys.executable, "-c", script, str(folder.root)]
    starters = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    pids = {starter.communicate()[0] for starter in starters}
    assert len(pids) == 1
    with ensure(folder) as client:
        client.stop()


def test_finish_twice_gives_one_end_and_one_answer(watcher: Watching) -> None:
    with cell() as target:
        watcher.watch("t", target)
        assert watcher.client.finish("t") == watcher.client.finish("t")
    assert len(watcher.payloads(SandboxDestroyed, "t")) == 1
