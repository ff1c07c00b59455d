"""What a log no longer has, on purpose, and what a copy of a log never had."""

from dataclasses import dataclass
from typing import ClassVar

from barograph.facts.base import Fact
from barograph.facts.telemetry import SeqRange


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPruned(Fact):
    """Events that no table may hold any more, wherever and whenever they are met.

    It is in the log before anything is removed. An event of this type is never pruned itself.
    """

    type: ClassVar[str] = "log.pruned"

    author: str
    reason: str
    """``sweep``: somebody named it; ``age``: it was older than somebody said."""
    sweeps: list[str]
    """Sweeps of which all went."""
    before_t_us: int | None = None
    """By age: what is from before this went."""
    ranges: list[SeqRange]
    trials: list[str]
    """Trials of those sweeps: what they printed goes, too."""
    events: int
    """How many events the tables held of these ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsLeftOut(Fact):
    """Events that a copy of one sweep does not have, because they are not the sweep's.

    It explains gaps and does nothing else: a copy may be shipped to the log that it came from.
    """

    type: ClassVar[str] = "events.left_out"

    sweep_copied: str
    reason: str
    ranges: list[SeqRange]
