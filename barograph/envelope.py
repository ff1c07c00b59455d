"""The envelope: who said it, in which order, when, and what it belongs to.

``(source, seq)`` is the identity of an event, everywhere. A source is one incarnation of
one process; its seq counts from 0 without gaps, so that a reader can prove that it has
everything a writer ever acknowledged. Wall and monotonic time stand side by side
because only together they show that the wall clock stepped.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barograph.facts import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongs:
    """What an event belongs to; all None for facts about the host."""

    sweep: str | None = None
    trial: str | None = None
    try_no: int | None = None
    """Which execution of the trial, 1, 2, ... (``try`` on the wire)."""
    target: str | None = None
    """Name of the watched cgroup."""


NOTHING = Belongs()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact in its envelope, as the log holds it."""

    source: str
    seq: int
    t_us: int
    """Wall clock at the fact: UTC microseconds since the epoch."""
    mono_us: int
    """The writer's monotonic clock, microseconds."""
    belongs: Belongs = NOTHING
    payload: Payload
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    """Envelope fields that this version does not know."""
