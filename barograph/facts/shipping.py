"""What the shipper says of itself: how far a topic has what a journal has."""

from dataclasses import dataclass
from typing import ClassVar

from barograph.facts.base import Fact
from barograph.facts.telemetry import SeqRange


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipperSelf(Fact):
    """What the shipper did since its last such event, and how far behind it is."""

    type: ClassVar[str] = "shipper.self"

    log: str
    """Where it ships to, without anything secret."""
    interval_us: int
    acknowledged_records: int
    acknowledged_bytes: int
    """Of journal lines, before they were packed."""
    waiting_bytes: int
    """In the journal and not acknowledged yet."""
    lag_us: int | None = None
    """How long ago everything that was in the journal was acknowledged."""
    failures: int
    """How often it had to begin again."""
    last_error: str | None = None
    """The sentence of the last failure, if nothing was acknowledged since."""
    cpu_us: int
    rss_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsRefused(Fact):
    """A line that no broker takes, because it is too large: it stays in the journal alone."""

    type: ClassVar[str] = "events.refused"

    reason: str
    ranges: list[SeqRange]
    """What the line was, where it still says so."""
    stream: str
    """The journal file, and where in it."""
    offset: int
    size_bytes: int
