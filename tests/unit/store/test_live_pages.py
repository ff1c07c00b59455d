"""What the page Live asks: who runs, tightest first; whom the kernel killed; how far it is."""

import pytest

from barograph.codec import encode
from barograph.envelope import Belongs
from barograph.facts import SweepFinished
from barograph.writer import Said
from store.database import Database
from store.pages import live
from store.pages.live import BEGINNING, Wanted
from tests import running
from tests.running import MIB, SWEEP, S, trial_id
from tests.stores import chunk, empty_store, load
from ui.explorer.moment import matching

T0 = 1_795_000_000 * S


def store_of(said: list[Said], *, source: str = "r1") -> Database:
    database = empty_store()
    add(database, said, source=source)
    return database


def add(database: Database, said: list[Said], *, source: str) -> None:
    lines = [encode(event)[:-1] for event in running.stamped(said, source=source)]
    load(database, chunk(lines, stream=source))


def sweep_of(trials: int) -> Database:
    """Trial n runs with n MiB, with a peak of 2n MiB; a third of them is uncapped."""
    said = [*running.planned(trials, T0), *running.campaign(trials, T0)]
    for number in range(trials):
        said += running.begun(number, T0 + number * 1000)
        said.append(running.sampled(number, T0 + 4 * S, usage=number * MIB, peak=2 * number * MIB))
    return store_of(said)


def lanes(database: Database, wanted: Wanted | None = None) -> list[live.LaneRow]:
    return live.lanes(database, SWEEP, live.span(database, SWEEP), wanted or Wanted(most=1000))


def test_an_empty_store_has_answers() -> None:
    database = empty_store()
    assert live.campaign(database, SWEEP) is None
    assert live.span(database, SWEEP).begun == 0
    assert lanes(database) == []
    assert live.kills(database, SWEEP, most=3) == []
    assert live.hosts(database, now_us=T0) == []
    assert live.progress(database, SWEEP, since_us=0).ended == 0


def test_a_lane_says_what_was_heard_last() -> None:
    (row,) = lanes(sweep_of(1))
    assert (row.task, row.agent, row.condition, row.phase) == ("task-0", "brute", "1x", "agent")
    assert (row.last_kind, row.last_what, row.last_how) == ("command", "python3 solve.py", "ok")
    assert row.last_t_us == T0 + 3 * S
    assert (row.ceiling_bytes, row.parent_cap_bytes) == (64 * MIB, 8192 * MIB)
    assert row.sampled_t_us == T0 + 4 * S


def test_the_tightest_comes_first_and_the_uncapped_last() -> None:
    rows = lanes(sweep_of(9))
    shares = [
        None if row.ceiling_bytes is None else (row.peak_bytes or 0) / row.ceiling_bytes
        for row in rows
    ]
    capped = [share for share in shares if share is not None]
    assert capped == sorted(capped, reverse=True)
    assert shares[-3:] == [None, None, None]


def test_usage_is_the_newest_and_the_peak_the_highest() -> None:
    said = [*running.planned(1, T0), *running.begun(0, T0)]
    said += [
        running.sampled(0, T0 + 5 * S, usage=30 * MIB, peak=60 * MIB),
        running.sampled(0, T0 + 6 * S, usage=10 * MIB, peak=12 * MIB),
    ]
    (row,) = lanes(store_of(said))
    assert (row.usage_bytes, row.peak_bytes) == (10 * MIB, 60 * MIB)


def test_what_has_ended_runs_no_more() -> None:
    database = sweep_of(3)
    add(database, [running.ended(1, T0 + 9 * S)], source="r2")
    assert {row.trial for row in lanes(database)} == {trial_id(0), trial_id(2)}
    assert live.span(database, SWEEP).begun == 2


def test_a_kill_is_what_was_heard_last() -> None:
    database = sweep_of(2)
    add(database, [running.killed(0, T0 + 8 * S)], source="c1")
    row = next(row for row in lanes(database) if row.trial == trial_id(0))
    assert (row.kills, row.last_kind, row.last_what) == (1, "kill", "python3")


def test_pages_hold_every_lane_once() -> None:
    database = sweep_of(25)
    found = [
        row for skip in range(0, 25, 10) for row in lanes(database, Wanted(most=10, skip=skip))
    ]
    assert len({row.trial for row in found}) == len(found) == 25
    assert {row.matching for row in found} == {25}


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(most=1000),
        Wanted(most=1000, text="TASK-1"),
        Wanted(most=1000, text="00000000"),
        Wanted(most=1000, text=trial_id(3)),
        Wanted(most=1000, text="no'such"),
        Wanted(most=1000, agents=("brute",)),
        Wanted(most=1000, conditions=("1x", "uncapped"), agents=("thrifty",)),
        Wanted(most=1000, phases=("agent",)),
        Wanted(most=1000, phases=(BEGINNING, "setup")),
    ],
)
def test_a_frozen_view_filters_as_the_store_does(wanted: Wanted) -> None:
    database = sweep_of(12)
    everything = lanes(database)
    left = {row.trial for row in matching(everything, wanted)}
    assert {row.trial for row in lanes(database, wanted)} == left


def test_the_newest_kill_comes_first_and_is_told_once() -> None:
    database = sweep_of(4)
    told = [running.killed(number, T0 + (10 + number) * S) for number in range(4)]
    add(database, told, source="c1")
    add(database, told[:2], source="c2")  # another collector saw two of them, too
    found = live.kills(database, SWEEP, most=3)
    assert [row.trial for row in found] == [trial_id(3), trial_id(2), trial_id(1)]
    assert {row.kills for row in found} == {4}
    newest = found[0]
    assert (newest.victim, newest.phase, newest.ceiling_bytes) == ("python3", "agent", 64 * MIB)


def test_progress_counts_trials_and_not_tries() -> None:
    database = sweep_of(3)
    ends = [running.ended(0, T0 + 9 * S), running.ended(1, T0 + 60 * S)]
    add(database, ends, source="r2")
    found = live.progress(database, SWEEP, since_us=T0 + 30 * S)
    assert (found.begun, found.ended, found.lately) == (3, 2, 1)
    assert (found.judged, found.policy_version) == (0, None)


def test_hosts_are_those_of_the_last_minute() -> None:
    said = [running.host(T0), running.host_sample(T0 + S), running.host_sample(T0 + 2 * S, load=3)]
    database = store_of(said, source="c1")
    (found,) = live.hosts(database, now_us=T0 + 10 * S)
    assert (found.host, found.cores, found.load1, found.busy_cores) == ("h1", 2, 3.0, 1.0)
    assert found.psi_memory_highest == 0.1
    assert live.hosts(database, now_us=T0 + 3600 * S) == []


def test_a_campaign_ends_when_its_own_runner_says_so() -> None:
    database = sweep_of(1)
    before = live.campaign(database, SWEEP)
    assert before is not None
    assert (before.trials, before.concurrency, before.finished_t_us) == (1, 1000, None)
    end = Said(SweepFinished(reason="complete", trials_ended=1), Belongs(sweep=SWEEP), T0 + 90 * S)
    first, *rest = running.planned(1, T0)
    add(database, [first, *rest, end], source="r9")  # not the runner of the campaign
    other = live.campaign(database, SWEEP)
    assert other is not None
    assert other.finished_t_us is None
