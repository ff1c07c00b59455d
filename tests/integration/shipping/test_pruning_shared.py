"""What is pruned where machines share a log: out of every table, and still in the topic."""

from pathlib import Path

import pytest

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.clock import SystemClock
from barograph.folder import DataFolder
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic
from barograph.log.port import START
from barograph.shipping.keeping import share
from store import connect
from store.copying.exporting import export
from store.copying.importing import import_copy
from store.retention.planning import plan_sweep
from store.retention.pruner import begin, finish, left
from tests.copies import Teller
from tests.integration.shipping.test_shipping import NUMBERS
from tests.services.kafka import Kafka


@pytest.fixture
def topic(kafka: Kafka) -> Brokers:
    brokers = Brokers.of(f"{kafka.url}/pruning-{next(NUMBERS)}", {})
    ensure_topic(brokers)
    return brokers


def told(path: Path, url: str, sweep: str) -> DataFolder:
    """A machine's folder with a sweep in its journal."""
    teller = Teller()
    teller.sweep(sweep, host=f"h-{sweep}", samples=50)
    folder = DataFolder.create(path)
    for line in teller.lines:
        source = "c" if b'"source":"c' in line else "r"
        with (folder.journal / f"{source}{sweep}.000000.jsonl").open("ab") as file:
            file.write(line + b"\n")
    share(folder, url)
    return folder


def lines_of(log: KafkaLog) -> list[bytes]:
    return [line for chunk in log.read(START) for line in chunk.data.splitlines()]


def sweeps(folder: DataFolder) -> list[str]:
    with connect(folder) as served:
        served.load()
        assert served.audit().ok
        return [row.sweep for row in served.reader().sweeps()]


def test_one_machine_prunes_and_all_tables_are_without_it(tmp_path: Path, topic: Brokers) -> None:
    one = told(tmp_path / "one", topic.url, "s1")
    two = told(tmp_path / "two", topic.url, "s2")
    assert sweeps(two) == ["s2"]
    assert sweeps(one) == ["s1", "s2"]
    with connect(two) as served:
        served.load()
        begin(two, served, plan_sweep(served, "s1"), "ada")
        served.load()
        assert finish(two, served, lambda _: None).lines == 0
    assert sweeps(one) == sweeps(two) == ["s2"]
    # Its own journal, and the topic, have the lines all the same.
    log = KafkaLog(topic)
    assert sum(b'"sweep":"s1"' in line for line in lines_of(log)) == 53
    log.close()
    with connect(one) as served:
        served.load()
        assert left(one, served)
        assert finish(one, served, lambda _: None).lines == 104
        assert not left(one, served)
    assert sweeps(one) == ["s2"]
    # A store that is made from the topic later has never seen it.
    three = DataFolder.create(tmp_path / "three")
    share(three, topic.url)
    assert sweeps(three) == ["s2"]


def test_one_sweep_of_a_shared_log_is_copied(tmp_path: Path, topic: Brokers) -> None:
    one = told(tmp_path / "one", topic.url, "s1")
    told(tmp_path / "two", topic.url, "s2")
    assert sweeps(DataFolder.existing(tmp_path / "two")) == ["s2"]
    assert sweeps(one) == ["s1", "s2"]
    with connect(one) as served:
        row = served.reader().sweep("s2")
    log = KafkaLog(topic)
    policy = judging_policy(policy_v1())
    made = export(log, row, tmp_path / "x", policy=policy, clock=SystemClock())
    log.close()
    assert made.manifest.counts.samples == 50
    import_copy(tmp_path / "x", str(tmp_path / "copy"))
    assert sweeps(DataFolder.existing(tmp_path / "copy")) == ["s2"]
