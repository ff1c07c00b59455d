"""What the page Trial asks: slices equal a fold in Python, no kill is lost, neighbours add up."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.codec import encode
from barograph.facts import Sample
from barograph.writer import Said
from store.database import Database
from store.judging import refresh
from store.pages import trial as page
from store.pages.trial import LaneSlice
from store.reader import Reader
from store.spans import APART_US, LAST_US, sampled_span
from tests import running
from tests.running import MIB, SWEEP, S, belongs, trial_id
from tests.stores import chunk, empty_store, golden_lines, load
from tests.story_rows import KILLED

T0 = 1_795_000_000 * S
TRIAL = trial_id(0)


def store_of(said: Sequence[Said], *, source: str = "r1") -> Database:
    database = empty_store()
    lines = [encode(event)[:-1] for event in running.stamped(said, source=source)]
    load(database, chunk(lines, stream=source))
    return database


def golden() -> Database:
    database = empty_store()
    load(database, chunk(golden_lines()))
    return database


@dataclass(frozen=True)
class Read:
    """One sample: when, and four of its numbers."""

    after_us: int
    usage: int | None
    peak: int | None
    limit: int | None
    cpu_us: int | None


SIZES = st.one_of(st.none(), st.integers(0, 2**40))
READS = st.lists(
    st.builds(
        Read,
        after_us=st.integers(0, 20 * S),
        usage=SIZES,
        peak=SIZES,
        limit=SIZES,
        cpu_us=SIZES,
    ),
    max_size=40,
)


def sampled(reads: Sequence[Read]) -> list[Said]:
    return [
        Said(
            Sample(
                interval_us=S,
                usage_bytes=one.usage,
                peak_bytes=one.peak,
                limit_bytes=one.limit,
                cpu_usage_us=one.cpu_us,
            ),
            belongs(0),
            T0 + one.after_us,
        )
        for one in reads
    ]


def known(values: Sequence[int | None]) -> list[int]:
    return [value for value in values if value is not None]


def folded(reads: Sequence[Read], low: int, high: int, slices: int) -> list[tuple[object, ...]]:
    """The same in Python: samples into slices, each with its extremes and sums."""
    into: dict[int, list[Read]] = {}
    for one in reads:
        if low <= one.after_us <= high:
            into.setdefault((one.after_us - low) * slices // (high - low + 1), []).append(one)
    rows: list[tuple[object, ...]] = []
    for _, some in sorted(into.items()):
        usage = known([one.usage for one in some])
        rows.append(
            (
                T0 + min(one.after_us for one in some),
                T0 + max(one.after_us for one in some),
                len(some),
                len(some) * S,
                min(usage, default=None),
                sum(usage) / len(usage) if usage else None,
                max(usage, default=None),
                max(known([one.peak for one in some]), default=None),
                min(known([one.limit for one in some]), default=None),
                sum(cpus) if (cpus := known([one.cpu_us for one in some])) else None,
            )
        )
    return rows


def shown(one: LaneSlice) -> tuple[object, ...]:
    return (
        one.first_t_us,
        one.t_us,
        one.samples,
        one.interval_us,
        one.usage_min_bytes,
        None if one.usage_mean_bytes is None else pytest.approx(one.usage_mean_bytes),
        one.usage_max_bytes,
        one.peak_bytes,
        one.limit_bytes,
        one.cpu_usage_us,
    )


@settings(max_examples=40, deadline=None)
@given(READS, st.integers(0, 20 * S), st.integers(0, 20 * S), st.integers(1, 12))
def test_slices_equal_a_fold_of_the_samples(
    reads: list[Read], one_end: int, other_end: int, slices: int
) -> None:
    low, high = sorted((one_end, other_end))
    database = store_of([*running.begun(0, T0), *sampled(reads)])
    found = page.lanes(database, TRIAL, 1, low_us=T0 + low, high_us=T0 + high, slices=slices)
    assert [shown(one) for one in found] == folded(reads, low, high, slices)
    assert len(found) <= slices


def test_a_slice_keeps_the_highest_peak_of_thousands_of_samples() -> None:
    said = [
        running.sampled(0, T0 + tick * S, usage=tick, peak=77 * MIB if tick == 1234 else tick)
        for tick in range(3000)
    ]
    database = store_of([*running.begun(0, T0), *said])
    wide = page.lanes(database, TRIAL, 1, low_us=T0, high_us=T0 + 3000 * S, slices=100)
    assert len(wide) == 100
    assert max(one.peak_bytes or 0 for one in wide) == 77 * MIB
    near = page.lanes(database, TRIAL, 1, low_us=T0 + 1230 * S, high_us=T0 + 1239 * S, slices=100)
    assert [one.samples for one in near] == [1] * 10, "a narrow window is read sample by sample"
    most = page.lanes(database, TRIAL, 1, low_us=T0, high_us=T0 + 3000 * S, slices=10**9)
    assert len(most) <= page.MOST_SLICES


def test_other_tries_are_not_among_the_samples() -> None:
    said = [*running.begun(0, T0), *running.begun(1, T0)]
    said += [running.sampled(0, T0 + S, usage=1), running.sampled(1, T0 + S, usage=99 * MIB)]
    (only,) = page.lanes(store_of(said), TRIAL, 1, low_us=T0, high_us=T0 + 9 * S, slices=3)
    assert only.usage_max_bytes == 1


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 100 * S), min_size=1, max_size=30))
def test_no_kill_is_lost_however_near_they_are(moments: list[int]) -> None:
    said = [
        running.killed(0, T0 + at, victim=f"victim-{place}", ordinal=place + 1)
        for place, at in enumerate(moments)
    ]
    database = store_of([*running.begun(0, T0), *said])
    row = page.head(database, TRIAL)
    assert row is not None
    kills = page.story(database, row).kills
    assert sorted(kill.t_us - T0 for kill in kills) == sorted(moments)
    assert {kill.victim_comm for kill in kills} == {f"victim-{n}" for n in range(len(moments))}


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50), st.booleans()), max_size=12),
    st.integers(1, 10),
)
def test_neighbours_add_up(others: list[tuple[int, int, bool]], slices: int) -> None:
    """Each other try is counted in every slice in which it ran."""
    said = running.begun(0, T0)
    for number, (begin, length, ends) in enumerate(others, 1):
        said += running.begun(number, T0 + begin * S)
        if ends:
            said.append(running.ended(number, T0 + (begin + length) * S))
    database = store_of(said)
    mine = Reader(database).story(TRIAL).begun[0]
    low, high = T0 + 20 * S, T0 + 60 * S
    found = page.neighbours(database, mine, TRIAL, low_us=low, high_us=high, slices=slices)
    width = high - low + 1

    def slice_of(at: int) -> int:
        return (at - low) * slices // width

    expected = [0] * slices
    for begin, length, ends in others:
        start, end = T0 + begin * S, T0 + (begin + length) * S if ends else high
        if start > high or end < low:
            continue
        first, last = max(0, slice_of(start)), min(slices - 1, slice_of(end))
        for place in range(first, last + 1):
            expected[place] += 1
    assert [one.running for one in found] == expected


def test_kills_of_neighbours_name_their_trial_and_victim() -> None:
    said = [*running.begun(0, T0), *running.begun(1, T0), *running.begun(2, T0)]
    said += [running.killed(0, T0 + 4 * S), running.killed(1, T0 + 5 * S, victim="java")]
    said += [running.killed(2, T0 + 99 * S)]
    database = store_of(said)
    mine = Reader(database).story(TRIAL).begun[0]
    found = page.neighbour_kills(database, mine, TRIAL, low_us=T0, high_us=T0 + 9 * S)
    assert [(one.trial, one.victim_comm, one.t_us) for one in found] == [
        (trial_id(1), "java", T0 + 5 * S)
    ]
    assert found[0].contestant == "thrifty"


def test_an_unknown_trial_is_none() -> None:
    assert page.head(empty_store(), "nothing") is None
    assert page.head(golden(), "7753fd3b061") is None, "a prefix is another question"


def test_the_story_is_the_readers_but_for_the_verdicts() -> None:
    database = golden()
    for row in Reader(database).trials():
        theirs, ours = Reader(database).story(row.trial), page.story(database, row)
        assert ours.outcomes == []
        for field in ("begun", "ends", "phases", "execs", "kills", "usage", "sandbox_ends"):
            assert getattr(ours, field) == getattr(theirs, field)


def test_judged_tries_come_with_their_verdicts() -> None:
    database = golden()
    refresh(database, judging_policy(policy_v1()), None)
    rows = page.task_tries(database, "sgolden0001", "sort-lines")
    tries = Reader(database).tries(outcomes_only=False)
    assert [(one.row.trial, one.row.try_no) for one in rows] == [
        (row.trial, row.try_no) for row in tries
    ]
    for one, row in zip(rows, tries, strict=True):
        for field in ("peak_bytes", "kills", "how", "outcome", "ceiling_bytes", "kill_victim"):
            assert getattr(one.row, field) == getattr(row, field)
    assert {one.cause for one in rows} > {"none"}


def test_samples_lie_between_the_beginning_and_the_end() -> None:
    low, high = sampled_span(KILLED.begun, KILLED.ends)
    assert low == KILLED.begun[0].started_t_us - APART_US
    assert high == KILLED.ends[0].t_us + APART_US
    assert sampled_span(KILLED.begun, []) == (low, LAST_US), "it may run until now"
    assert sampled_span([], [])[0] == 0


def test_a_sweep_is_listed_by_its_trials() -> None:
    assert page.head(golden(), "7753fd3b0617") is not None
    assert page.task_tries(golden(), SWEEP, "sort-lines") == ()
