"""What the page Trials asks: filters, order and pages are the store's; sparks lose no peak."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.codec import encode
from barograph.writer import Said
from store.database import Database
from store.judging import refresh
from store.pages import trials as page
from store.pages.trials import RUNNING, SORTS, UNJUDGED, ListedTrial, Sort, Wanted
from tests import running
from tests.running import MIB, SWEEP, S, trial_id
from tests.stores import chunk, empty_store, load

T0 = 1_795_000_000 * S
ALL = Wanted(sweep=SWEEP, most=1000)


def store_of(said: Sequence[Said]) -> Database:
    database = empty_store()
    lines = [encode(event)[:-1] for event in running.stamped(said, source="r1")]
    load(database, chunk(lines, stream="r1"))
    return database


def some_trials() -> Database:
    """Twelve trials: 0 to 8 ended (multiples of 4 were killed), 9 unjudged, 10 and 11 run."""
    said = running.planned(12, T0)
    for number in range(12):
        said += running.begun(number, T0 + number * S)
        said.append(running.sampled(number, T0 + (number + 4) * S, usage=(number + 1) * MIB))
        if number < 9:
            killed = number % 4 == 0
            if killed:
                said.append(running.killed(number, T0 + (number + 4) * S, victim=f"v{number}"))
            said.append(running.ended(number, T0 + (number + 5) * S, reward=None if killed else 1))
    database = store_of(said)
    refresh(database, judging_policy(policy_v1()), None)
    late = running.stamped([running.ended(9, T0 + 20 * S)], source="r2")
    load(database, chunk([encode(event)[:-1] for event in late], stream="r2"))
    return database


def numbers(rows: Sequence[ListedTrial]) -> list[int]:
    return [int(row.trial, 16) // 7919 for row in rows]


def test_every_trial_is_listed_once_newest_first() -> None:
    rows = page.page(some_trials(), ALL)
    assert numbers(rows) == list(range(11, -1, -1))
    states = {number: row.state for number, row in zip(numbers(rows), rows, strict=True)}
    assert (states[8], states[9], states[10]) == ("judged", UNJUDGED, RUNNING)


def test_causes_are_counted_without_their_own_filter() -> None:
    database = some_trials()
    counts = {one.ended_in: one.trials for one in page.causes(database, ALL)}
    assert counts == {"none": 6, "oom_child": 3, RUNNING: 2, UNJUDGED: 1}
    assert page.causes(database, replace(ALL, causes=("none",))) == page.causes(database, ALL)


def test_filters_are_all_met() -> None:
    database = some_trials()
    only = replace(ALL, agents=("brute",), conditions=("1x", "2x"))
    assert set(numbers(page.page(database, only))) == {0, 4, 6, 10}
    assert numbers(page.page(database, replace(only, causes=("none",)))) == [6]
    assert numbers(page.page(database, replace(ALL, tasks=("task-3",)))) == [3]
    assert numbers(page.page(database, replace(ALL, causes=(RUNNING,)))) == [11, 10]


@pytest.mark.parametrize(
    ("text", "found"),
    [("V8", [8]), ("task-1", [11, 1]), ("%", []), ("'; --", []), ("_", [8, 4, 0])],
)
def test_text_is_looked_for_as_it_is(text: str, found: list[int]) -> None:
    rows = numbers(page.page(some_trials(), replace(ALL, text=text)))
    assert rows == found


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_lists_all_of_them(sort: Sort, descending: bool) -> None:
    wanted = replace(ALL, sort=sort, descending=descending)
    assert sorted(numbers(page.page(some_trials(), wanted))) == list(range(12))


def test_order_is_by_the_value_and_what_is_missing_comes_last() -> None:
    database = some_trials()
    ceilings = [row.ceiling_bytes for row in page.page(database, replace(ALL, sort="ceiling"))]
    assert ceilings == [None] * 4 + [128 * MIB] * 4 + [64 * MIB] * 4
    victims = page.page(database, replace(ALL, sort="victim", descending=False))
    assert [row.kill_victim for row in victims][:4] == ["v0", "v4", "v8", None]


def test_pages_do_not_overlap_and_end() -> None:
    database = some_trials()
    parts = [page.page(database, replace(ALL, most=5, skip=skip)) for skip in (0, 5, 10, 15)]
    assert [len(part) for part in parts] == [5, 5, 2, 0]
    assert numbers([row for part in parts for row in part]) == list(range(11, -1, -1))
    assert page.page(database, replace(ALL, most=-3)) == ()


def test_a_spark_has_the_highest_of_each_slice() -> None:
    said = [*running.planned(1, T0), *running.begun(0, T0)]
    said += [
        running.sampled(0, T0 + tick * S // 10, usage=tick, peak=50 if tick == 37 else tick)
        for tick in range(1, 50)
    ]
    said.append(running.ended(0, T0 + 5 * S))
    database = store_of(said)
    rows = page.page(database, ALL)
    found = page.sparks(database, rows)
    assert len(found) <= page.SPARK_SLICES
    assert max(one.peak_bytes or 0 for one in found) == 50
    assert [one.slice for one in found] == sorted({one.slice for one in found})
    whole = 5 * S + 1
    for one in found:
        inside = [t for t in range(1, 50) if t * S // 10 * page.SPARK_SLICES // whole == one.slice]
        assert one.usage_bytes == max(inside)


def test_a_running_try_has_its_spark_up_to_now() -> None:
    said = [*running.planned(1, T0), *running.begun(0, T0)]
    said += [running.sampled(0, T0 + tick * S, usage=tick) for tick in range(1, 11)]
    database = store_of(said)
    found = page.sparks(database, page.page(database, ALL))
    assert found[-1].slice == page.SPARK_SLICES - 1
    assert found[-1].usage_bytes == 10


def test_kills_are_marks_of_their_own() -> None:
    said = [*running.planned(1, T0), *running.begun(0, T0)]
    said += [running.killed(0, T0 + 2 * S + n, ordinal=n + 1) for n in range(7)]
    database = store_of(said)
    rows = page.page(database, ALL)
    assert [one.t_us for one in page.kill_moments(database, rows)] == [
        T0 + 2 * S + n for n in range(7)
    ]
    assert page.kill_moments(database, ()) == ()
    assert page.sparks(database, ()) == ()


def test_an_empty_store_lists_nothing() -> None:
    database = empty_store()
    assert page.page(database, ALL) == ()
    assert page.causes(database, ALL) == ()
    assert trial_id(0) == "0" * 12
