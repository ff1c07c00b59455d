"""A shipped journal stays within its bounds, by the stated rule, and every seq is accounted for."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.codec import decode, encode
from barograph.envelope import Belongs, Event
from barograph.facts import OomKill, PhaseStarted, Sample, SamplesThinned, SweepFinished
from barograph.folder import DataFolder, FolderRefusal
from barograph.log.journal import JournalLog
from barograph.log.port import START
from barograph.log.segments import streams
from barograph.shipping import upkeep as module
from barograph.shipping.bounds import BOUND_BYTES, KEEP_BYTES, Bounds
from barograph.shipping.keeping import share
from barograph.shipping.marks import Marks
from barograph.shipping.upkeep import Upkeep

NOTHING_KEPT = Bounds(keep_bytes=0, bound_bytes=1 << 40)
NOTHING_WAITS = Bounds(keep_bytes=1 << 40, bound_bytes=0)


def event(seq: int, payload: object, target: str = "t") -> Event:
    assert isinstance(payload, Sample | PhaseStarted | OomKill | SweepFinished)
    belongs = Belongs(sweep="s", trial="t", try_no=1, target=target)
    return Event(source="c", seq=seq, t_us=seq, mono_us=seq, belongs=belongs, payload=payload)


def written(folder: Path, events: list[Event]) -> None:
    """One file, which nobody writes any more."""
    log = JournalLog(folder, reserve_bytes=0)
    log.append(events)
    log.close()


def left(folder: Path) -> list[Event]:
    lines = b"".join(chunk.data for chunk in JournalLog(folder).read(START)).splitlines()
    return [decode(line) for line in lines]


def marks(**acknowledged: int) -> Marks:
    return Marks(topic="t", log="kafka:x:1", acknowledged=dict(acknowledged))


def accounted(said: list[SamplesThinned]) -> set[int]:
    """The seqs that were named."""
    return {seq for one in said for run in one.ranges for seq in range(run.first, run.last + 1)}


def step(folder: Path, found: Marks, bounds: Bounds) -> list[SamplesThinned]:
    said: list[SamplesThinned] = []
    Upkeep(folder, said.append).step(found, bounds)
    return said


def test_the_highest_of_ten_stays(tmp_path: Path) -> None:
    peaks = [*range(5), 100, *range(4), 7, 300]
    samples = [event(seq, Sample(peak_bytes=peak)) for seq, peak in enumerate(peaks)]
    killed = event(12, Sample(peak_bytes=1, oom_kill_delta=1))
    others = [event(20 + seq, Sample(usage_bytes=9 - seq), "u") for seq in range(10)]
    phase = event(30, PhaseStarted(phase="agent"))
    written(tmp_path, [*samples, killed, *others, phase])
    (said,) = step(tmp_path, marks(), NOTHING_WAITS)
    assert [one.seq for one in left(tmp_path)] == [5, 11, 12, 20, 30]
    assert accounted([said]) == {*range(31)} - {5, 11, 12, 20, 30} - {*range(13, 20)}
    assert (said.first_t_us, said.last_t_us) == (0, 29)


def test_each_file_once_and_then_again(tmp_path: Path) -> None:
    log = JournalLog(tmp_path, reserve_bytes=0, segment_bytes=20_000)
    for seq in range(400):
        log.append([event(seq, Sample(peak_bytes=seq))])
    log.close()
    files = len(streams(tmp_path))
    assert files > 3
    said: list[SamplesThinned] = []
    keeper, found = Upkeep(tmp_path, said.append), marks()
    for _ in range(files):
        assert keeper.step(found, NOTHING_WAITS)
    assert {one.name[-2:] for one in streams(tmp_path)} == {"-1"}
    assert 40 <= len(left(tmp_path)) <= 40 + files
    while keeper.step(found, NOTHING_WAITS):
        pass
    assert len(left(tmp_path)) == files
    assert accounted(said) | {one.seq for one in left(tmp_path)} == {*range(400)}
    enough = Bounds(keep_bytes=0, bound_bytes=1 << 30)
    assert not keeper.step(found, enough)


def test_what_is_acknowledged_goes_but_what_is_needed(tmp_path: Path) -> None:
    kept = [event(1, PhaseStarted(phase="agent")), event(3, _kill())]
    gone = [event(0, Sample()), event(2, SweepFinished(reason="complete", trials_ended=1))]
    written(tmp_path, sorted([*kept, *gone], key=lambda one: one.seq))
    (stream,) = streams(tmp_path)
    found = marks(**{stream.name: stream.size})
    assert step(tmp_path, found, NOTHING_KEPT) == []
    assert left(tmp_path) == kept
    (version,) = streams(tmp_path)
    assert found.acknowledged == {version.name: version.size}
    step(tmp_path, found, NOTHING_KEPT)
    assert streams(tmp_path) == [version], "nothing more is there to go"


def test_a_file_of_which_nothing_is_needed_goes(tmp_path: Path) -> None:
    written(tmp_path, [event(seq, Sample()) for seq in range(3)])
    (stream,) = streams(tmp_path)
    found = marks(**{stream.name: stream.size})
    step(tmp_path, found, NOTHING_KEPT)
    assert streams(tmp_path) == []
    step(tmp_path, found, NOTHING_KEPT)
    assert found.acknowledged == {}


def test_what_waits_behind_a_mark_keeps_its_place(tmp_path: Path) -> None:
    events = [event(seq, Sample(peak_bytes=-seq % 7)) for seq in range(30)]
    written(tmp_path, events)
    mark = len(b"".join(map(encode, events[:15])))
    (stream,) = streams(tmp_path)
    found = marks(**{stream.name: mark})
    said = step(tmp_path, found, NOTHING_WAITS)
    kept = {one.seq for one in left(tmp_path)}
    assert len(kept) == 2
    assert accounted(said) | kept == {*range(15, 30)}
    assert found.acknowledged == {f"{stream.name}-1": 0}


def test_within_its_bounds_it_is_left_alone(tmp_path: Path) -> None:
    written(tmp_path, [event(seq, Sample()) for seq in range(30)])
    (stream,) = streams(tmp_path)
    for found in (marks(), marks(**{stream.name: stream.size})):
        assert step(tmp_path, found, Bounds()) == []
    assert streams(tmp_path) == [stream]


@pytest.mark.parametrize("broken", ["tell", "replace"])
def test_a_kill_at_any_step_loses_nothing(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, [event(seq, Sample(peak_bytes=seq)) for seq in range(30)])
    said: list[SamplesThinned] = []

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if broken == "replace":
            patch.setattr(module, "replace", die)
        keeper = Upkeep(tmp_path, die if broken == "tell" else said.append)
        with pytest.raises(KeyboardInterrupt):
            keeper.step(marks(), NOTHING_WAITS)
    assert len(left(tmp_path)) == 30
    said += step(tmp_path, marks(), NOTHING_WAITS)
    assert accounted(said) | {one.seq for one in left(tmp_path)} == {*range(30)}


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=30)
def test_whatever_the_lines_every_seq_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    draw, folder = random.Random(seed), tmp_path_factory.mktemp("upkeep")
    events = [
        event(seq, draw.choice([Sample(peak_bytes=draw.randrange(9)), PhaseStarted(phase="setup")]))
        for seq in range(draw.randrange(1, 80))
    ]
    written(folder, events)
    said: list[SamplesThinned] = []
    keeper, found = Upkeep(folder, said.append), marks()
    for _ in range(draw.randrange(4)):
        keeper.step(found, NOTHING_WAITS)
    there = {one.seq for one in left(folder)}
    assert there | accounted(said) == {*range(len(events))}
    assert {one.seq for one in events if isinstance(one.payload, PhaseStarted)} <= there


def test_bounds_are_remembered(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path)
    assert Bounds.of(folder) == Bounds(keep_bytes=KEEP_BYTES, bound_bytes=BOUND_BYTES)
    share(folder, "kafka:x:1", Bounds(keep_bytes=5, bound_bytes=6))
    share(folder, "kafka:x:1")
    assert Bounds.of(folder) == Bounds(keep_bytes=5, bound_bytes=6)
    assert folder.shared_log_url == "kafka:x:1"
    folder.shared_log.write_text("kafka:x:1\n")
    assert Bounds.of(folder) == Bounds()
    folder.shared_log.write_text("kafka:x:1\nkeep many\n")
    with pytest.raises(FolderRefusal, match="not numbers"):
        Bounds.of(folder)


def _kill() -> OomKill:
    return OomKill(ordinal=1, counter_before=0, counter_after=1)
