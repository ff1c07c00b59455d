"""What goes with a sweep, or by age: its events, what its writers said, nothing of others."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.clock import US_PER_S
from barograph.facts import HostSample, NoteAdded
from store.database import Database
from store.errors import StoreNotFoundError
from store.loader import Loader
from store.retention.planning import Plan, past, plan_age, plan_sweep
from tests.copies import Teller, host_info
from tests.prunings import pruning, written
from tests.stores import chunk, empty_store, memory_log


def store_of(told: Teller) -> Database:
    database = empty_store()
    with Loader(database) as loader:
        loader.load(memory_log(told.lines))
    return database


def going(told: Teller, plan: Plan) -> list[tuple[str, int]]:
    """Identities of the told lines that the plan names."""
    told_of = [(one["source"], one["seq"]) for one in map(json.loads, told.lines)]
    return [
        (source, seq)
        for source, seq in told_of
        if any(name == source and low <= seq <= high for name, low, high in plan.runs)
    ]


def test_a_sweep_goes_with_all_that_its_own_writers_said() -> None:
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    plan = plan_sweep(store_of(told), "s1")
    assert plan.runs == [("cs1", 0, 6), ("rs1", 0, 2)]
    assert (plan.events, plan.trials) == (10, ["s1-t"])
    assert [(one.sweep, one.name, one.events, one.trials) for one in plan.sweeps] == [
        ("s1", "n", 6, 1)
    ]


def test_of_a_writer_that_told_of_two_sweeps_only_the_ones_words_go() -> None:
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    for sweep in ("s1", None, "s2", None, "s1", "s1"):
        told.say("p1", NoteAdded(author="a", text="x", host="h1"), sweep)
    plan = plan_sweep(store_of(told), "s1")
    assert [run for run in plan.runs if run[0] == "p1"] == [("p1", 0, 0), ("p1", 4, 5)]
    assert plan.events == 13


def test_words_on_hosts_stay_with_the_log() -> None:
    told = Teller()
    told.sweep("s1")
    told.say("p1", NoteAdded(author="a", text="x", host="h1"))
    told.say("p1", NoteAdded(author="a", text="x"), "s1")
    assert going(told, plan_sweep(store_of(told), "s1"))[-1] == ("p1", 1)
    assert ("p1", 0) not in going(told, plan_sweep(store_of(told), "s1"))


def test_by_age_go_whole_sweeps_and_what_is_of_none() -> None:
    told = Teller()
    told.say("calone", host_info("h1"), t_us=1 * US_PER_S)
    told.say("calone", HostSample(load1=1.0), t_us=2 * US_PER_S)
    told.say("calone", HostSample(load1=1.0), t_us=90 * US_PER_S)
    told.sweep("old")
    told.sweep("new")
    told.say("cnew", HostSample(load1=1.0), "new", t_us=80 * US_PER_S)
    plan = plan_age(store_of(told), 50 * US_PER_S)
    assert {name for name, _, _ in plan.runs} == {"calone", "cold", "rold"}
    assert ("calone", 0, 1) in plan.runs
    assert [one.sweep for one in plan.sweeps] == ["old"]
    assert plan_age(store_of(told), 1).runs == []


def test_lost_numbers_do_not_cut_a_run() -> None:
    told = Teller()
    told.sweep("s1")
    del told.lines[3:5]
    assert plan_sweep(store_of(told), "s1").runs == [("cs1", 0, 6), ("rs1", 0, 2)]


def test_a_name_that_fits_none_or_two_is_refused() -> None:
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    for text, sentence in (("s", "more than one"), ("n", "more than one"), ("x", "no such sweep")):
        with pytest.raises(StoreNotFoundError, match=sentence):
            plan_sweep(store_of(told), text)


def test_what_was_pruned_is_known_from_the_log() -> None:
    database = empty_store()
    with Loader(database) as loader:
        loader.load_chunks([chunk(written([pruning(0, ("c1", 0, 3))]))])
    assert past(database).sweeps == {"s1"}


def test_much_is_said_in_several_events() -> None:
    runs = [("c1", seq, seq) for seq in range(0, 24_000, 2)]
    plan = Plan(sweeps=[], before_t_us=None, runs=runs, events=12_000, trials=["t"] * 60_000)
    facts = list(plan.facts("ada"))
    assert [len(fact.ranges) for fact in facts] == [5_000, 5_000, 2_000]
    assert sum(len(fact.trials) for fact in facts) == 60_000
    assert sum(fact.events for fact in facts) == 12_000


@given(
    st.lists(st.tuples(st.sampled_from("cpr"), st.sampled_from(["s1", "s2", None])), max_size=25)
)
@settings(max_examples=25)
def test_a_plan_names_its_sweeps_events_and_no_other_sweeps(
    said: list[tuple[str, str | None]],
) -> None:
    told = Teller()
    told.sweep("s1")
    for source, sweep in said:
        told.say(source, HostSample(load1=1.0), sweep)
    gone = set(going(told, plan_sweep(store_of(told), "s1")))
    for line in told.lines:
        one = json.loads(line)
        if one["sweep"] is not None:
            assert ((one["source"], one["seq"]) in gone) == (one["sweep"] == "s1")
