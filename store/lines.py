"""One line of the log, looked at closely: the path for what is broken, old or odd.

A line that is no event as a whole may still hold one. A torn record is followed by a
whole one when a write was cut off and the next one came behind it on the same line, and
two records share a line when only the newline between them was lost. So in a broken line
every event is looked for where one could begin (``{"v":``) and taken, and what stands
between them becomes dead letters, each with the reason why the line is none.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

from barograph.codec import CodecError, decode, encode
from barograph.envelope import Event
from barograph.facts import Sample, Unknown

LONGEST_LINE_BYTES: Final = 8 << 20
"""A longer line is no event: no writer here makes one, and DuckDB would hold it many times."""
DEEPEST: Final = 200
"""Brackets that a line may open before it is looked at closely: DuckDB's own walk over a
JSON value calls itself for every level and ends the process at some 100,000."""

_BEGIN: Final = b'{"v":'
_MOST_PIECES: Final = 1000
_WORK: Final = 4
_WORK_BYTES: Final = 1 << 20
"""A broken line is read at most so many times its length, and so many bytes, in search of
events in it."""
_JSON: Final = json.JSONDecoder()
_IDENTITY: Final = re.compile(
    rb'^\{"v":\d{1,9},"type":"[^"\\]{1,64}","source":"(?P<source>[^"\\]{1,64})","seq":'
    rb"(?P<seq>\d{1,18})[,}]"
)
_INT64: Final = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class Good:
    """A piece of a line that is an event, at ``part`` bytes into the line."""

    part: int
    event: Event


@dataclass(frozen=True, slots=True)
class Bad:
    """A piece of a line that is none."""

    part: int
    raw: bytes
    reason: str

    @property
    def identity(self) -> tuple[str, int] | None:
        """(source, seq), where the bytes still say so."""
        match = _IDENTITY.match(self.raw)
        if match is None:
            return None
        return match["source"].decode(errors="replace"), int(match["seq"])


def dissect(line: bytes) -> list[Good | Bad]:
    """Every event in ``line`` and what is left of it, in order.

    Args:
        line: bytes between two newlines, whatever they are.

    Returns:
        One part for a line that is an event, or that holds none; several otherwise.

    """
    whole = _read(line, 0)
    if isinstance(whole, Good) or len(line) > LONGEST_LINE_BYTES:
        return [whole]
    begins = list(_begins(line))
    if not begins:
        return [whole]
    return [
        Bad(part.part, part.raw, whole.reason) if isinstance(part, Bad) else part
        for part in _pieces(line, begins)
    ]


def canonical(event: Event) -> bytes:
    """The event as one line of today's version, without its newline."""
    return encode(event)[:-1]


def extras(event: Event) -> Iterator[tuple[str, str, object]]:
    """(place, name, value) of every field that this version does not know."""
    for name, value in event.extra.items():
        yield "envelope", name, value
    if not isinstance(event.payload, Unknown):
        for name, value in event.payload.extra.items():
            yield "data", name, value


def is_sample(event: Event) -> bool:
    """Whether the event is a sample that this version knows."""
    return isinstance(event.payload, Sample)


def _begins(line: bytes) -> Iterator[int]:
    at = line.find(_BEGIN)
    found = 0
    while at >= 0 and found < _MOST_PIECES:
        yield at
        found += 1
        at = line.find(_BEGIN, at + 1)


def _pieces(line: bytes, begins: list[int]) -> list[Good | Bad]:
    """An event where one begins and ends; what stands between them is bad."""
    # A byte a character, so that places in the text are places in the line; JSON's own
    # characters are ASCII.
    text = line.decode("latin-1")
    parts: list[Good | Bad] = []
    at = 0
    work = _WORK * len(line) + _WORK_BYTES
    for begin in begins:
        work -= len(line) - begin
        end = _end_of_value(text, begin) if begin >= at and work >= 0 else None
        piece = None if end is None else _read(line[begin:end], begin)
        if isinstance(piece, Good) and end is not None:
            if begin > at:
                parts.append(Bad(at, line[at:begin], ""))
            parts.append(piece)
            at = end
    if line[at:].strip() or not parts:
        parts.append(Bad(at, line[at:], ""))
    return parts


def _end_of_value(text: str, begin: int) -> int | None:
    try:
        return _JSON.raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


def _read(line: bytes, part: int) -> Good | Bad:
    if len(line) > LONGEST_LINE_BYTES:
        return Bad(part, line, f"too large (a line may have {LONGEST_LINE_BYTES} bytes)")
    if not line.strip():
        return Bad(part, line, "an empty line")
    try:
        event = decode(line)
    except CodecError as error:
        return Bad(part, line, error.problem)
    if field := _too_wide(event):
        return Bad(part, line, f"not an event (an integer beyond 64 bits in {field})")
    return Good(part, event)


def _too_wide(event: Event) -> str | None:
    """The first field whose integer no column can hold."""
    payload = event.payload
    if isinstance(payload, Unknown):
        return None
    for field in fields(payload):
        value: object = getattr(payload, field.name)
        if isinstance(value, int) and value not in _INT64:
            return field.name
    return None
