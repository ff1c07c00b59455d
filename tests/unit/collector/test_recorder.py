"""The way to the log when the log refuses: samples are counted, facts are kept."""

from collections.abc import Sequence

from barograph.clock import FakeClock
from barograph.codec import decode
from barograph.envelope import Event
from barograph.facts import OomKill, Sample
from barograph.log.memory import MemoryLog
from barograph.log.port import LogError, LogFullError
from barograph.writer import Said, Writer
from collector.probes.port import Gap
from collector.recorder import Recorder


class Moody(MemoryLog):
    """A log that can be told to refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.refusal: LogError | None = None
        self.takes_facts = False

    def append(self, events: Sequence[Event]) -> None:
        samples = any(isinstance(event.payload, Sample) for event in events)
        if self.refusal is not None and (samples or not self.takes_facts):
            raise self.refusal
        super().append(events)

    def facts(self) -> list[Event]:
        return [decode(line) for chunk in self.read({}) for line in chunk.data.splitlines()]


def kill(ordinal: int) -> Said:
    return Said(OomKill(ordinal=ordinal, counter_before=ordinal - 1, counter_after=ordinal))


def recorder() -> tuple[Recorder, Moody, FakeClock]:
    log, clock = Moody(), FakeClock()
    return Recorder(Writer(log, source="c1", clock=clock), clock), log, clock


def test_what_the_log_takes_is_written_at_once() -> None:
    out, log, clock = recorder()
    assert out.record([kill(1), Said(Sample(usage_bytes=1))])
    assert [event.t_us for event in log.facts()] == [clock.wall_us()] * 2
    assert (out.written, out.outstanding, out.samples_dropped) == (2, 0, 0)
    assert out.record([])


def test_facts_outlast_a_log_that_refuses_everything_and_keep_order_and_time() -> None:
    out, log, clock = recorder()
    log.refusal = LogError("broken")
    began_us = clock.wall_us()
    assert not out.record([kill(1), Said(Sample()), kill(2)])
    clock.advance(5_000_000)
    assert not out.record([kill(3), Said(Sample())])
    assert (out.outstanding, out.samples_dropped, out.is_losing) == (3, 2, True)
    assert out.last_error is log.refusal
    log.refusal = None
    assert out.record([])
    facts = log.facts()
    assert [event.payload.ordinal for event in facts if isinstance(event.payload, OomKill)] == [
        1,
        2,
        3,
    ]
    assert facts[0].t_us == began_us
    assert [event.seq for event in facts] == [0, 1, 2]
    assert (out.outstanding, out.is_losing) == (0, False)


def test_a_full_disk_costs_samples_and_no_facts() -> None:
    out, log, _ = recorder()
    log.refusal, log.takes_facts = LogFullError("full"), True
    for ordinal in range(1, 4):
        assert not out.record([Said(Sample()), kill(ordinal), Said(Sample())])
    assert (out.samples_dropped, out.outstanding, out.is_losing) == (6, 0, True)
    kills = [event for event in log.facts() if isinstance(event.payload, OomKill)]
    assert len(kills) == 3


def test_a_sample_that_is_lost_twice_over_is_counted_once() -> None:
    out, log, _ = recorder()
    log.refusal = LogFullError("full")
    assert not out.record([Said(Sample()), kill(1)])
    assert (out.samples_dropped, out.outstanding) == (1, 1)


def test_each_gap_is_said_once() -> None:
    out, log, _ = recorder()
    gap, other = Gap(probe="psi", reason="off"), Gap(probe="psi", reason="gone")
    out.say_gaps([gap, gap])
    out.say_gaps([gap, other])
    assert [event.payload.type for event in log.facts()] == ["probe.unavailable"] * 2
