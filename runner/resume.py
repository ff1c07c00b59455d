"""What the log says about the past of a sweep, so that a campaign goes on where it was.

The log is the only memory: there is no file of "done" trials that could disagree with
it. A trial has its outcome when one of its tries *stands*, which is every try but those
that an operator or the death of a runner ended: a try that began and has no
``trial.finished``, or has one with ``cancelled``, is run again as the next try.

Of a sweep's log 99% are samples. Lines are told apart by how they begin, and only the
handful of types that matter here are decoded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from barograph.codec import CodecError, decode
from barograph.envelope import Event
from barograph.facts import SweepPlanned, TrialFinished
from barograph.log.port import START, Log

_TYPE: Final = re.compile(
    rb'\{"v":\d+,"type":"(?:sweep\.planned|trial\.started|trial\.finished|phase\.\w+)",'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A try that began and never got an outcome: its runner died."""

    trial: str
    try_no: int
    target: str | None
    started_t_us: int
    last_t_us: int
    """Wall time of the last thing its runner said about it."""


@dataclass(slots=True)
class _Tries:
    """The tries of one trial."""

    begun: dict[int, Orphan] = field(default_factory=dict[int, Orphan])
    finished: dict[int, TrialFinished] = field(default_factory=dict[int, TrialFinished])


@dataclass(slots=True)
class Past:
    """A fold of the log."""

    sweep_id: str | None = None
    planned: SweepPlanned | None = None
    _trials: dict[str, _Tries] = field(default_factory=dict[str, _Tries])

    def take(self, event: Event) -> None:
        """Fold one event in; the order of events does not matter."""
        trial, try_no = event.belongs.trial, event.belongs.try_no
        if isinstance(event.payload, SweepPlanned):
            # The first plan is the plan; a second one cannot be written by this product.
            if self.planned is None:
                self.sweep_id, self.planned = event.belongs.sweep, event.payload
            return
        if trial is None or try_no is None:
            return
        tries = self._trials.setdefault(trial, _Tries())
        if isinstance(event.payload, TrialFinished):
            tries.finished[try_no] = event.payload
            return
        known = tries.begun.get(try_no)
        tries.begun[try_no] = Orphan(
            trial=trial,
            try_no=try_no,
            target=event.belongs.target,
            started_t_us=min(event.t_us, event.t_us if known is None else known.started_t_us),
            last_t_us=max(event.t_us, event.t_us if known is None else known.last_t_us),
        )

    def standing(self, trial: str) -> TrialFinished | None:
        """The outcome of a trial: that of its first standing try; None while it has none."""
        tries = self._trials.get(trial)
        if tries is None:
            return None
        stand = [no for no, end in tries.finished.items() if end.how != "cancelled"]
        return tries.finished[min(stand)] if stand else None

    def next_try(self, trial: str) -> int:
        """The number that the trial's next try has to have."""
        tries = self._trials.get(trial)
        return 1 if tries is None else max((*tries.begun, *tries.finished), default=0) + 1

    def orphans(self) -> list[Orphan]:
        """Tries without an end, which their runner can no longer write."""
        return [
            orphan
            for tries in self._trials.values()
            for no, orphan in sorted(tries.begun.items())
            if no not in tries.finished
        ]


def read_past(log: Log) -> Past:
    """Read the whole log.

    Raises:
        LogError: it cannot be read.

    """
    past = Past()
    for line in _lines(log):
        if _TYPE.match(line):
            try:
                event = decode(line)
            except CodecError:
                continue  # a dead letter; the loader reports those
            past.take(event)
    return past


def _lines(log: Log) -> Iterator[bytes]:
    """Whole lines; one that comes in pieces is longer than any that matters here."""
    for chunk in log.read(START):
        yield from chunk.data.split(b"\n")
