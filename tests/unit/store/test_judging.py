"""Verdicts that are kept are those that would be given now, and each was given once."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import pytest

from analysis.dataset import judge_try
from analysis.judging import evidence_items, judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import Payload, PhaseStarted
from store.catalogue import catalogue
from store.database import Database, memory_database
from store.judging import Judgement, JudgingPolicy, follower, refresh
from store.reader import Reader
from store.slices import TABLES, VIEWS
from tests.stores import chunk, dump, empty_store, load
from tests.told import BOX, DIED, ENDED, FINISHED, KILL, SANDBOX, started

PASSED = replace(FINISHED, rewards={"reward": 1.0}, verifier_ran=True)
FAILED = replace(FINISHED, rewards={"reward": 0.0}, verifier_ran=True)


@dataclass
class Counting:
    """The product's policy, and how often it was asked about what."""

    digest: str | None = None
    asked: Counter[str] = field(default_factory=Counter[str])

    @property
    def policy(self) -> JudgingPolicy:
        real = judging_policy(policy_v1())

        def judged(evidence: Mapping[str, object]) -> Judgement:
            self.asked[real.digest_of(evidence)] += 1
            return real.judge(evidence)

        return replace(real, judge=judged, digest=self.digest or real.digest)


class Telling:
    """Events of several trials, loaded as they are told."""

    def __init__(self) -> None:
        self.database = empty_store()
        self.seq = 0
        self.at = 0

    def say(self, trial: str, *payloads: Payload, try_no: int = 1) -> None:
        belongs = Belongs(sweep="s1", trial=trial, try_no=try_no, target=f"{trial}-{try_no}")
        lines: list[bytes] = []
        for payload in payloads:
            at = 1_000_000 * (self.seq + 1)
            event = Event(
                source="r1", seq=self.seq, t_us=at, mono_us=at, belongs=belongs, payload=payload
            )
            lines.append(encode(event)[:-1])
            self.seq += 1
        found = chunk(lines, start=self.at)
        self.at = found.end
        load(self.database, found)

    def say_trials(self, trials: Iterable[str], *payloads: Payload) -> None:
        for trial in trials:
            self.say(trial, *payloads)


def kept(database: Database) -> list[Mapping[str, object]]:
    return list(database.ask("FROM judged_try ORDER BY trial, try_no").records())


def causes(database: Database) -> dict[str, str]:
    return {f"{row['trial']}-{row['try_no']}": str(row["cause"]) for row in kept(database)}


def test_equal_evidence_is_judged_once_and_kept_for_every_try() -> None:
    told, counting = Telling(), Counting()
    told.say_trials("abc", started(), SANDBOX, PASSED)
    told.say_trials("de", started(), SANDBOX, FAILED)
    told.say("f", started(), SANDBOX)
    assert refresh(told.database, counting.policy, None)
    assert sorted(counting.asked.values()) == [1, 1]
    assert causes(told.database) == {
        "a-1": "none",
        "b-1": "none",
        "c-1": "none",
        "d-1": "model_failure",
        "e-1": "model_failure",
    }


def test_what_has_not_changed_is_not_judged_again() -> None:
    told, counting = Telling(), Counting()
    told.say_trials("abc", started(), SANDBOX, PASSED)
    assert refresh(told.database, counting.policy, None)
    counting.asked.clear()
    before = dump(told.database)
    for trials in (None, frozenset("abc"), frozenset[str](), frozenset({"nobody"})):
        assert not refresh(told.database, counting.policy, trials)
    assert not counting.asked
    assert dump(told.database) == before


def test_a_kill_that_is_told_late_judges_its_trial_again_and_no_other() -> None:
    told, counting = Telling(), Counting()
    ends = (replace(ENDED, oom_kill_total=0), replace(DIED, sandbox_exit=137))
    told.say_trials("ab", started(), SANDBOX, PhaseStarted(phase="agent"), *ends)
    assert refresh(told.database, counting.policy, None)
    assert causes(told.database)["a-1"] != "oom_container"
    counting.asked.clear()
    told.say("a", replace(KILL, oom_cgroup=BOX), replace(ENDED, oom_kill_total=1))
    assert refresh(told.database, counting.policy, frozenset({"a"}))
    assert counting.asked.total() == 1
    assert causes(told.database)["a-1"] == "oom_container"
    assert causes(told.database)["b-1"] != "oom_container"


def test_a_row_that_changed_is_kept_anew_though_its_verdict_is_the_same() -> None:
    told, counting = Telling(), Counting()
    told.say("a", started(), SANDBOX, PASSED)
    refresh(told.database, counting.policy, None)
    told.say("a", replace(ENDED, peak_bytes=7))
    assert refresh(told.database, counting.policy, frozenset({"a"}))
    assert [row["peak_bytes"] for row in kept(told.database)] == [7]


def test_an_earlier_try_that_ends_late_takes_the_outcome() -> None:
    told, counting = Telling(), Counting()
    told.say("a", started())
    told.say("a", started(), PASSED, try_no=2)
    refresh(told.database, counting.policy, frozenset({"a"}))
    assert [(row["try_no"], row["outcome"]) for row in kept(told.database)] == [(2, True)]
    told.say("a", FAILED)
    assert refresh(told.database, counting.policy, frozenset({"a"}))
    rows = [(row["try_no"], row["outcome"]) for row in kept(told.database)]
    assert rows == [(1, True), (2, False)]


def test_another_policy_judges_all_again() -> None:
    told, first, second = Telling(), Counting(), Counting(digest="other")
    told.say_trials("abc", started(), SANDBOX, PASSED)
    refresh(told.database, first.policy, None)
    assert refresh(told.database, second.policy, frozenset("a"))
    digests = [row["policy_digest"] for row in kept(told.database)]
    assert digests == ["other", policy_v1().digest, policy_v1().digest]
    assert refresh(told.database, second.policy, None)
    assert {row["policy_digest"] for row in kept(told.database)} == {"other"}
    assert not refresh(told.database, second.policy, None)


@pytest.mark.parametrize("trials", [None, frozenset("ab")], ids=["all", "touched"])
def test_a_table_that_was_dropped_is_made_again(trials: frozenset[str] | None) -> None:
    told, counting = Telling(), Counting()
    told.say_trials("ab", started(), SANDBOX, PASSED)
    refresh(told.database, counting.policy, None)
    before = kept(told.database)
    told.database.run("DROP TABLE judged_try")
    assert refresh(told.database, counting.policy, trials)
    assert kept(told.database) == before


def test_touched_trials_give_what_all_would() -> None:
    told, counting = Telling(), Counting()
    told.say_trials("abcd", started(), SANDBOX, PhaseStarted(phase="agent"))
    told.say_trials("ab", KILL, replace(ENDED, oom_kill_total=1, oom_group_kill_total=1))
    told.say_trials("ab", replace(DIED, sandbox_exit=137))
    told.say_trials("cd", ENDED, PASSED)
    assert refresh(told.database, counting.policy, frozenset("abcd"))
    by_touch = kept(told.database)
    told.database.run("DELETE FROM judged_try")
    assert refresh(told.database, counting.policy, None)
    assert kept(told.database) == by_touch


def test_nothing_is_changed_when_the_policy_fails() -> None:
    told, counting = Telling(), Counting()
    told.say_trials("ab", started(), SANDBOX, PASSED)
    refresh(told.database, counting.policy, None)
    before = kept(told.database)

    def broken(_evidence: Mapping[str, object]) -> Judgement:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        refresh(told.database, replace(counting.policy, judge=broken, digest="b"), None)
    assert kept(told.database) == before


def test_a_follower_is_a_refresh_by_its_policy() -> None:
    told = Telling()
    told.say("a", started(), SANDBOX, PASSED)
    follow = follower(judging_policy(policy_v1()))
    assert follow(told.database, frozenset("a"))
    assert not follow(told.database, None)
    told.say_trials("bc", started(), SANDBOX, FAILED)
    assert follow(told.database, frozenset("b"))
    assert causes(told.database) == {"a-1": "none", "b-1": "model_failure"}
    assert follow(told.database, frozenset("c"))
    assert not follow(told.database, None)
    assert not follow(told.database, frozenset())


def test_a_follower_goes_on_after_a_failure_and_with_another_store() -> None:
    told, fail = Telling(), True
    real = judging_policy(policy_v1())

    def judged(evidence: Mapping[str, object]) -> Judgement:
        if fail:
            raise ValueError("broken")
        return real.judge(evidence)

    follow = follower(replace(real, judge=judged))
    told.say("a", started(), SANDBOX, PASSED)
    with pytest.raises(ValueError, match="broken"):
        follow(told.database, frozenset("a"))
    fail = False
    assert follow(told.database, frozenset("a"))
    with memory_database() as other:
        assert not follow(other, frozenset("a"))
    assert not follow(told.database, frozenset("a"))


def test_what_is_kept_is_the_verdict_with_its_reasons() -> None:
    told, policy = Telling(), policy_v1()
    told.say("a", started(), SANDBOX, PhaseStarted(phase="agent"), KILL)
    told.say("a", replace(ENDED, oom_kill_total=1), replace(DIED, sandbox_exit=137))
    refresh(told.database, judging_policy(policy), None)
    (row,) = kept(told.database)
    verdict = judge_try(policy, Reader(told.database).tries()[0])
    assert evidence_items(str(row["because"])) == verdict.evidence
    assert (row["cause"], row["evidence_digest"]) == (verdict.cause, verdict.evidence_digest)
    assert row["also"] == list(verdict.also)


def test_a_slice_has_every_table_and_view_that_evidence_stands_on() -> None:
    files = [statement.sql for statement in catalogue("migrations").values()]
    defined = re.sub(r"--[^\n]*", "", ";".join(files))
    views = r"CREATE (?:OR REPLACE )?VIEW (\w+) AS(.*?)(?:;|\Z)"
    bodies: dict[str, str] = dict(re.findall(views, defined, re.DOTALL))
    tables = set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)", defined))
    needed: set[str] = set()
    todo = ["evidence"]
    while todo:
        name = todo.pop()
        needed.add(name)
        named = set(re.findall(r"(?:FROM|JOIN) (\w+)", bodies.get(name, "")))
        todo += [one for one in named & (tables | bodies.keys()) if one not in needed]
    assert needed == {*TABLES, *VIEWS}
