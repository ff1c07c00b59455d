"""Brokers die, are away, run out of disk, cannot be reached: ticks go on and nothing is lost."""

import random
import time
from itertools import pairwise
from pathlib import Path

import pytest

from barograph.facts import CollectorSelf, HostSample
from barograph.log.segments import streams
from barograph.shipping.bounds import Bounds
from tests import needs
from tests.campaigning import FAULTS_SWEEP, Told, assert_complete
from tests.disks import fill, small_disk
from tests.faults.traffic import WITHIN_S, Traffic, accounted, barograph, started
from tests.promised import Promised
from tests.services.kafka import Kafka
from tests.services.network import Network

pytestmark = pytest.mark.slow

_LONGEST_BETWEEN_S = 4.0
"""Between two of the collector's samples of the host, which it takes once a second."""


def test_a_broker_killed_in_mid_sweep(tmp_path: Path, noted: Promised) -> None:
    needs.need_namespaces()
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"moments drawn from {seed}")  # noqa: T201 - shown when the test fails
    moments = random.Random(seed)
    with Kafka(tmp_path / "kafka") as broker:
        traffic = Traffic(tmp_path / "data", broker.url)
        with started("run", FAULTS_SWEEP, "--dir", traffic.folder.root) as runner:
            for _ in range(4):
                time.sleep(moments.uniform(0.5, 4))
                broker.kill()
                time.sleep(moments.uniform(0, 3))
                broker.start()
            _, problem = runner.communicate(timeout=2 * WITHIN_S)
        assert runner.returncode == 0, problem
        told = assert_complete(FAULTS_SWEEP, traffic.folder.root)
        found = accounted(traffic, noted, tmp_path / "store")
        assert found.named == frozenset()
        here, there = (
            barograph("report", "--dir", folder)["analysis"]
            for folder in (traffic.folder.root, tmp_path / "store")
        )
        assert here == there
    _assert_ticks_went_on(told)


def _assert_ticks_went_on(told: Told) -> None:
    assert told.all(CollectorSelf)
    times = [event.mono_us for event, _ in told.of(HostSample)]
    between_s = [(after - before) / 1e6 for before, after in pairwise(times)]
    assert max(between_s) < _LONGEST_BETWEEN_S


def test_a_broker_away_for_longer_than_the_journal_has_room(
    tmp_path: Path, noted: Promised
) -> None:
    # Ten minutes and some GiB, both scaled by thirty; `make bench` takes the ten minutes.
    bounds = Bounds(keep_bytes=2 << 20, bound_bytes=6 << 20)
    with Kafka(tmp_path / "kafka") as broker:
        traffic = Traffic(tmp_path / "data", broker.url, bounds=bounds)
        with traffic.flowing(rate=4000) as told:
            traffic.until(lambda now: now.complete_t_us is not None)
            broker.kill()
            away = traffic.until(lambda now: now.error is not None)
            assert "no broker answers" in str(away.error)
            time.sleep(20)
            size = sum(stream.size for stream in streams(traffic.folder.journal))
            assert size < bounds.bound_bytes + bounds.keep_bytes + (4 << 20)
            broker.start()
        found = accounted(traffic, noted, tmp_path / "store")
        assert found.named, "samples were thinned"
        assert told["dropped"] == 0
        status = barograph("status", "--dir", traffic.folder.root)
        assert status["shipping"]
        pipeline = barograph("verify", "--dir", tmp_path / "store")
        assert pipeline["faults"] == 0


def test_a_broker_whose_disk_is_full(tmp_path: Path, noted: Promised) -> None:
    needs.need_root()
    with (
        small_disk(tmp_path / "disk", "200m") as disk,
        Kafka(tmp_path / "kafka", data=disk / "data") as broker,
    ):
        traffic = Traffic(tmp_path / "data", broker.url)
        with traffic.flowing(rate=3000):
            traffic.until(lambda now: now.complete_t_us is not None)
            filler = fill(disk)
            said = traffic.until(lambda now: now.error is not None)
            assert said.waiting_bytes > 0
            time.sleep(2)
            filler.unlink()
            broker.kill()
            broker.start()
        assert accounted(traffic, noted, tmp_path / "store").named == frozenset()


def test_a_network_that_is_cut(tmp_path: Path, noted: Promised) -> None:
    needs.need_root()
    with Network() as network, Kafka(tmp_path / "kafka", network=network) as broker:
        traffic = Traffic(tmp_path / "data", broker.url)
        with traffic.flowing():
            traffic.until(lambda now: now.complete_t_us is not None)
            for _ in range(3):
                network.cut()
                time.sleep(3)
                network.join()
                time.sleep(1)
            network.cut()
            said = traffic.until(lambda now: now.error is not None)
            assert said.waiting_bytes > 0
            network.join()
        assert accounted(traffic, noted, tmp_path / "store").named == frozenset()
