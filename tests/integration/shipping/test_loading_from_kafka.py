"""The one loader over a topic: the same tables as from a journal, whatever else is in it."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from barograph.codec import encode
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic
from barograph.log.port import LogError
from store.audit import audit
from store.database import Database, open_database
from store.loader import Loader
from store.reader import Reader
from tests.integration.shipping.test_shipping import NUMBERS
from tests.poison import KNOWN_LATER, POISON, produce
from tests.services.kafka import Kafka
from tests.shipping import Journal
from tests.stores import dump, event, golden_lines, sample


@pytest.fixture
def topic(kafka: Kafka) -> Brokers:
    brokers = Brokers.of(f"{kafka.url}/loading-{next(NUMBERS)}", {})
    ensure_topic(brokers)
    return brokers


@pytest.fixture
def log(topic: Brokers) -> Generator[KafkaLog]:
    opened = KafkaLog(topic)
    yield opened
    opened.close()


@pytest.fixture
def database(tmp_path: Path) -> Generator[Database]:
    with open_database(tmp_path / "store.duckdb") as opened:
        yield opened


def test_the_tables_are_those_of_the_journal(
    tmp_path: Path, topic: Brokers, log: KafkaLog, database: Database
) -> None:
    journal = Journal(tmp_path / "data", topic.url)
    journal.write(3000)
    journal.ship_all()
    with Loader(database) as loader:
        loaded = loader.load(log)
        assert (loaded.events, loaded.duplicates) == (len(journal.said), 0)
        assert loader.load(log).events == 0
    assert audit(log, database).ok
    with open_database(tmp_path / "other.duckdb") as other, Loader(other) as loader:
        loader.load(journal.log)
        # Where in the log a line stood is the one thing that is another.
        but = ("log_position",)
        assert dump(database, but=but) == dump(other, but=but)


def test_what_is_no_event_is_a_dead_letter_and_hides_nothing(
    topic: Brokers, log: KafkaLog, database: Database
) -> None:
    good = [encode(sample(seq, source="c1")) for seq in range(3)]
    later = [
        json.dumps({**said, "source": "c2", "seq": seq, "t_us": 1, "mono_us": 1}).encode() + b"\n"
        for seq, said in enumerate(KNOWN_LATER.values())
    ]
    values: list[bytes | None] = [good[0]]
    for poison in POISON.values():
        values += [poison, good[1]]
    produce(topic, [*values, good[2], *later])
    with Loader(database) as loader:
        loaded = loader.load(log)
    assert loaded.events == len(good) + len(later)
    assert loaded.dead_letters == len(POISON)
    letters = {(one.reason, one.size_bytes) for one in Reader(database).dead_letters(50)}
    assert ("an empty line", 0) in letters
    assert any(reason.startswith("too large") and size > 10 << 20 for reason, size in letters)
    report = audit(log, database)
    assert report.ok
    assert report.dead_letters == len(POISON)


def test_two_that_load_one_topic_by_mistake_have_each_everything(
    tmp_path: Path, topic: Brokers, log: KafkaLog, database: Database
) -> None:
    produce(topic, [encode(event)[:-1] + b"\n" for event in [sample(n) for n in range(100)]])
    with (
        open_database(tmp_path / "second.duckdb") as second,
        Loader(database) as one,
        Loader(second) as other,
    ):
        one.load(log)
        other.load(log)
        produce(topic, [encode(event(100))])
        one.load(log)
        other.load(log)
        assert Reader(database).counts().events == Reader(second).counts().events == 101
        assert dump(database) == dump(second)


def test_the_golden_log_is_taken_from_a_topic(
    topic: Brokers, log: KafkaLog, database: Database
) -> None:
    produce(topic, [line + b"\n" for line in golden_lines()])
    with Loader(database) as loader:
        assert loader.load(log).events == len(golden_lines())
    assert audit(log, database).ok


def test_a_topic_that_is_shorter_than_before_is_not_the_same(topic: Brokers, log: KafkaLog) -> None:
    produce(topic, [golden_lines()[0] + b"\n"], partition=2)
    with pytest.raises(LogError, match="another topic than before"):
        list(log.read({f"{topic.topic}/2": 5}))


def test_a_topic_that_is_not_there_is_named(kafka: Kafka) -> None:
    log = KafkaLog(Brokers.of(f"{kafka.url}/nowhere", {}))
    with pytest.raises(LogError, match="no such topic"):
        list(log.read({}))
    log.close()
