"""The writer: gapless seqs, two clocks, and what it does when the log has no room."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from barograph.clock import FakeClock
from barograph.envelope import Belongs, Event
from barograph.facts import PhaseStarted, Sample, SamplesThinned
from barograph.log.memory import MemoryLog
from barograph.log.port import LogError, LogFullError
from barograph.writer import Said, Writer
from tests.conformance.log_suite import read_all

AGENT = PhaseStarted(phase="agent")


class TightLog(MemoryLog):
    """Refuses batches that hold samples while it is full, as a journal does."""

    full = False
    broken: LogError | None = None

    def append(self, events: Sequence[Event]) -> None:
        if self.broken is not None:
            raise self.broken
        if self.full and any(isinstance(event.payload, Sample) for event in events):
            raise LogFullError("the disk is full")
        super().append(events)


def test_seqs_are_gapless_and_both_clocks_are_stamped() -> None:
    log, clock = MemoryLog(), FakeClock(wall_us=1000, mono_us=5)
    writer = Writer(log, source="w", clock=clock)
    writer.write(AGENT)
    clock.advance(10)
    writer.write_many([Said(AGENT, Belongs(trial="t")), Said(AGENT, t_us=7)])
    events, _ = read_all(log)
    assert [(e.seq, e.t_us, e.mono_us) for e in events] == [(0, 1000, 5), (1, 1010, 15), (2, 7, 15)]
    assert events[1].belongs.trial == "t"
    assert writer.written == 3


def test_a_refused_batch_uses_up_no_seq() -> None:
    log = TightLog()
    writer = Writer(log, source="w", clock=FakeClock())
    log.broken = LogError("read-only")
    with pytest.raises(LogError):
        writer.write(AGENT)
    log.broken = None
    writer.write(AGENT)
    assert [event.seq for event in read_all(log)[0]] == [0]


def test_a_batch_that_may_be_in_the_log_uses_up_its_seqs() -> None:
    log = TightLog()
    writer = Writer(log, source="w", clock=FakeClock())
    log.broken = LogError("half-written")
    log.broken.uncertain = True
    with pytest.raises(LogError):
        writer.write_many([Said(AGENT), Said(AGENT)])
    log.broken = None
    writer.write(AGENT)
    assert [event.seq for event in read_all(log)[0]] == [2]


def test_on_a_full_disk_samples_are_given_up_and_counted_and_the_rest_is_written() -> None:
    log, clock = TightLog(), FakeClock(wall_us=0)
    writer = Writer(log, source="w", clock=clock)
    log.full = True
    for _ in range(12):
        writer.write_many([Said(Sample(usage_bytes=1)), Said(AGENT)])
        clock.advance(1_000_000)
    log.full = False
    writer.write(Sample(usage_bytes=2))
    events, _ = read_all(log)
    assert [event.seq for event in events] == list(range(len(events)))
    assert sum(event.payload == AGENT for event in events) == 12
    losses = [e.payload for e in events if isinstance(e.payload, SamplesThinned)]
    assert [loss.dropped for loss in losses] == [1, 10, 1]
    assert losses[-1].last_t_us == 12_000_000
    assert writer.samples_dropped == 12


def test_a_sample_that_was_given_up_is_said_to_be() -> None:
    log = TightLog()
    log.full = True
    assert Writer(log, source="w", clock=FakeClock()).write(Sample(usage_bytes=1)) is None


def test_no_room_for_anything_else_is_an_error() -> None:
    log = TightLog()
    log.broken = LogFullError("the disk is full")
    with pytest.raises(LogFullError):
        Writer(log, source="w", clock=FakeClock()).write(AGENT)


def test_what_was_acknowledged_is_told_on_the_inherited_descriptor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fd = os.open(tmp_path / "acknowledged", os.O_WRONLY | os.O_CREAT)
    monkeypatch.setenv("BAROGRAPH_ACK_FD", str(fd))
    writer = Writer(MemoryLog(), source="w", clock=FakeClock())
    writer.write_many([Said(AGENT), Said(AGENT)])
    os.close(fd)
    assert (tmp_path / "acknowledged").read_text() == "w 0\nw 1\n"
