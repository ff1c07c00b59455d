"""One line of the log, looked at closely: the path for what is broken, old or odd.

A line that is no event as a whole may still hold one. A torn record is followed by a
whole one when a write was cut off and the next one came behind it on the same line, and
two records share a line when only the newline between them was lost. So a broken line is
cut where a record begins (``{"v":``), every piece that is an event is taken, and what is
left becomes dead letters, each with the reason why it is none.
"""

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
"""Times the length of a broken line that is decoded at most in search of events in it."""
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
    if begins in ([], [0]):
        return [whole]
    return _merged(line, _pieces(line, begins), whole.reason)


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
    """Cut at every beginning; the last event may hold an object that looks like one."""
    parts: list[Good | Bad] = []
    if begins[0] > 0:
        parts.append(Bad(0, line[: begins[0]], ""))
    left = _WORK * len(line)
    for begin, end in zip(begins, [*begins[1:], len(line)], strict=True):
        for stop in {len(line), end}:
            left -= stop - begin
            piece = _read(line[begin:stop], begin) if left >= 0 else None
            if isinstance(piece, Good):
                parts.append(piece)
                if stop == len(line):
                    return parts
                break
        else:
            parts.append(Bad(begin, line[begin:end], ""))
    return parts


def _merged(line: bytes, parts: list[Good | Bad], reason: str) -> list[Good | Bad]:
    """Bad pieces that touch are one dead letter: the cut between them was ours."""
    merged: list[Good | Bad] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Bad) and isinstance(last, Bad):
            end = part.part + len(part.raw)
            merged[-1] = Bad(last.part, line[last.part : end], reason)
        elif isinstance(part, Bad):
            merged.append(Bad(part.part, part.raw, reason))
        else:
            merged.append(part)
    if len(merged) == 1 and isinstance(merged[0], Bad):
        return [Bad(0, line, reason)]
    return merged


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
