"""The join of counters and kernel log: each kill told once, named right or not at all."""

import pytest

from barograph.envelope import Belongs
from barograph.facts import OomKill
from collector.kills import FOREIGN_WAIT_US, NAMELESS_WAIT_US, KillLedger
from collector.tallies import VICTIM_WAIT_US
from tests.unit.collector.ledgers import hosts, kills, opened, victim

MS = 1000


def test_a_counted_kill_is_told_when_its_victim_is_known() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.limit("a", 64)
    assert ledger.count("a", 1, t_us=50, now_us=50)
    assert ledger.take() == []
    assert ledger.waits("a")
    ledger.accuse(victim(7, at=40, path="/a"), ["a"])
    [said] = ledger.take()
    assert said.belongs.trial == "t"
    assert isinstance(said.payload, OomKill)
    fact = said.payload
    assert (fact.ordinal, fact.counter_before, fact.counter_after) == (1, 0, 1)
    assert (fact.read_before_t_us, fact.read_after_t_us, fact.killed_t_us) == (0, 50, 40)
    assert (fact.victim_pid, fact.victim_comm, fact.limit_bytes) == (7, "p7", 64)
    assert not ledger.waits("a")


def test_a_victim_known_first_waits_for_the_counter() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.accuse(victim(7, at=40, path="/a"), ["a"])
    assert ledger.take() == []
    ledger.count("a", 1, t_us=50, now_us=50)
    assert kills(ledger.take()) == [(1, 7)]


def test_two_kills_between_two_reads_are_two_ordinals_of_one_window() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 2, t_us=9, now_us=9)
    for pid in (3, 4):
        ledger.accuse(victim(pid, at=5, path="/a"), ["a"])
    told = ledger.take()
    assert kills(told) == [(1, 3), (2, 4)]
    windows = {
        (f.counter_before, f.counter_after) for s in told if isinstance(f := s.payload, OomKill)
    }
    assert windows == {(0, 2)}


def test_without_a_victim_a_kill_is_told_in_time_and_again_when_the_victim_comes() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 1, t_us=9, now_us=9)
    deadline = ledger.deadline_us()
    assert deadline == 9 + VICTIM_WAIT_US
    ledger.settle(deadline - 1)
    assert ledger.take() == []
    ledger.settle(deadline)
    assert kills(ledger.take()) == [(1, None)]
    assert not ledger.waits("a")
    ledger.accuse(victim(7, at=5, path="/a"), ["a"])
    assert kills(ledger.take()) == [(1, 7)]


def test_a_late_victim_is_not_given_to_a_later_kill() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 1, t_us=0, now_us=0)
    ledger.settle(VICTIM_WAIT_US)
    ledger.count("a", 2, t_us=900 * MS, now_us=900 * MS)
    ledger.accuse(victim(8, at=899 * MS, path="/a"), ["a"])
    ledger.accuse(victim(7, at=0, path="/a"), ["a"])
    assert kills(ledger.take()) == [(1, None), (2, 8), (1, 7)]


def test_kills_before_a_foreign_cgroup_was_watched_are_not_told() -> None:
    ledger = KillLedger()
    ledger.accuse(victim(1, path="/f", old=True), [])
    ledger.open(
        "f", belongs=Belongs(target="f"), path="/f", includes_below=False, baseline=3, now_t_us=1
    )
    ledger.count("f", 3, t_us=1, now_us=1)
    ledger.count("f", 4, t_us=2, now_us=2)
    ledger.accuse(victim(2, at=2, path="/f"), ["f"])
    assert kills(ledger.take()) == [(4, 2)]


def test_a_kill_in_a_cgroup_that_nobody_watches_is_a_fact_about_the_host() -> None:
    ledger = KillLedger()
    ledger.accuse(victim(5, at=0, path="/else"), [])
    ledger.settle(FOREIGN_WAIT_US - 1)
    assert ledger.take() == []
    ledger.settle(FOREIGN_WAIT_US)
    ledger.settle(FOREIGN_WAIT_US * 2)
    assert hosts(ledger.take()) == [5]


def test_a_target_announced_late_gets_its_victims_back() -> None:
    ledger = KillLedger()
    ledger.accuse(victim(5, at=0, path="/a"), [])
    ledger.settle(1000)
    ledger.open("a", belongs=Belongs(target="a"), path="/a", includes_below=False, baseline=0)
    ledger.count("a", 1, t_us=9, now_us=2000)
    ledger.settle(FOREIGN_WAIT_US * 2)
    told = ledger.take()
    assert kills(told) == [(1, 5)]
    assert hosts(told) == []


def test_old_kills_of_foreign_cgroups_are_never_told() -> None:
    ledger = KillLedger()
    ledger.accuse(victim(5, path="/else", old=True), [])
    ledger.accuse(victim(6, path=None, old=True), [])
    ledger.settle(10**12, hurry=True)
    assert ledger.take() == []


def test_a_victim_without_a_name_stands_for_the_kill_that_lacks_one() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 1, t_us=9, now_us=9)
    ledger.accuse(victim(7, at=5), [])
    ledger.settle(9 + VICTIM_WAIT_US)
    ledger.settle(9 + NAMELESS_WAIT_US * 2)
    told = ledger.take()
    assert kills(told) == [(1, None)]
    assert hosts(told) == []


def test_a_victim_without_a_name_that_no_counter_knows_is_the_hosts() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.accuse(victim(7, at=5), [])
    ledger.settle(5 + NAMELESS_WAIT_US)
    assert ledger.take() == []  # the counter was not read since: it may still be its
    ledger.count("a", 0, t_us=6, now_us=6)
    ledger.settle(5 + NAMELESS_WAIT_US)
    assert hosts(ledger.take()) == [7]


def test_counters_that_include_what_is_below_claim_a_kill_below() -> None:
    ledger = KillLedger()
    opened(ledger, "a", below=True)
    opened(ledger, "b")
    assert ledger.targets_at("/a/x/y") == ["a"]
    assert ledger.targets_at("/ab") == []
    assert ledger.targets_at("/b/x") == []
    assert ledger.targets_at("/b") == ["b"]


def test_a_cgroup_that_went_with_its_kill_is_told_by_the_log_alone() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.accuse(victim(7, at=5, path="/a"), ["a"])
    ledger.close("a", counter_is_final=False, now_us=10)
    [said] = ledger.take()
    assert isinstance(said.payload, OomKill)
    assert (said.payload.ordinal, said.payload.victim_pid) == (1, 7)
    assert said.payload.read_after_t_us is None


def test_the_end_of_a_target_tells_everything() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 2, t_us=9, now_us=9)
    ledger.accuse(victim(7, at=5, path="/a"), ["a"])
    ledger.close("a", counter_is_final=True, now_us=10)
    assert kills(ledger.take()) == [(1, 7), (2, None)]
    # The log's word comes late, after the target is closed: it is not a second kill.
    ledger.accuse(victim(8, at=6, path="/a"), [])
    ledger.accuse(victim(9, at=20, path="/a"), [])
    ledger.settle(0, hurry=True)
    assert hosts(ledger.take()) == [9]


def test_a_successor_tells_what_its_predecessor_did_not() -> None:
    ledger = KillLedger(past_is_known=False)
    for pid in (1, 2, 3):
        ledger.accuse(victim(pid, path="/a", old=True), [])
    ledger.open(
        "a", belongs=Belongs(trial="t", try_no=1), path="/a", includes_below=False, baseline=0
    )
    ledger.count("a", 3, t_us=9, now_us=9)
    ledger.settle(10**9)
    assert ledger.take() == []
    assert ledger.waits("a")
    ledger.know_past({("t", 1, "a"): {1: 1, 2: None}})
    assert kills(ledger.take()) == [(3, 2)]


def test_a_target_that_is_watched_again_after_its_end_has_told_its_kills() -> None:
    ledger = KillLedger()
    opened(ledger)
    ledger.count("a", 2, t_us=9, now_us=9)
    ledger.close("a", counter_is_final=True, now_us=10)
    assert kills(ledger.take()) == [(1, None), (2, None)]
    belongs = Belongs(trial="t", try_no=1, target="a")
    ledger.open("a", belongs=belongs, path="/a", includes_below=False, baseline=0)
    ledger.count("a", 3, t_us=20, now_us=20)
    ledger.close("a", counter_is_final=True, now_us=21)
    assert kills(ledger.take()) == [(3, None)]


def test_a_second_read_of_the_same_counter_tells_nothing() -> None:
    ledger = KillLedger()
    opened(ledger)
    assert not ledger.count("a", 0, t_us=1, now_us=1)
    assert not ledger.count("a", None, t_us=1, now_us=1)
    assert not ledger.count("nobody", 4, t_us=1, now_us=1)
    ledger.close("nobody", counter_is_final=True, now_us=1)
    assert ledger.take() == []


@pytest.mark.parametrize("order", ["log first", "counter first"])
def test_a_thousand_kills_in_one_window_are_a_thousand_facts(order: str) -> None:
    ledger = KillLedger()
    opened(ledger)
    if order == "counter first":
        ledger.count("a", 1000, t_us=1, now_us=1)
    for pid in range(1000):
        ledger.accuse(victim(pid, at=0, path="/a"), ["a"])
    if order == "log first":
        ledger.count("a", 1000, t_us=1, now_us=1)
    told = kills(ledger.take())
    assert told == [(number + 1, number) for number in range(1000)]
