"""What people say: that a verdict should be another one, and notes on what happened.

A verdict is computed and never written down, so a person cannot correct one; they can say
that they disagree, and that is a fact with an author, a time and a reason. It is shown
beside the policy's verdict, never in its place. Nothing is ever unsaid: who changes their
mind says something new, and the later word of an author on the same try counts.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

from barograph.facts.base import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictOverridden(Fact):
    """A person says what ended a try. The trial and the number of the try are in the envelope."""

    type: ClassVar[str] = "verdict.overridden"

    author: str
    text: str
    """Why."""
    cause: str | None = None
    """In the words of the verdict policy; null: the author takes back what they said."""
    counts_as: str | None = None
    """What the try counts as in a rate, as the policy of that day has it for the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAdded(Fact):
    """A person's note on a trial (in the envelope), a host, or a span of time."""

    type: ClassVar[str] = "note.added"

    author: str
    text: str
    host: str | None = None
    from_t_us: int | None = None
    """Wall clock, as all times; with ``to_t_us``."""
    to_t_us: int | None = None


PEOPLES_TYPES: Final = (VerdictOverridden.type, NoteAdded.type)
"""What may be appended on behalf of a person."""
