"""Shipper, loader and server are killed at thirty random moments each, under traffic."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.campaigning import REPOSITORY
from tests.ending import ended
from tests.faults.traffic import Traffic, accounted, started
from tests.promised import Promised
from tests.servers import server_pid
from tests.services.kafka import Kafka

pytestmark = pytest.mark.slow

MOMENTS = 30


@pytest.fixture
def moments() -> random.Random:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"moments drawn from {seed}")  # noqa: T201 - shown when the test fails
    return random.Random(seed)


@pytest.fixture
def traffic(tmp_path: Path, kafka: Kafka, request: pytest.FixtureRequest) -> Traffic:
    return Traffic(tmp_path / "data", f"{kafka.url}/{request.node.name[:60]}")


def test_shipper(tmp_path: Path, traffic: Traffic, noted: Promised, moments: random.Random) -> None:
    command = [sys.executable, "-m", "barograph.shipping", "--dir", str(traffic.folder.root)]
    with traffic.flowing("--alone", rate=3000):
        for _ in range(MOMENTS):
            shipper = subprocess.Popen(
                command, cwd=REPOSITORY, pass_fds=[noted.fd], stderr=subprocess.PIPE, text=True
            )
            time.sleep(moments.uniform(0.1, 1.6))
            ended(shipper)
    accounted(traffic, noted, tmp_path / "store")


def test_server(tmp_path: Path, traffic: Traffic, noted: Promised, moments: random.Random) -> None:
    store = tmp_path / "store"
    with traffic.flowing(rate=3000):
        for _ in range(MOMENTS):
            server = started("serve", "--dir", store, "--log", traffic.url)
            time.sleep(moments.uniform(0.3, 2.5))
            ended(server)
    accounted(traffic, noted, store)


def test_loader(tmp_path: Path, traffic: Traffic, noted: Promised, moments: random.Random) -> None:
    """Who asks for a load, and the server that it causes to be started and that does it."""
    store = tmp_path / "store"
    with traffic.flowing(rate=3000):
        for _ in range(MOMENTS):
            loader = started("load", "--dir", store, "--log", traffic.url)
            time.sleep(moments.uniform(0.3, 2.5))
            if moments.random() < 1 / 2:
                ended(loader)
            pid = server_pid(store) if store.exists() else None
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            # Who waited is answered all the same: by the server that follows.
            waited = loader.poll() is None
            _, problem = loader.communicate(timeout=120)
            assert not waited or loader.returncode == 0, problem
    accounted(traffic, noted, store)
