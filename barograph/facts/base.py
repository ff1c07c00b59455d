"""What every payload has: a type name, a version, and room for fields it doesn't know.

Payloads are frozen values. ``type`` and ``v`` are constants of the class; ``extra`` keeps
the fields that a newer writer added, so that reading and writing an event again loses
nothing. Optional means *not known*: a missing number is None, never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

Phase = Literal["environment", "setup", "agent", "verifier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Base of all payload types; never written itself."""

    type: ClassVar[str]
    v: ClassVar[int] = 1

    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    """Fields of the payload that this version does not know, kept as they came."""
