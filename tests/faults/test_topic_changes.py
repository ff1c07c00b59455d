"""The topic gets another partition, two loaders read it, the clock goes back, poison lies on it."""

import itertools
import json
import os
import signal
import time
from pathlib import Path

import pytest

from barograph.codec import encode
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import look_at_topic
from barograph.log.port import START
from tests.faults.traffic import Traffic, accounted, barograph, started
from tests.poison import KNOWN_LATER, POISON, produce
from tests.promised import Promised
from tests.services.administering import add_partitions
from tests.services.kafka import Kafka
from tests.shipping import Journal
from tests.stores import event

NUMBERS = itertools.count()


@pytest.fixture
def traffic(tmp_path: Path, kafka: Kafka) -> Traffic:
    return Traffic(tmp_path / "data", f"{kafka.url}/changes-{next(NUMBERS)}")


def test_a_partition_is_added(tmp_path: Path, traffic: Traffic, noted: Promised) -> None:
    store = tmp_path / "store"
    brokers = Brokers.of(traffic.url, {})
    with traffic.flowing():
        traffic.until(lambda now: now.complete_t_us is not None)
        barograph("load", "--log", traffic.url, "--dir", store)
        add_partitions(brokers, 11)
        while (topic := look_at_topic(brokers)) is None or topic.partitions != 11:
            time.sleep(0.1)  # the broker hears of it from its controller
        # The next shipper knows of them (this one would in five minutes): sources that begin
        # from now on lie on the new ones, too.
        before = traffic.until(lambda now: now.pid is not None)
        os.kill(before.pid or 0, signal.SIGTERM)
        traffic.until(lambda now: now.pid not in {None, before.pid})
        journal = Journal(traffic.folder.root, traffic.url, writers=20)
        journal.write(50)
        journal.log.close()
        time.sleep(1)
    accounted(traffic, noted, store)
    log = KafkaLog(brokers)
    used = {int(chunk.stream.rpartition("/")[2]) for chunk in log.read(START)}
    log.close()
    assert max(used) >= 6, "nothing lies on the new partitions"


def test_two_loaders_by_mistake(tmp_path: Path, traffic: Traffic, noted: Promised) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    with traffic.flowing(), started("serve", "--dir", one, "--log", traffic.url) as server:
        assert server.stdout is not None
        assert "Serving" in server.stdout.readline()
        second = started("serve", "--dir", one, "--log", traffic.url)
        _, refused = second.communicate(timeout=60)
        assert second.returncode == 3
        assert f"process {server.pid}" in refused
        for _ in range(4):
            barograph("load", "--dir", one)
            barograph("load", "--log", traffic.url, "--dir", other)
        server.terminate()
        server.communicate(timeout=60)
    accounted(traffic, noted, one)
    barograph("load", "--dir", other)
    here, there = (barograph("verify", "--dir", store) for store in (one, other))
    assert there["faults"] == 0
    assert here["log"] == there["log"]


def test_a_clock_that_goes_back_an_hour(tmp_path: Path, traffic: Traffic, noted: Promised) -> None:
    with traffic.flowing("--back-after-ticks", "30"):
        time.sleep(6)
    found = accounted(traffic, noted, tmp_path / "store")
    assert found.named == frozenset()


def test_poison(tmp_path: Path, traffic: Traffic, noted: Promised) -> None:
    store = tmp_path / "store"
    brokers = Brokers.of(traffic.url, {})
    later = [
        json.dumps({**said, "source": "c9", "seq": seq, "t_us": 1, "mono_us": 1}).encode() + b"\n"
        for seq, said in enumerate(KNOWN_LATER.values())
    ]
    with traffic.flowing():
        traffic.until(lambda now: now.complete_t_us is not None)
        for partition in range(6):
            produce(brokers, list(POISON.values()), partition=partition)
        produce(brokers, [*later, encode(event(0, source="c8"))])
        barograph("load", "--log", traffic.url, "--dir", store)
        produce(brokers, list(POISON.values()))
    accounted(traffic, noted, store)
    log = barograph("verify", "--dir", store)["log"]
    assert isinstance(log, dict)
    assert log["dead_letters"] == 7 * len(POISON)
