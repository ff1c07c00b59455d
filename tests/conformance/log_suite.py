"""What every backend of the log must hold; a backend's test derives and gives ``make_log``."""

from abc import ABC, abstractmethod
from pathlib import Path

import pytest

from barograph.codec import decode
from barograph.envelope import Belongs, Event
from barograph.facts import PhaseStarted, Sample
from barograph.log.port import START, Log, Position


def phase(seq: int, *, source: str = "t1") -> Event:
    return Event(source=source, seq=seq, t_us=seq, mono_us=seq, payload=PhaseStarted(phase="agent"))


def sample(seq: int, *, source: str = "t1") -> Event:
    belongs = Belongs(sweep="s", trial="t", try_no=1, target="t-1")
    payload = Sample(usage_bytes=seq)
    return Event(source=source, seq=seq, t_us=1, mono_us=1, belongs=belongs, payload=payload)


def read_all(log: Log, position: Position = START, **limits: int) -> tuple[list[Event], Position]:
    events: list[Event] = []
    after = dict(position)
    for chunk in log.read(position, **limits):
        assert after.get(chunk.stream, 0) == chunk.start
        after[chunk.stream] = chunk.end
        events += [decode(line) for line in chunk.data.splitlines()]
    return events, after


class LogSuite(ABC):
    @abstractmethod
    def make_log(self, tmp_path: Path) -> Log:
        """A new, empty log."""

    @pytest.fixture
    def log(self, tmp_path: Path) -> Log:
        return self.make_log(tmp_path)

    def test_an_empty_log_reads_as_nothing(self, log: Log) -> None:
        assert list(log.read(START)) == []

    def test_nothing_appended_is_nothing_read(self, log: Log) -> None:
        log.append([])
        assert list(log.read(START)) == []

    def test_what_was_appended_is_read_in_order(self, log: Log) -> None:
        events = [phase(0), sample(1), phase(2)]
        log.append(events[:1])
        log.append(events[1:])
        assert read_all(log)[0] == events

    def test_sources_keep_their_order(self, log: Log) -> None:
        for seq in range(5):
            log.append([phase(seq, source="a")])
            log.append(
                [
                    phase(seq, source="b"),
                ]
            )
        events, _ = read_all(log)
        for source in "ab":
            assert [e.seq for e in events if e.source == source] == list(range(5))

    def test_reading_goes_on_from_a_position(self, log: Log) -> None:
        log.append([phase(0), phase(1)])
        first, position = read_all(log)
        assert read_all(log, position)[0] == []
        log.append([phase(2)])
        later, _ = read_all(log, position)
        assert [e.seq for e in first + later] == [0, 1, 2]

    @pytest.mark.parametrize("max_bytes", [1, 200, 1000, 10**6])
    def test_any_chunk_size_gives_the_same_events(self, log: Log, max_bytes: int) -> None:
        events = [phase(seq) for seq in range(20)]
        log.append(events)
        assert read_all(log, max_bytes=max_bytes)[0] == events

    def test_any_position_between_chunks_is_a_place_to_go_on(self, log: Log) -> None:
        log.append([phase(seq) for seq in range(10)])
        for chunk in list(log.read(START, max_bytes=1)):
            rest, _ = read_all(log, {chunk.stream: chunk.end})
            done = decode(chunk.data.splitlines()[-1]).seq + 1
            assert [e.seq for e in rest] == list(range(done, 10))

    def test_a_reading_that_began_does_not_run_after_a_writer(self, log: Log) -> None:
        log.append([phase(0)])
        reading = log.read(START)
        first = next(reading)
        log.append([phase(1)])
        assert decode(first.data).seq == 0
        assert list(reading) == []
