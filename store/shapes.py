"""Asking the codec once for every *shape* of a line, instead of once for every line.

Events other than samples are projected in SQL, which is lenient about types; what an event
may look like is the codec's knowledge. DuckDB tells the structure of each line (names and
JSON types, and the values of fields that are enumerations). Lines of one structure are
right or wrong together, so the codec is asked about one of them, and remembers it for as
long as the process lives. A shape that is not plain sends its lines to ``store.settling``.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from barograph.codec import CodecError, decode
from barograph.facts import FACTS
from store.lines import extras, is_sample

_MOST_SHAPES: Final = 10_000


def known_types() -> list[str]:
    """``type/version`` of everything that has a table."""
    return [f"{kind}/{cls.v}" for kind, cls in FACTS.items()]


def _enumerations() -> Iterator[str]:
    """Names of payload fields that are a choice of constants, in any type."""
    for cls in FACTS.values():
        hints = get_type_hints(cls)
        for field in fields(cls):
            if _is_choice(hints[field.name]):
                yield field.name


def _is_choice(hint: object) -> bool:
    return get_origin(hint) is Literal or any(_is_choice(part) for part in get_args(hint))


ENUMERATIONS: Final = tuple(f"$.{name}" for name in sorted(set(_enumerations())))
"""JSON paths, in a payload, of fields whose *value* is part of a line's shape."""


class Shape(NamedTuple):
    """What lines that are right or wrong together have in common."""

    type: str | None
    v: int | None
    structure: str
    enumerated: str | None


class ShapeBook:
    """Which shapes are plain: events of today's versions, or unknown ones, without oddities."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._plain: dict[Shape, bool] = {}

    def is_plain(self, shape: Shape, line: bytes) -> bool:
        """Whether SQL alone can take lines of this shape; ``line`` is one of them."""
        known = self._plain.get(shape)
        if known is None:
            if len(self._plain) >= _MOST_SHAPES:
                self._plain.clear()
            known = self._plain[shape] = _judge(shape, line)
        return known


def _judge(shape: Shape, line: bytes) -> bool:
    try:
        event = decode(line)
    except CodecError:
        return False
    cls = FACTS.get(event.payload.type)
    old = cls is not None and (shape.v or 0) < cls.v
    return not (old or is_sample(event) or any(extras(event)))
