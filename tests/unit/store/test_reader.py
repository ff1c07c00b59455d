"""Questions find what a user means, and say what there is when they do not."""

from dataclasses import replace

import pytest

from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import HostInfo, HostOomKill, HostSample, OomKill, Payload, Sample
from store.errors import StoreNotFoundError
from store.pages.pipeline import pipeline
from store.reader import Reader
from tests.stores import chunk, empty_store, golden_lines, load

HOST = HostInfo(host="h1", cores=2, memory_bytes=1, kernel="6")


def golden() -> Reader:
    database = empty_store()
    load(database, chunk(golden_lines()))
    return Reader(database)


def test_every_question_has_an_answer_on_an_empty_store() -> None:
    reader = Reader(empty_store())
    for answer in (
        reader.sweeps(),
        reader.tries(),
        reader.trials(),
        reader.running(),
        reader.condition_counts(),
        reader.host_kills(),
        reader.samples("t", 1),
        reader.dead_letters(),
        reader.gaps(),
    ):
        assert answer == []
    assert reader.positions() == {}
    counts = reader.counts()
    assert (counts.events, counts.first_t_us, counts.last_t_us) == (0, None, None)


def test_the_only_sweep_is_meant_when_none_is_named() -> None:
    assert golden().sweep().sweep == "sgolden0001"


@pytest.mark.parametrize("text", ["sgolden0001", "sgold", "golden"])
def test_a_sweep_is_found_by_id_prefix_and_name(text: str) -> None:
    row = golden().sweep(text)
    assert (row.standing, row.tries, row.trials) == (3, 4, 3)
    assert row.conditions == ["1x", "uncapped"]
    assert row.tasks == ["sort-lines"]
    assert (row.finished_reason, row.campaigns) == ("complete", 1)


def test_an_unknown_sweep_names_those_that_there_are() -> None:
    with pytest.raises(StoreNotFoundError, match=r"no such sweep.*sgolden0001 \(golden\)"):
        golden().sweep("other")


def test_an_empty_store_says_how_to_fill_it() -> None:
    with pytest.raises(StoreNotFoundError, match="run a sweep first"):
        Reader(empty_store()).sweep()


@pytest.mark.parametrize("text", ["7753fd3b0617", "7753fd", "7753FD"])
def test_a_trial_is_found_by_the_beginning_of_its_id(text: str) -> None:
    assert golden().trial(text).trial == "7753fd3b0617"


def test_a_task_with_several_trials_is_no_answer_but_a_choice() -> None:
    with pytest.raises(StoreNotFoundError, match=r"3 trials are called that.*7753fd3b0617"):
        golden().trial("sort-lines")


@pytest.mark.parametrize("text", ["zzz", "", "77", "'; --", "%", "7753fd3b06170"])
def test_what_names_no_trial_is_refused(text: str) -> None:
    with pytest.raises(StoreNotFoundError, match="no such trial"):
        golden().trial(text)


def test_a_story_holds_everything_about_a_trial() -> None:
    story = golden().story("7753fd3b0617")
    assert [row.command for row in story.execs] == ["ls -l /app", "python3 heavy.py"]
    assert [row.phase for row in story.phases] == ["environment", "agent"]
    assert [row.state for row in story.states] == ["group_killed"]
    (kill,) = story.kills
    assert (kill.victim_comm, kill.command, kill.phase) == ("python3", "python3 heavy.py", "agent")
    (usage,) = story.usage
    assert (usage.peak_bytes, usage.samples, usage.peak_kind) == (42991616, 1, 0)
    (end,) = story.sandbox_ends
    assert (end.peak_bytes, end.read_by) == (67108864, "collector")
    assert [row.try_no for row in story.outcomes if row.outcome] == [1]


def told(facts: list[tuple[Payload, int]], *, source: str = "c1") -> list[bytes]:
    belongs = Belongs(sweep="s", trial="t", try_no=1, target="t-1")
    return [
        encode(
            Event(source=source, seq=seq, t_us=at, mono_us=at, belongs=belongs, payload=payload)
        )[:-1]
        for seq, (payload, at) in enumerate(facts)
    ]


def test_a_spike_is_never_averaged_away() -> None:
    facts: list[tuple[Payload, int]] = [
        (
            Sample(
                usage_bytes=100, peak_bytes=900 if at == 37 else 110, oom_kill_delta=int(at == 37)
            ),
            at,
        )
        for at in range(1000)
    ]
    database = empty_store()
    load(database, chunk(told(facts)))
    buckets = Reader(database).samples("t", 1, buckets=10)
    assert [one.samples for one in buckets] == [100] * 10
    assert [one.peak_bytes for one in buckets] == [900] + [110] * 9
    assert [one.oom_kills for one in buckets] == [1] + [0] * 9
    assert buckets[3].usage_mean_bytes == 100
    assert [one.samples for one in Reader(database).samples("t", 1, buckets=5000)] == [1] * 1000


def kill(ordinal: int, at: int) -> OomKill:
    return OomKill(
        ordinal=ordinal, counter_before=ordinal - 1, counter_after=ordinal, killed_t_us=at
    )


def test_kills_that_nobody_claimed_are_counted() -> None:
    facts: list[tuple[Payload, int]] = [
        (HOST, 0),
        (HostSample(oom_kill_total=5), 10),
        (kill(1, 15), 15),
        (HostOomKill(victim_pid=3, kernel_us=8), 16),
        (HostSample(oom_kill_total=9), 20),
        (kill(2, 25), 25),
    ]
    database = empty_store()
    load(database, chunk(told(facts)))
    (row,) = Reader(database).host_kills()
    assert (row.counted, row.attributed, row.foreign) == (4, 1, 1)
    assert (row.unclaimed, row.outside) == (2, 1)


def test_a_target_of_one_collector_is_no_stranger_to_the_host() -> None:
    hour_us = 3_600_000_000
    sweep: list[tuple[Payload, int]] = [
        (HOST, 0),
        (HostSample(oom_kill_total=1), 10),
        (replace(kill(1, hour_us), victim_pid=3), hour_us + 20),
        (HostSample(oom_kill_total=3), hour_us + 6_000_000),
    ]
    beside: list[tuple[Payload, int]] = [
        (HOST, 0),
        # The same kill; then one of the same pid an hour earlier, and one of a stranger.
        (HostOomKill(victim_pid=3, kernel_us=hour_us + 900_000), hour_us + 5_000_000),
        (HostOomKill(victim_pid=3, kernel_us=1), hour_us + 5_000_001),
        (HostOomKill(victim_pid=4, kernel_us=hour_us), hour_us + 5_000_002),
    ]
    database = empty_store()
    load(database, chunk(told(sweep)))
    load(database, chunk(told(beside, source="c2"), stream="b"))
    (row,) = Reader(database).host_kills()
    assert (row.attributed, row.foreign) == (1, 2)
    bins = [one for one in pipeline(database).kills if one.kind == "told"]
    assert sum(one.kills for one in bins) == 3


def test_a_host_that_was_booted_counts_from_0_again() -> None:
    facts: list[tuple[Payload, int]] = [
        (HOST, 0),
        (HostSample(oom_kill_total=50), 10),
        (HostSample(oom_kill_total=52), 20),
        (HostSample(oom_kill_total=1), 30),
    ]
    database = empty_store()
    load(database, chunk(told(facts)))
    (row,) = Reader(database).host_kills()
    assert (row.counted, row.unclaimed) == (3, 3)


def test_collectors_that_followed_each_other_are_one_window() -> None:
    first: list[tuple[Payload, int]] = [(HOST, 0), (HostSample(oom_kill_total=1), 10)]
    first.append((HostOomKill(victim_pid=3, kernel_us=8), 12))
    second: list[tuple[Payload, int]] = [
        (HOST, 20),
        # The same line of the kernel log, read again from its beginning.
        (HostOomKill(victim_pid=3, kernel_us=8), 21),
        (HostSample(oom_kill_total=2), 30),
    ]
    database = empty_store()
    load(database, chunk(told(first)))
    load(database, chunk(told(second, source="c2"), stream="b"))
    (row,) = Reader(database).host_kills()
    assert (row.incarnations, row.counted, row.foreign, row.unclaimed) == (2, 1, 1, 0)
