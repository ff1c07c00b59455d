"""Kill -9 anything, at any moment, many times: no event lost, none doubled, no trial missed.

A sweep of 24 trials runs while its runner, its collector or the server that loads its journal is
killed at ten random moments; afterwards the same command is given once more. What the writers
were promised is noted outside of those who die (``tests.promised``).
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from runner.fields import as_list, as_mapping
from tests import needs
from tests.campaigning import FAULTS_SWEEP, REPOSITORY, Told, assert_complete, start
from tests.ending import ended
from tests.promised import Promised, promises
from tests.servers import server_pid

KILLS = 10
LONGEST_S = 240

pytestmark = pytest.mark.slow


@pytest.fixture
def acknowledged() -> Generator[Promised]:
    needs.need_namespaces()
    with promises() as noted:
        yield noted


def barograph(*arguments: str) -> subprocess.Popen[str]:
    """A command of the product."""
    program = "from ui.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def audit(data: Path) -> dict[str, object]:
    """What ``verify`` finds, after a load by itself."""
    loader = barograph("load", "--dir", str(data))
    _, problem = loader.communicate(timeout=LONGEST_S)
    assert loader.returncode == ExitCode.OK, problem
    verifier = barograph("verify", "--dir", str(data), "--json")
    answer, problem = verifier.communicate(timeout=LONGEST_S)
    assert verifier.returncode in {ExitCode.OK, ExitCode.AUDIT}, problem
    return as_mapping(json.loads(answer)) or {}


def kill_runner(data: Path, noted: Promised, moments: random.Random) -> None:
    """Kill the runner ten times, each time at some moment of its life."""
    for _ in range(KILLS):
        process = start(FAULTS_SWEEP, data, fds=[noted.fd])
        time.sleep(moments.uniform(0.2, 3.5))
        ended(process)


def kill_collector(data: Path, noted: Promised, moments: random.Random) -> None:
    """Kill ten collectors under one runner, which goes on."""
    runner = start(FAULTS_SWEEP, data, fds=[noted.fd])
    killed: set[int] = set()
    while len(killed) < KILLS and runner.poll() is None:
        time.sleep(moments.uniform(0.1, 1.5))
        pid = collector_of(data)
        if pid is not None and pid not in killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
    runner.communicate(timeout=LONGEST_S)
    assert len(killed) == KILLS
    assert runner.returncode == ExitCode.OK


def kill_server(data: Path) -> None:
    """Kill what loads the journal, if something does at the moment."""
    pid = server_pid(data)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)


def kill_loader(data: Path, noted: Promised, moments: random.Random) -> None:
    """Kill ten servers, and who waits for them, while the journal grows."""
    runner = start(FAULTS_SWEEP, data, fds=[noted.fd])
    while not any(data.glob("journal/*.jsonl")):
        time.sleep(0.05)
    for _ in range(KILLS):
        loader = barograph("load", "--dir", str(data))
        time.sleep(moments.uniform(0.1, 2.5))
        if moments.random() < 1 / 2:
            ended(loader)
        kill_server(data)
        waits = loader.poll() is None
        _, problem = loader.communicate(timeout=LONGEST_S)
        assert not waits or loader.returncode == ExitCode.OK, problem
    runner.communicate(timeout=LONGEST_S)
    assert runner.returncode == ExitCode.OK


def kill_all(data: Path, noted: Promised, moments: random.Random) -> None:
    """Kill whoever comes up."""
    for _ in range(KILLS):
        runner = start(FAULTS_SWEEP, data, fds=[noted.fd])
        time.sleep(moments.uniform(0.5, 2))
        loader = barograph("load", "--dir", str(data))
        time.sleep(moments.uniform(0.1, 1))
        pid = collector_of(data)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
        time.sleep(moments.uniform(0, 0.5))
        ended(runner)
        ended(loader)
        kill_server(data)


def collector_of(data: Path) -> int | None:
    """Pid of the folder's living collector."""
    try:
        pid = int((data / "run" / "collector.lock").read_text())
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return pid if b"collector" in arguments else None


Storm = Callable[[Path, Promised, random.Random], None]


@pytest.mark.parametrize("storm", [kill_runner, kill_collector, kill_loader, kill_all])
def test_nothing_is_lost_and_nothing_doubled(
    storm: Storm, acknowledged: Promised, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"moments drawn from {seed}")  # noqa: T201 - shown when the test fails
    storm(data, acknowledged, random.Random(seed))

    again = start(FAULTS_SWEEP, data, fds=[acknowledged.fd])
    _, problem = again.communicate(timeout=LONGEST_S)
    assert again.returncode == ExitCode.OK, problem

    assert_complete(FAULTS_SWEEP, data)
    pid = collector_of(data)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)  # it would stay for ten seconds more
    promised = acknowledged.close()
    told = Counter((event.source, event.seq) for event in Told(data).events)
    assert len(promised) == len(set(promised))
    assert [pair for pair in promised if pair not in told] == []
    assert [pair for pair, times in told.items() if times != 1] == []
    assert len(promised) > 24 * 10
    found = audit(data)
    hosts = [as_mapping(host) or {} for host in as_list(found["hosts"]) or []]
    # Kills of other cgroups are told from ours by the kernel log, which nobody reads while
    # the collector is dead: where others share the machine, those stay unclaimed.
    unclaimed = sum(abs(int(str(host["unclaimed"]))) for host in hosts)
    assert found["faults"] == unclaimed, found
    assert found["kills_uncounted"] == []
    assert found["kills_counted"] == found["kills_told"]
