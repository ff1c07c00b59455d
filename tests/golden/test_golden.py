"""Old logs replay for ever: every line of a golden log reads and writes back to its bytes.

A golden log is never edited. When there is a new type, or a payload gets a new version, a new
file with today's lines is added beside the old ones, and the old ones must still come out lifted.
"""

import json
from pathlib import Path

from barograph.codec import decode, encode
from barograph.facts import FACTS, Unknown

V1 = [
    line
    for name in (
        "events-v1.jsonl",
        "events-v1-people.jsonl",
        "events-v1-shipping.jsonl",
        "events-v1-retention.jsonl",
    )
    for line in (Path(__file__).parent / name).read_bytes().splitlines(keepends=True)
]


def test_every_line_of_v1_is_an_event() -> None:
    assert [decode(line).t_us > 0 for line in V1] == [True] * len(V1)


def test_v1_holds_every_type_that_it_could() -> None:
    held = {json.loads(line)["type"] for line in V1}
    assert {kind for kind, cls in FACTS.items() if cls.v == 1} <= held


def test_what_v1_did_not_know_is_kept() -> None:
    unknown = [e for e in map(decode, V1) if isinstance(e.payload, Unknown)]
    assert [event.payload.type for event in unknown] == ["weather.changed"]
    assert unknown[0].extra == {"future": True}
    assert any(
        "from_a_later_version" in event.payload.extra
        for event in map(decode, V1)
        if not isinstance(event.payload, Unknown)
    )


def test_lines_of_current_types_are_written_back_to_the_same_bytes() -> None:
    for line in V1:
        event = decode(line)
        if isinstance(event.payload, Unknown) or FACTS[event.payload.type].v == 1:
            assert encode(event) == line
