"""Making a batch right that DuckDB refused, or that holds lines it cannot judge.

The straight path trusts shapes. Where that fails, for a line that is broken, old, odd, or
of which DuckDB and the codec might think differently, the codec has the word, line by
line, and for that batch only. What comes out is canonical: events of today's versions,
plain samples in the feed, dead letters with their reasons, unknown fields beside.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from store.batch import Batch, Other
from store.lines import DEEPEST, LONGEST_LINE_BYTES, Bad
from store.rebuilding import REFUSED, Rebuilt, in_order

Item = TypeVar("Item")

_SUSPECT: Final = re.compile(
    rb"\d{19}"  # may not fit into 64 bits
    rb"|[:,\[]\s*-?(?i:nan|inf)"  # DuckDB reads what no JSON has
    rb"|,\s*[\]}]"  # as above: a comma before the end
    rb"|[\x00-\x1f]"  # no text has one
)
_CONTROLS: Final = bytes(range(0x20))
_FOLDED: Final = bytes.maketrans(
    b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"000000000abcdefghijklmnopqrstuvwxyz"
)
_SIGNS: Final = (b"0" * 19, b"nan", b"inf", b",]", b",}")
"""What a folded line without its spaces holds if the pattern finds anything but a control
character in it. Looking for these takes a tenth of the pattern's time."""


def suspicious(line: bytes) -> bool:
    """Whether DuckDB might judge this line otherwise than the codec does."""
    return (
        len(line) > LONGEST_LINE_BYTES
        or line.count(b"[") + line.count(b"{") > DEEPEST
        or not _is_utf8(line)
        or (_may_be_suspect(line) and _SUSPECT.search(line) is not None)
    )


def _may_be_suspect(line: bytes) -> bool:
    """Whether it is worth the pattern's time."""
    if len(line.translate(None, _CONTROLS)) != len(line):
        return True
    folded = line.translate(_FOLDED, b" ")
    return any(sign in folded for sign in _SIGNS)


def settle(batch: Batch, which: Callable[[int, Other], bool], *, samples: bool) -> None:
    """Decode lines of the batch one by one and put it together again from what they are.

    Args:
        batch: changed in place.
        which: of the other lines, those to decode (index, line).
        samples: whether to decode the plain samples too.

    """
    new = Rebuilt(batch)
    index = 0
    for part in in_order(batch):
        if isinstance(part, Other):
            if part.settled or not which(index, part):
                new.keep(part)
            else:
                new.decode(part.line, part.place)
            index += 1
        elif samples:
            for _, line, place in part.lines():
                new.decode(line, place)
        else:
            new.keep(part)
    new.finish()


def drop(batch: Batch, samples: frozenset[int], others: frozenset[int]) -> None:
    """Take lines out of the batch by their index; they are duplicates."""
    new = Rebuilt(batch)
    number = 0
    for part in in_order(batch):
        if isinstance(part, Other):
            if number not in others:
                new.keep(part)
            number += 1
        elif samples:
            new.keep_if(part, lambda index, _: index not in samples)
        else:
            new.keep(part)
    new.finish()
    batch.duplicates += len(samples) + len(others)


def bury(batch: Batch, refused: Sequence[bytes]) -> None:
    """Make dead letters of lines that are events, but that DuckDB refuses all the same."""
    doomed = frozenset(refused)
    new = Rebuilt(batch)
    for part in in_order(batch):
        if not isinstance(part, Other):
            for _, line, place in part.lines():
                if line in doomed:
                    new.bury(Bad(0, line, REFUSED), place)
            new.keep_if(part, lambda _, line: line not in doomed)
        elif part.line in doomed:
            new.bury(Bad(0, part.line, REFUSED), part.place)
        else:
            new.keep(part)
    new.finish()


def refused_of(items: Sequence[Item], accepted: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """Those of ``items`` that are not accepted, found by halving."""
    if not items or accepted(items):
        return []
    if len(items) == 1:
        return list(items)
    half = len(items) // 2
    return refused_of(items[:half], accepted) + refused_of(items[half:], accepted)


def _is_utf8(line: bytes) -> bool:
    if line.isascii():
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
