"""Events of a type that this version does not know: kept whole, never guessed at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The payload of an unknown event type, as it came."""

    type: str
    v: int
    data: object
