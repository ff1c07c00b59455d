"""The log's backends, each held to the same suite."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.log.journal import JournalLog
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.kafka.topics import ensure_topic
from barograph.log.memory import MemoryLog
from barograph.log.port import Chunk, Log, Position
from tests.conformance.log_suite import LogSuite
from tests.services.kafka import Kafka


class TestMemoryLog(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return MemoryLog()


class TestJournalLog(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return JournalLog(tmp_path / "journal", reserve_bytes=0)


class TestJournalLogOfTinySegments(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return JournalLog(tmp_path / "journal", segment_bytes=1, reserve_bytes=0)


class TestJournalLogOfAnotherProcess(LogSuite):
    """Read by an object that did not write the files."""

    def make_log(self, tmp_path: Path) -> Log:
        return _TwoHandles(tmp_path / "journal")


class _TwoHandles(JournalLog):
    def read(self, position: Position, *, max_bytes: int = 1 << 20) -> Iterator[Chunk]:
        return JournalLog(self.folder).read(position, max_bytes=max_bytes)


_NUMBERS = itertools.count()


@pytest.mark.xdist_group("kafka")
class TestKafkaLog(LogSuite):
    """A topic of its own on a real broker."""

    @pytest.fixture(autouse=True)
    def _broker(self, kafka: Kafka) -> Iterator[None]:
        self.url = f"{kafka.url}/conformance-{next(_NUMBERS)}"
        self.logs: list[KafkaLog] = []
        yield
        for log in self.logs:
            log.close()

    def make_log(self, tmp_path: Path) -> Log:
        brokers = Brokers.of(self.url, {})
        ensure_topic(brokers)
        self.logs.append(KafkaLog(brokers))
        return self.logs[-1]
