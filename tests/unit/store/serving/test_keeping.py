"""What was touched is judged soon, at once for whoever waits, in a bounded share of the time."""

from dataclasses import dataclass, field

import pytest

from store.database import Database
from store.errors import StoreError
from store.serving.keeping import Keeping
from tests.stores import empty_store


@dataclass
class Judge:
    """Notes what it was asked about; each time takes so long, by a clock that only it moves."""

    takes_s: float = 0.0
    fails: bool = False
    now_s: float = 100.0
    marks: int = 0
    asked: list[set[str] | None] = field(default_factory=list[set[str] | None])

    def judge(self, _database: Database, trials: frozenset[str] | None) -> bool:
        self.now_s += self.takes_s
        if self.fails:
            raise StoreError("no room")
        self.asked.append(None if trials is None else set(trials))
        return True

    def mark(self) -> None:
        self.marks += 1

    def keeping(self) -> Keeping:
        kept = Keeping(empty_store(), self.judge, self.mark, clock_s=lambda: self.now_s)
        kept.judge(at_once=True)
        assert self.asked.pop() is None, "at first nothing is known"
        return kept


def test_batches_are_judged_together_a_second_later() -> None:
    judge = Judge()
    kept = judge.keeping()
    for trials in ("a", "b", "a"):
        kept.told(frozenset(trials))
        kept.judge(at_once=False)
        judge.now_s += 0.25
    assert judge.asked == []
    judge.now_s += 0.25
    kept.judge(at_once=False)
    assert judge.asked == [{"a", "b"}]
    assert judge.marks == 2
    judge.now_s += 10
    kept.judge(at_once=False)
    assert judge.asked == [{"a", "b"}], "nothing was told of since"


def test_who_waits_does_not_wait_for_the_second() -> None:
    judge = Judge()
    kept = judge.keeping()
    kept.told(frozenset("a"))
    kept.judge(at_once=True)
    assert judge.asked == [{"a"}]


@pytest.mark.parametrize(("takes_s", "rests_s"), [(0.01, 1.0), (0.06, 2.94), (30.0, 5.0)])
def test_what_takes_long_is_done_less_often(takes_s: float, rests_s: float) -> None:
    judge = Judge(takes_s=takes_s)
    kept = judge.keeping()
    ended_s = judge.now_s
    kept.told(frozenset("a"))
    judge.now_s = ended_s + rests_s - 0.02
    kept.judge(at_once=False)
    assert judge.asked == []
    judge.now_s = ended_s + rests_s + 0.02
    kept.judge(at_once=False)
    assert judge.asked == [{"a"}]


def test_what_could_not_be_judged_is_judged_the_next_time() -> None:
    judge = Judge()
    kept = judge.keeping()
    kept.told(frozenset("a"))
    judge.fails = True
    with pytest.raises(StoreError):
        kept.judge(at_once=True)
    judge.fails = False
    kept.told(frozenset("b"))
    kept.judge(at_once=True)
    assert judge.asked == [{"a", "b"}]
    kept.told(None)
    kept.told(frozenset("c"))
    kept.judge(at_once=True)
    assert judge.asked[1:] == [None]


def test_without_a_judge_nothing_is_kept() -> None:
    kept = Keeping(empty_store(), None, lambda: None)
    kept.judge(at_once=True)
    kept.spark()
