"""Can I trust what I see? One sentence, from what the pipeline says about itself.

A doubt is something because of which a number on another page may be wrong: events that are
lost, kills that nobody names, ticks at which nobody looked, tables that are behind. What was
given up on purpose, or explained, is a remark: it is said, and does not shake the numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.wording import count
from barograph.shipping.keeping import Shipping
from barograph.units import format_bytes, format_duration
from store.pages.pipeline import Pipeline
from store.story import GapRow

_LATE_S: Final = 5.0
"""Tables that are further behind the log than this are behind."""
_MISSED: Final = 0.001
"""Share of ticks; with more, peaks of short commands may be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the page says on top."""

    sentence: str
    doubts: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Missing events by what explains them."""

    lost: int
    thinned: int
    refused: int
    dead: int
    removed: int
    """Pruned, or left out of a copy."""

    @property
    def explained(self) -> int:
        """All that is not lost."""
        return self.thinned + self.refused + self.dead + self.removed

    @classmethod
    def of(cls, rows: Sequence[GapRow]) -> "Gaps":
        """Count them."""
        by: dict[str | None, int] = {}
        for row in rows:
            by[row.explained_by] = by.get(row.explained_by, 0) + row.last - row.first + 1
        return cls(
            lost=by.get(None, 0),
            thinned=by.get("thinned", 0),
            refused=by.get("refused", 0),
            dead=by.get("dead_letter", 0),
            removed=by.get("pruned", 0) + by.get("left_out", 0),
        )


def trust(
    found: Pipeline,
    *,
    lag_s: float | None,
    load_error: str | None,
    shipping: Shipping | None = None,
) -> Trust:
    """Weigh what was found.

    Args:
        found: what the store says.
        lag_s: how far the tables are behind the log; None: not known.
        load_error: why the last load failed, if it did.
        shipping: how far the shared log has the journal here; None: there is none.

    """
    if not found.now.sources:
        return Trust(
            sentence="There is nothing to trust yet: no event has been written",
            doubts=(),
            remarks=(),
        )
    doubts = [*_doubts(found, lag_s, load_error), *_unshipped(shipping)]
    remarks = _remarks(found)
    if doubts:
        said = f"Be careful: {doubts[0]}"
        more = len(doubts) - 1
        said += f", and {count(more, 'doubt')} more below" if more else ""
        return Trust(sentence=said, doubts=tuple(doubts), remarks=tuple(remarks))
    said = "You can trust what you see: every event arrived"
    counted = sum(host.counted for host in found.hosts)
    if found.hosts:
        said += _named(counted)
    return Trust(sentence=said, doubts=(), remarks=tuple(remarks))


def _named(counted: int) -> str:
    if not counted:
        return ", and the kernel counted no kill"
    if counted == 1:
        return ", and the one kill that the kernel counted has a name"
    return f", and all {counted:,} kills that the kernel counted have a name"


def _doubts(found: Pipeline, lag_s: float | None, load_error: str | None) -> list[str]:
    now, gaps = found.now, Gaps.of(found.gaps)
    unclaimed = sum(max(0, host.unclaimed) for host in found.hosts)
    said: list[str] = []
    if load_error is not None:
        said.append(f"the last load failed ({load_error})")
    if gaps.lost:
        verbs = "is lost, or comes late" if gaps.lost == 1 else "are lost, or come late"
        said.append(f"{count(gaps.lost, 'event')} {verbs}")
    if gaps.refused:
        said.append(f"no broker took {count(gaps.refused, 'event')}")
    if now.dead_letters:
        said.append(f"{count(now.dead_letters, 'piece')} of the log cannot be read")
    if unclaimed:
        said.append(f"the kernel counted {count(unclaimed, 'kill')} that nobody names")
    ticks = now.served_ticks + now.missed_ticks
    if now.missed_ticks and now.missed_ticks > _MISSED * ticks:
        said.append(f"{now.missed_ticks:,} of {ticks:,} ticks were missed")
    if lag_s is not None and lag_s > _LATE_S:
        said.append(f"the tables are {format_duration(lag_s)} behind the log")
    if not now.collectors:
        said.append("no collector wrote: there is no telemetry")
    return said


def _unshipped(shipping: Shipping | None) -> list[str]:
    """What the shared log does not have yet, where something keeps it from going on."""
    if shipping is None or not shipping.waiting_bytes or shipping.error is None:
        return []
    size = format_bytes(shipping.waiting_bytes)
    return [f"{size} of the journal here wait for the shared log ({shipping.error})"]


def _remarks(found: Pipeline) -> list[str]:
    now, gaps = found.now, Gaps.of(found.gaps)
    said: list[str] = []
    given_up = gaps.thinned + now.dropped_samples
    if given_up:
        said.append(f"{count(given_up, 'sample')} given up on purpose, which is recorded")
    if now.missed_ticks and now.missed_ticks <= _MISSED * (now.served_ticks + now.missed_ticks):
        said.append(f"{count(now.missed_ticks, 'tick')} missed, too few to matter")
    if now.clock_steps:
        step = format_duration(abs(now.largest_step_us or 0) / 1e6)
        said.append(f"the clock stepped {count(now.clock_steps, 'time')}, by {step} at most")
    if found.probes:
        said.append(f"{count(len(found.probes), 'probe')} cannot work here")
    outside = sum(host.outside for host in found.hosts)
    if outside:
        said.append(f"{count(outside, 'kill')} outside of the time in which the host was watched")
    if now.unknown_events:
        said.append(f"{count(now.unknown_events, 'event')} of types that this version ignores")
    return said
