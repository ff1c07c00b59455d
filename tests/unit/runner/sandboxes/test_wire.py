"""Messages between driver and supervisor survive any cutting of the stream."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.sandboxes.supervisor import wire

values = st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
messages = st.lists(st.dictionaries(st.text(max_size=9), values, max_size=4), max_size=4)
words = st.lists(st.text(st.characters(exclude_characters="\0")), min_size=2)


@given(messages, st.integers(5, 50))
def test_messages_come_whole_and_in_order(sent: list[wire.Message], size: int) -> None:
    stream = b"".join(wire.pack(message) for message in sent)
    inbox = wire.Inbox()
    heard: list[wire.Message] = []
    for start in range(0, len(stream), size):
        heard += inbox.feed(stream[start : start + size])
    assert heard == sent


@given(words)
def test_lists_survive(items: list[str]) -> None:
    assert wire.texts({"list": wire.joined(items)}, "list") == items


@given(st.dictionaries(st.text(st.characters(exclude_characters="\0"), min_size=1), st.just("=")))
def test_pairs_survive(items: dict[str, str]) -> None:
    assert wire.pairs({"pairs": wire.joined_pairs(items)}, "pairs") == list(items.items())


def test_what_is_no_message_is_told() -> None:
    with pytest.raises(wire.WireError):
        wire.Inbox().feed(b"\xff\xff\xff\xff")
    with pytest.raises(wire.WireError):
        wire.Inbox().feed(b"\x05\0\0\0i\1\0\0\0")  # a number
    for read in (wire.text, wire.raw, wire.whole, wire.texts):
        with pytest.raises(wire.WireError):
            read({"there": 1.5}, "missing")
    assert wire.optional_whole({}, "missing") is None
    assert wire.optional_real({"there": 2}, "there") == 2.0
