"""What the weather and the pipeline ask: counts add up, and no kill and no peak is lost."""

from barograph.codec import encode
from barograph.envelope import Belongs
from barograph.facts import ClockStepped, SamplesThinned, TickMissed
from barograph.writer import Said
from store.database import Database
from store.pages import weather
from store.pages.pipeline import pipeline
from store.pages.weather import MOST_BARS, SLICES, Asked
from tests import running
from tests.running import SWEEP, S, trial_id
from tests.stores import chunk, empty_store, load

T0 = 1_795_000_000 * S


def store_of(said: list[Said]) -> Database:
    database = empty_store()
    lines = [encode(event)[:-1] for event in running.stamped(said, source="r1")]
    load(database, chunk(lines))
    return database


def sweep_of(trials: int) -> Database:
    """A trial a second, each of 10 s; every fifth is killed, the last three still run."""
    said = [*running.planned(trials, T0), *running.campaign(trials, T0)]
    for number in range(trials):
        said += running.begun(number, T0 + number * S)
        if number % 5 == 0:
            said.append(running.killed(number, T0 + (number + 9) * S))
        if number < trials - 3:
            said.append(running.ended(number, T0 + (number + 10) * S))
    return store_of(said)


def asked(trials: int, *, from_s: int = 0, to_s: int | None = None) -> Asked:
    end = T0 + (trials + 20 if to_s is None else to_s) * S
    return Asked(sweep=SWEEP, from_us=T0 + from_s * S, to_us=end, now_us=end)


def test_an_empty_store_has_no_weather() -> None:
    database = empty_store()
    assert weather.sweep_span(database, SWEEP, now_us=T0).first_t_us is None
    found = weather.weather(database, asked(0))
    assert (found.bars, found.bins, found.kills, found.hosts) == ([], [], [], [])


def test_few_tries_are_drawn_one_by_one() -> None:
    found = weather.weather(sweep_of(20), asked(20))
    assert not found.binned
    assert len(found.bars) == 20
    assert [row.finished_t_us is None for row in found.bars] == [False] * 17 + [True] * 3


def test_a_window_holds_what_a_part_of_is_in_it() -> None:
    found = weather.weather(sweep_of(20), asked(20, from_s=12, to_s=13))
    inside = {trial_id(number) for number in range(2, 14)}
    assert {row.trial for row in found.bars} == inside
    assert found.span.inside == len(inside)


def test_many_are_counted_in_slices_that_add_up() -> None:
    trials = MOST_BARS + 50
    found = weather.weather(sweep_of(trials), asked(trials))
    assert found.binned
    assert found.bars == []
    assert sum(row.tries for row in found.bins) == trials - 3
    assert len({row.slice for row in found.bins}) <= SLICES
    assert len(found.kills) == trials // 5


def test_a_kill_that_two_observers_told_is_one_mark() -> None:
    kill = running.killed(0, T0 + 5 * S)
    database = store_of([*running.planned(1, T0), *running.begun(0, T0), kill, kill])
    (mark,) = weather.weather(database, asked(1)).kills
    assert (mark.at_us, mark.victim, mark.kills) == (T0 + 5 * S, "python3", 1)


def test_a_host_keeps_its_peak_in_every_slice() -> None:
    said = [running.host(T0)]
    said += [
        running.host_sample(T0 + second * S, load=9.0 if second == 333 else 1.0)
        for second in range(1000)
    ]
    found = weather.weather(store_of(said), asked(1000))
    assert max(row.load_highest or 0 for row in found.hosts) == 9.0
    assert sum(row.samples for row in found.hosts) == 1000
    assert len(found.hosts) <= SLICES


def test_an_empty_pipeline_has_no_numbers() -> None:
    found = pipeline(empty_store())
    assert (found.now.sources, found.now.newest_t_us, found.collector) == (0, None, [])


def test_the_pipeline_counts_what_went_wrong() -> None:
    nothing = Belongs()
    said = [
        running.host(T0),
        running.host_sample(T0 + S, kills=5),
        running.killed(0, T0 + 2 * S),
        running.host_sample(T0 + 3 * S, kills=7),
        running.collector_self(T0 + 10 * S),
        Said(TickMissed(first_tick=3, ticks=4, late_us=9), nothing, T0 + 11 * S),
        Said(SamplesThinned(reason="disk full", ranges=[], dropped=6), nothing, T0 + 12 * S),
        Said(ClockStepped(step_us=-2000), nothing, T0 + 13 * S),
        running.host_sample(T0 + 14 * S, kills=7),
    ]
    found = pipeline(store_of(said))
    now = found.now
    assert (now.missed_ticks, now.served_ticks, now.dropped_samples) == (4, 10, 6)
    assert (now.clock_steps, now.largest_step_us, now.collectors) == (1, -2000, 1)
    assert {(row.kind, row.amount) for row in found.losses} == {
        ("missed ticks", 4),
        ("samples given up", 6),
        ("clock steps", -2000),
    }
    assert {row.kind: row.kills for row in found.kills} == {"counted": 2, "told": 1}
    assert [host.unclaimed for host in found.hosts] == [1]
    (cost,) = found.collector
    assert (cost.cpu_mean, cost.events_per_s, cost.lateness_us) == (0.02, 4.0, 300)
