"""The shipper against a real broker: all arrives, in order, whatever dies meanwhile."""

import itertools
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from barograph.codec import decode
from barograph.facts import EventsRefused, ShipperSelf
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import RECORD_BYTES
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic, look_at_topic
from barograph.log.port import START
from barograph.shipping.keeping import shipping_of, wait_until_shipped
from barograph.shipping.marks import Marks
from tests.services.kafka import Kafka, free_port
from tests.shipping import Journal, counted

NUMBERS = itertools.count()


@pytest.fixture
def topic(kafka: Kafka) -> str:
    return f"{kafka.url}/shipping-{next(NUMBERS)}"


@pytest.fixture
def journal(tmp_path: Path, topic: str) -> Journal:
    return Journal(tmp_path / "data", topic)


@pytest.fixture
def log(topic: str) -> Generator[KafkaLog]:
    opened = KafkaLog(Brokers.of(topic, {}))
    yield opened
    opened.close()


def test_all_arrives_once_and_each_source_in_order(journal: Journal, log: KafkaLog) -> None:
    journal.write(5000)
    journal.ship_all()
    journal.write(100)
    journal.ship_all()
    assert counted(log) == journal.said
    assert_in_order(log)


def test_a_source_is_in_order_over_all_of_its_files(
    tmp_path: Path, topic: str, log: KafkaLog
) -> None:
    # Files of more records than a source may send before others have their turn.
    journal = Journal(tmp_path / "data", topic, writers=1, segment_bytes=5 << 20)
    for _ in range(80):
        journal.write(1000)
    assert len(list(journal.folder.journal.glob("c*.jsonl"))) > 2
    journal.ship_all()
    assert counted(log) == journal.said
    assert_in_order(log)


def assert_in_order(log: KafkaLog) -> None:
    last: dict[str, int] = {}
    for chunk in log.read(START):
        assert len(chunk.data) <= RECORD_BYTES
        events = [decode(line) for line in chunk.data.splitlines()]
        assert len({event.source for event in events}) == 1
        for event in events:
            assert event.seq == last.get(event.source, -1) + 1
            last[event.source] = event.seq


def test_the_topic_is_made_as_stated(journal: Journal, topic: str) -> None:
    journal.write(1)
    journal.ship_all()
    found = look_at_topic(Brokers.of(topic, {}))
    assert found is not None
    assert (found.partitions, found.replication, found.in_sync) == (6, 1, 1)
    assert found.retention_ms == 30 * 86_400_000
    assert ensure_topic(Brokers.of(topic, {})) is None


def test_what_is_shipped_is_known(journal: Journal) -> None:
    journal.write(10)
    before = shipping_of(journal.folder)
    assert before is not None
    assert (before.pid, before.complete_t_us, before.error) == (None, None, None)
    assert before.waiting_bytes > 1000
    with journal.staying() as shipper:
        assert wait_until_shipped(journal.folder, within_s=60) is None
        after = shipping_of(journal.folder)
        assert after is not None
        assert after.pid == shipper.pid
    assert after.waiting_bytes == 0
    assert after.complete_t_us is not None


def test_a_topic_that_was_deleted_is_filled_anew(journal: Journal, log: KafkaLog) -> None:
    journal.write(10)
    journal.ship_all()
    marks = Marks.read(journal.folder.ship_marks)
    assert marks is not None
    marks.topic = "another"
    marks.write(journal.folder.ship_marks)
    journal.ship_all()
    assert set(counted(log)) == set(journal.said)
    assert set(counted(log).values()) == {2}


def test_a_line_that_no_broker_takes_stays_here_and_is_told(
    journal: Journal, log: KafkaLog
) -> None:
    journal.write(10)
    journal.write(10, size=17 << 20)
    journal.write(10, size=3 << 20)
    journal.ship_all()
    journal.ship_all()
    arrived, said = counted(log), journal.said
    refused = [
        event.payload
        for chunk in log.read(START)
        for event in map(decode, chunk.data.splitlines())
        if isinstance(event.payload, EventsRefused)
    ]
    lost = {(one.source, one.first) for payload in refused for one in payload.ranges}
    assert len(lost) == len(refused) == 2
    # What was under way beside it was sent again, with another client; the loader drops it.
    assert set(arrived) == set(said) - lost


def test_a_killed_shipper_is_followed_by_one_that_goes_on(journal: Journal, log: KafkaLog) -> None:
    for moment in range(10):
        journal.write(3000)
        with journal.ship() as shipper:
            time.sleep(0.3 + moment * 0.08)
            shipper.kill()
    journal.ship_all()
    # What was acknowledged and not noted yet was sent again; the loader drops it.
    assert set(counted(log)) == set(journal.said)


def test_a_signal_ends_it_when_what_is_under_way_has_arrived(journal: Journal) -> None:
    journal.write(1000)
    with journal.staying() as shipper:
        assert wait_until_shipped(journal.folder, within_s=60) is None
        shipper.send_signal(signal.SIGTERM)
        _, err = shipper.communicate(timeout=60)
        assert (shipper.returncode, err) == (0, "")


# A process of its own: the client forgets the sockets with which it was refused.
ATTEMPTS = """
import gc, os, sys, threading
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import UnreachableBrokerError
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.sending import Sender
from barograph.log.kafka.topics import look_at_topic

brokers = Brokers.of(sys.argv[1], {})
log = KafkaLog(brokers, within_s=0.5)
makers = 2 * [lambda: Sender(brokers, within_s=0.5), log.ends] + [lambda: look_at_topic(brokers)]
for make in makers:
    try:
        make()
    except UnreachableBrokerError:
        gc.collect()
        print(threading.active_count(), len(os.listdir("/proc/self/fd")))
"""


def test_a_broker_that_is_away_costs_no_threads_and_no_descriptors() -> None:
    url = f"kafka:127.0.0.1:{free_port()}"
    held = subprocess.run(
        [sys.executable, "-c", ATTEMPTS, url], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(held) == 5
    assert len(set(held)) == 1


def test_it_ends_when_its_folder_is_deleted(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "data", "kafka:127.0.0.1:1")
    journal.write(10)
    with journal.staying() as shipper:
        shutil.rmtree(journal.folder.root)
        _, err = shipper.communicate(timeout=60)
        assert "Traceback" not in err


def test_there_is_one_a_folder(journal: Journal) -> None:
    journal.write(1)
    with journal.staying() as first, journal.ship() as second:
        _, err = second.communicate(timeout=60)
        assert second.returncode == 3
        assert f"process {first.pid} ships this folder already" in err


def test_a_broker_that_dies_costs_nothing(tmp_path: Path) -> None:
    with Kafka(tmp_path / "kafka") as broker:
        journal = Journal(tmp_path / "data", broker.url)
        journal.write(20_000)
        with journal.ship() as shipper:
            time.sleep(1.0)
            broker.kill()
            for _ in range(20):
                journal.write(500)  # nobody who writes notices
                time.sleep(0.1)
            deadline = time.monotonic() + 60
            while (now := shipping_of(journal.folder)) is None or now.error is None:
                assert time.monotonic() < deadline, "nobody says that the broker is away"
                time.sleep(0.1)
            assert "no broker answers" in now.error
            assert now.waiting_bytes > 0
            broker.start()
            _, err = shipper.communicate(timeout=120)
            assert (shipper.returncode, err) == (0, "")
        journal.ship_all()
        log = KafkaLog(Brokers.of(broker.url, {}))
        arrived = counted(log)
        assert set(arrived) == set(journal.said)
        failures = [
            event.payload.failures
            for chunk in log.read(START)
            for event in map(decode, chunk.data.splitlines())
            if isinstance(event.payload, ShipperSelf)
        ]
        assert sum(failures) > 0
        log.close()
