"""What may be said: the bounds of people's words, for whoever takes them.

Words come from a command line, from a page, and over a socket, and are shown in all three
for ever. So they are looked at where they are written: not empty, not a book, and nothing in
them that moves a cursor or turns a line around. Whether what they are about exists is asked
of the store, by whoever has it at hand.
"""

import unicodedata
from typing import Final, assert_never

from barograph.envelope import Belongs
from barograph.errors import InputError
from barograph.facts import NoteAdded, VerdictOverridden

LONGEST_TEXT: Final = 4_000
LONGEST_NAME: Final = 200
"""Of an author, a cause, a host."""
_SHOWN: Final = 40
_LAST_US: Final = 253_402_300_799_999_999
"""The end of the year 9999, which is the last that can be written."""
_ALLOWED: Final = frozenset("\n\t")
# They reorder what is around them; a letter of a right-to-left script does not need them.
_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTROL: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


class WordsError(InputError):
    """What a person said cannot be taken as it is."""


def check(payload: VerdictOverridden | NoteAdded, belongs: Belongs) -> None:
    """Refuse words that are empty, too long, unprintable, or about nothing.

    Args:
        payload: what is said.
        belongs: what it is about, as far as that is not in the payload.

    Raises:
        WordsError: which field, and what would be right.

    """
    check_name(payload.author, "author")
    _check_text(payload.text)
    match payload:
        case VerdictOverridden():
            _check_override(payload, belongs)
        case NoteAdded():
            _check_note(payload, belongs)
        case _:
            assert_never(payload)


def check_name(name: str, field: str) -> None:
    """Refuse a name that is empty, longer than 200 characters, or not one line.

    Raises:
        WordsError: it is one of these.

    """
    if not name.strip():
        raise WordsError("is empty", field=field, remedy="give a name")
    if len(name) > LONGEST_NAME:
        raise WordsError(
            f"has {len(name):,} characters",
            field=field,
            value=name[:_SHOWN],
            remedy=f"use at most {LONGEST_NAME}",
        )
    if any(_is_control(character) for character in name):
        remedy = "leave control characters out"
        raise WordsError("cannot be printed", field=field, value=name, remedy=remedy)


def _check_text(text: str) -> None:
    if not text.strip():
        raise WordsError("is empty", field="text", remedy="say it in a sentence")
    if len(text) > LONGEST_TEXT:
        raise WordsError(
            f"has {len(text):,} characters",
            field="text",
            value=text[:_SHOWN],
            remedy=f"use at most {LONGEST_TEXT:,}; what is longer belongs in a document",
        )
    bad = next((c for c in text if _is_control(c) and c not in _ALLOWED), None)
    if bad is not None:
        remedy = "leave control characters out"
        raise WordsError(
            f"holds U+{ord(bad):04X}, which cannot be printed", field="text", remedy=remedy
        )


def _is_control(character: str) -> bool:
    return character in _TURNING or unicodedata.category(character) in _CONTROL


def _check_override(payload: VerdictOverridden, belongs: Belongs) -> None:
    if belongs.trial is None or belongs.try_no is None:
        raise WordsError("is about no try", field="trial", remedy="name a trial")
    if (payload.cause is None) != (payload.counts_as is None):
        raise WordsError(
            "says a cause without what it counts as, or the reverse", field="cause", remedy="both"
        )
    if payload.cause is not None and payload.counts_as is not None:
        check_name(payload.cause, "cause")
        check_name(payload.counts_as, "counts_as")


def _check_note(payload: NoteAdded, belongs: Belongs) -> None:
    start, end = payload.from_t_us, payload.to_t_us
    if belongs.trial is None and payload.host is None and start is None and end is None:
        remedy = "name a trial, a host, or a span of time"
        raise WordsError("is about nothing", field="note", remedy=remedy)
    if payload.host is not None:
        check_name(payload.host, "host")
    if (start is None) != (end is None):
        remedy = "give the beginning and the end"
        raise WordsError("is half a span of time", field="note", remedy=remedy)
    if start is None or end is None:
        return
    if start > end:
        raise WordsError("ends before it begins", field="note", remedy="swap the two times")
    if start < 0 or end > _LAST_US:
        remedy = "give times from 1970 on"
        raise WordsError("is of no time that can be", field="note", remedy=remedy)
