"""What a campaign finds in the log: outcomes that stand, and tries that need another."""

import random

import pytest

from barograph.clock import FakeClock
from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import (
    Payload,
    PhaseStarted,
    Sample,
    SweepPlanned,
    TrialFinished,
    TrialStarted,
)
from barograph.log.memory import MemoryLog
from barograph.writer import Writer
from runner.resume import Past, read_past


class Story:
    """Writes a log."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.clock = FakeClock()
        self.writer = Writer(self.log, source="r1", clock=self.clock)

    def say(self, payload: Payload, trial: str | None = None, try_no: int | None = None) -> None:
        self.clock.advance(1_000_000)
        target = None if trial is None else f"{trial}-{try_no}"
        belongs = Belongs(sweep="s1", trial=trial, try_no=try_no, target=target)
        self.writer.write(payload, belongs)

    def begin(self, trial: str, try_no: int = 1) -> None:
        started = TrialStarted(
            task="t",
            task_digest="d",
            agent="a",
            condition="c",
            attempt=1,
            host="h",
            block=0,
        )
        self.say(started, trial, try_no)

    def end(self, trial: str, try_no: int = 1, how: str = "completed") -> None:
        assert how in {"completed", "sandbox_died", "error", "cancelled"}
        finished = TrialFinished(how=how, duration_s=1)  # type: ignore[arg-type]  # one of them
        self.say(finished, trial, try_no)

    def plan(self, digest: str = "sha256:1") -> None:
        planned = SweepPlanned(
            name="n",
            digest=digest,
            seed=1,
            trials=1,
            attempts=1,
            spec={},
            product_version="0",
            harness="barograph",
            tasks={},
        )
        self.say(planned)

    @property
    def past(self) -> Past:
        return read_past(self.log)


@pytest.fixture
def story() -> Story:
    return Story()


def test_an_empty_log_has_no_past(story: Story) -> None:
    assert (story.past.planned, story.past.sweep_id) == (None, None)
    assert story.past.standing("x") is None
    assert story.past.next_try("x") == 1
    assert story.past.orphans() == []


def test_the_plan_is_found_with_its_id(story: Story) -> None:
    story.plan()

    past = story.past

    assert past.sweep_id == "s1"
    assert past.planned is not None
    assert past.planned.digest == "sha256:1"


@pytest.mark.parametrize("how", ["completed", "sandbox_died", "error"])
def test_every_try_stands_but_those_that_were_cancelled(story: Story, how: str) -> None:
    story.begin("x")
    story.end("x", how=how)

    standing = story.past.standing("x")
    assert standing is not None
    assert standing.how == how
    assert story.past.orphans() == []


def test_a_cancelled_try_is_run_again_as_the_next(story: Story) -> None:
    story.begin("x")
    story.end("x", how="cancelled")

    assert story.past.standing("x") is None
    assert story.past.next_try("x") == 2


def test_a_try_whose_runner_died_is_an_orphan_and_run_again(story: Story) -> None:
    story.begin("x")
    started_us = story.clock.wall_us()
    story.say(PhaseStarted(phase="setup"), "x", 1)
    last_us = story.clock.wall_us()
    story.say(Sample(), "x", 1)

    orphan = story.past.orphans()[0]
    assert (orphan.trial, orphan.try_no, orphan.target) == ("x", 1, "x-1")
    assert (orphan.started_t_us, orphan.last_t_us) == (started_us, last_us)
    assert story.past.standing("x") is None
    assert story.past.next_try("x") == 2


def test_the_first_standing_try_is_the_outcome(story: Story) -> None:
    for try_no, how in enumerate(["cancelled", "error", "completed"], start=1):
        story.begin("x", try_no)
        story.end("x", try_no, how)

    standing = story.past.standing("x")
    assert standing is not None
    assert standing.how == "error"
    assert story.past.next_try("x") == 4


def test_the_order_of_events_does_not_matter() -> None:
    story = Story()
    story.plan()
    for trial in "abcdef":
        story.begin(trial)
        if trial != "f":
            story.end(trial, how="cancelled" if trial in "ab" else "completed")
    lines = [line for chunk in story.log.read({}) for line in chunk.data.splitlines()]
    expected = story.past
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        log = MemoryLog()
        for line in lines:
            log.append_raw(line)
        past = read_past(log)
        assert past.orphans() == expected.orphans()
        assert all(past.standing(trial) == expected.standing(trial) for trial in "abcdef")
        assert all(past.next_try(trial) == expected.next_try(trial) for trial in "abcdef")


def test_broken_lines_hide_nothing(story: Story) -> None:
    story.plan()
    story.begin("x")
    story.log.append_raw(b"\xff\xfe not json")
    story.log.append_raw(b'{"v":1,"type":"trial.finished","source":"r1"}')
    story.log.append_raw(b'{"v":1,"type":"trial.finished",' + b"x" * 1000)
    story.log.append_raw(b"")
    story.end("x")

    assert story.past.standing("x") is not None
    assert story.past.sweep_id == "s1"


def test_what_it_looks_for_is_written_as_it_looks_for_it() -> None:
    """The types are found by how their lines begin; a change of the codec must be noticed."""
    story = Story()
    event = Event(
        source="r1",
        seq=0,
        t_us=0,
        mono_us=0,
        payload=TrialFinished(how="completed", duration_s=1),
        belongs=Belongs(trial="x", try_no=1),
    )
    story.log.append_raw(encode(event))

    assert story.past.standing("x") is not None
