"""Events that say what is pruned."""

from collections.abc import Iterable

from barograph.codec import encode
from barograph.envelope import Event
from barograph.facts import LogPruned, SeqRange
from tests.stores import event


def pruning(seq: int, *ranges: tuple[str, int, int], source: str = "p1") -> Event:
    named = [SeqRange(source=name, first=first, last=last) for name, first, last in ranges]
    said = LogPruned(
        author="ada", reason="sweep", sweeps=["s1"], ranges=named, trials=[], events=len(named)
    )
    return event(seq, said, source=source)


def written(events: Iterable[Event]) -> list[bytes]:
    return [encode(one)[:-1] for one in events]
