"""Memory in small that is kept says what samples say, however late they come."""

from dataclasses import replace

import pytest

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.codec import encode
from barograph.writer import Said
from store.judging import refresh
from store.pages import trials as page
from store.pages.trials import Wanted
from store.sparks import SLICES, Sparks, Step
from tests import running
from tests.running import MIB, SWEEP, S, trial_id
from tests.stores import chunk, dump, empty_store, load

T0 = 1_795_000_000 * S
ALL = Wanted(sweep=SWEEP, most=1000)
TRIALS = 12


class Sweep:
    """Trials 0 to 8 ended, the last three run; loaded piece by piece."""

    def __init__(self) -> None:
        self.database = empty_store()
        self.sources = 0
        said = running.planned(TRIALS, T0)
        for number in range(TRIALS):
            began = T0 + number * S
            said += running.begun(number, began)
            said += [
                running.sampled(number, began + at * S, usage=(at + number) * MIB, peak=peak * MIB)
                for at, peak in ((1, 9 + number), (2, 90), (4, 7 + number))
            ]
            if number < 9:
                said.append(running.ended(number, began + 5 * S))
        self.tell(*said)

    def tell(self, *said: Said) -> None:
        self.sources += 1
        source = f"r{self.sources}"
        lines = [encode(event)[:-1] for event in running.stamped(said, source=source)]
        load(self.database, chunk(lines, stream=source))
        refresh(self.database, judging_policy(policy_v1()), None)

    def kept(self) -> list[tuple[object, ...]]:
        return self.database.ask("FROM try_spark ORDER BY ALL").rows

    def drawn(self) -> tuple[page.SparkSlice, ...]:
        return page.sparks(self.database, page.page(self.database, ALL))


def by_samples(sweep: Sweep) -> tuple[page.SparkSlice, ...]:
    """As the page draws it when nothing is kept."""
    kept = sweep.kept()
    sweep.database.run("CREATE TEMP TABLE aside AS FROM try_spark; DELETE FROM try_spark")
    drawn = sweep.drawn()
    sweep.database.run("INSERT INTO try_spark FROM aside; DROP TABLE aside")
    assert sweep.kept() == kept
    return drawn


def same(sweep: Sweep) -> bool:
    return sorted(map(repr, sweep.drawn())) == sorted(map(repr, by_samples(sweep)))


def test_every_ended_try_has_one_and_no_running_one() -> None:
    sweep = Sweep()
    assert Sparks(sweep.database).step() == Step(made=9, dropped=0, more=False)
    assert {row[0] for row in sweep.kept()} == {trial_id(number) for number in range(9)}
    assert same(sweep)
    assert len({(one.trial, one.try_no) for one in sweep.drawn()}) == TRIALS


def test_a_slice_without_a_sample_is_null_and_the_highest_peak_is_there() -> None:
    sweep = Sweep()
    Sparks(sweep.database).step()
    counts = sweep.database.ask(
        "SELECT DISTINCT len(usage_bytes), len(peak_bytes), list_count(usage_bytes), "
        "list_min(usage_bytes) > 0, list_max(peak_bytes) FROM try_spark"
    ).rows
    assert counts == [(SLICES, SLICES, 3, True, 90 * MIB)]


def test_some_at_a_time_is_the_same_as_all_at_once() -> None:
    sweep = Sweep()
    Sparks(sweep.database).step()
    whole = sweep.kept()
    sweep.database.run("DELETE FROM try_spark")
    sparks = Sparks(sweep.database)
    made = [sparks.step(most=4) for _ in range(3)]
    assert [(step.made, step.more) for step in made] == [(4, True), (4, True), (1, False)]
    assert sweep.kept() == whole


@pytest.mark.parametrize("gone", ["try_spark", "spark_upto", "judged_try"])
def test_tables_may_be_dropped_at_any_time_and_come_back_equal(gone: str) -> None:
    sweep = Sweep()
    sparks = Sparks(sweep.database)
    sparks.step()
    whole = dump(sweep.database)
    sweep.database.run(f"DROP TABLE {gone}")
    refresh(sweep.database, judging_policy(policy_v1()), None)
    for keeper in (sparks, Sparks(sweep.database)):
        keeper.step()
    assert dump(sweep.database, but=["spark_upto"]) == {
        name: rows for name, rows in whole.items() if name != "spark_upto"
    }


def test_nothing_new_changes_nothing() -> None:
    sweep = Sweep()
    sparks = Sparks(sweep.database)
    sparks.step()
    before = dump(sweep.database)
    for keeper in (sparks, Sparks(sweep.database)):
        assert keeper.step() == Step(made=0, dropped=0, more=False)
    assert dump(sweep.database) == before


@pytest.mark.parametrize("again", [True, False], ids=["same process", "after a restart"])
def test_a_sample_that_comes_late_is_drawn(again: bool) -> None:
    sweep = Sweep()
    sparks = Sparks(sweep.database)
    sparks.step()
    # Some of a try that runs: they make nothing late, but move the number to look from.
    sweep.tell(running.sampled(10, T0 + 17 * S, usage=MIB))
    assert sparks.step() == Step(made=0, dropped=0, more=False)
    sweep.tell(running.sampled(3, T0 + 6 * S, usage=500 * MIB, peak=600 * MIB))
    late = sparks if again else Sparks(sweep.database)
    assert late.step() == Step(made=1, dropped=1, more=False)
    assert max(one.peak_bytes or 0 for one in sweep.drawn()) == 600 * MIB
    assert same(sweep)


def test_a_try_that_ends_later_gets_one_then() -> None:
    sweep = Sweep()
    sparks = Sparks(sweep.database)
    sparks.step()
    sweep.tell(running.ended(9, T0 + 20 * S))
    assert same(sweep), "until it is made, samples are read"
    assert sparks.step() == Step(made=1, dropped=0, more=False)
    assert same(sweep)


def test_a_try_whose_end_is_another_now_is_cut_anew() -> None:
    sweep = Sweep()
    sparks = Sparks(sweep.database)
    sparks.step()
    moved = f"UPDATE judged_try SET finished_t_us = finished_t_us + {S} WHERE trial = "  # noqa: S608 - a number
    sweep.database.run(f"{moved}'{trial_id(4)}'")
    assert same(sweep), "what is kept is about another span"
    assert sparks.step() == Step(made=1, dropped=1, more=False)
    assert same(sweep)


def test_a_try_that_nobody_sampled_is_known_to_have_no_samples() -> None:
    sweep = Sweep()
    sweep.tell(*running.begun(40, T0), running.ended(40, T0 + 5 * S))
    Sparks(sweep.database).step()
    (row,) = [row for row in sweep.kept() if row[0] == trial_id(40)]
    assert row[-2:] == (None, None)
    (listed,) = page.page(sweep.database, replace(ALL, text=trial_id(40)))
    assert page.sparks(sweep.database, [listed]) == ()


def test_an_empty_store_has_none() -> None:
    assert Sparks(empty_store()).step() == Step(made=0, dropped=0, more=False)
