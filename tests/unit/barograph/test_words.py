"""Words of people are taken as they are, or refused with the field and what would be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.codec import decode, encode
from barograph.envelope import Belongs, Event
from barograph.errors import ExitCode
from barograph.facts import FACTS, PEOPLES_TYPES, NoteAdded, VerdictOverridden
from barograph.words import LONGEST_TEXT, WordsError, check

TRY = Belongs(sweep="s1", trial="t1", try_no=1)
NOBODY = Belongs()


def override(**changes: object) -> VerdictOverridden:
    said: dict[str, object] = {
        "author": "ada",
        "text": "The disk was replaced.",
        "cause": "harness_crash",
        "counts_as": "infra_error",
    }
    return VerdictOverridden(**(said | changes))  # type: ignore[arg-type]  # names are the test's own


def note(**changes: object) -> NoteAdded:
    said: dict[str, object] = {"author": "ada", "text": "Slow."}
    return NoteAdded(**(said | changes))  # type: ignore[arg-type]  # names are the test's own


@pytest.mark.parametrize(
    ("payload", "belongs"),
    [
        (override(), TRY),
        (override(cause=None, counts_as=None), TRY),
        (note(), TRY),
        (note(host="h1"), NOBODY),
        (note(from_t_us=5, to_t_us=5), NOBODY),
        (note(text="Zwei Zeilen:\n\tمحرك 🐢 <b>\N{ZERO WIDTH JOINER}"), TRY),
        (note(text="x" * LONGEST_TEXT), TRY),
    ],
)
def test_what_can_be_said(payload: VerdictOverridden | NoteAdded, belongs: Belongs) -> None:
    check(payload, belongs)
    assert payload.type in PEOPLES_TYPES


@pytest.mark.parametrize(
    ("payload", "belongs", "sentence"),
    [
        (override(text=""), TRY, "text: is empty; say it in a sentence"),
        (override(text=" \n "), TRY, "text: is empty"),
        (override(text="x" * 10_000), TRY, "has 10,000 characters; use at most 4,000"),
        (override(text="a\x1b[31m"), TRY, r"holds U\+001B, which cannot be printed"),
        (override(text="a\rb"), TRY, r"holds U\+000D"),
        (override(text="a\x00b"), TRY, r"holds U\+0000"),
        (override(text="abc\u202egnp"), TRY, r"holds U\+202E"),
        (override(text="a\ud800"), TRY, r"holds U\+D800"),
        (override(author=""), TRY, "author: is empty"),
        (override(author="a\nb"), TRY, r"author = 'a\\nb': cannot be printed"),
        (override(author="a" * 201), TRY, "has 201 characters; use at most 200"),
        (override(cause=""), TRY, "cause: is empty"),
        (override(cause=None), TRY, "a cause without what it counts as"),
        (override(counts_as=None), TRY, "a cause without what it counts as"),
        (override(), NOBODY, "trial: is about no try"),
        (override(), Belongs(trial="t1"), "trial: is about no try"),
        (note(), NOBODY, "is about nothing; name a trial, a host, or a span of time"),
        (note(host=" "), NOBODY, "host: is empty"),
        (note(from_t_us=1), NOBODY, "half a span of time"),
        (note(to_t_us=1), NOBODY, "half a span of time"),
        (note(from_t_us=2, to_t_us=1), NOBODY, "ends before it begins"),
        (note(from_t_us=-1, to_t_us=1), NOBODY, "is of no time that can be"),
        (note(from_t_us=1, to_t_us=2**62), NOBODY, "is of no time that can be"),
    ],
)
def test_what_cannot_be_said(
    payload: VerdictOverridden | NoteAdded, belongs: Belongs, sentence: str
) -> None:
    with pytest.raises(WordsError, match=sentence) as caught:
        check(payload, belongs)
    assert caught.value.exit_code == ExitCode.INPUT
    assert len(str(caught.value)) < 200


def test_peoples_types_are_facts() -> None:
    assert set(PEOPLES_TYPES) <= FACTS.keys()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
MAYBE = st.none() | TEXTS
TIMES = st.none() | st.integers(0, 2**53)


@given(
    st.builds(VerdictOverridden, author=TEXTS, text=TEXTS, cause=MAYBE, counts_as=MAYBE)
    | st.builds(NoteAdded, author=TEXTS, text=TEXTS, host=MAYBE, from_t_us=TIMES, to_t_us=TIMES),
    st.none() | st.integers(1, 99),
)
def test_any_words_come_back_as_they_were_said(
    payload: VerdictOverridden | NoteAdded, try_no: int | None
) -> None:
    event = Event(
        source="p1",
        seq=0,
        t_us=1,
        mono_us=1,
        belongs=Belongs(sweep="s", trial="t", try_no=try_no),
        payload=payload,
    )
    assert decode(encode(event)) == event
