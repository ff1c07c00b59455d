"""The codec loses nothing: any event, with any unknown extra, survives a round trip."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.codec import SAMPLE_PREFIX, CodecError, decode, encode
from barograph.envelope import Belongs, Event
from barograph.facts import FACTS, PhaseStarted, Raised, Sample, TrialFinished, Unknown
from barograph.metrics import METRIC_NAMES

NATURAL = st.integers(0, 2**63 - 1)
TEXT = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
EXTRA = st.dictionaries(st.text(max_size=8).map(lambda name: "x-" + name), JSON, max_size=3)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def payloads(cls: type[Any]) -> st.SearchStrategy[Any]:
    if cls is Sample:
        values = {name: st.none() | NATURAL for name in METRIC_NAMES}
        more = st.lists(st.none() | NATURAL, max_size=3)
        extra = more.map(lambda items: {"values": items} if items else {})
        return st.builds(Sample, extra=extra, **values)
    return st.builds(cls, extra=EXTRA)


st.register_type_strategy(int, NATURAL)
st.register_type_strategy(str, TEXT)
st.register_type_strategy(float, FLOATS)
st.register_type_strategy(object, JSON)
st.register_type_strategy(
    Mapping, lambda kind: st.dictionaries(*map(st.from_type, get_args(kind)), max_size=3)
)

UNKNOWN = st.builds(
    Unknown,
    type=TEXT.map(lambda name: "new." + name),
    v=st.integers(1, 2**31 - 1),
    data=JSON,
)
EVENTS = st.builds(
    Event,
    source=st.text(min_size=1, max_size=12),
    seq=NATURAL,
    t_us=NATURAL,
    mono_us=NATURAL,
    belongs=st.builds(Belongs),
    payload=st.one_of(UNKNOWN, *map(payloads, FACTS.values())),
    extra=EXTRA,
)


@given(EVENTS)
def test_any_event_survives_a_round_trip(event: Event) -> None:
    line = encode(event)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == event


@given(EVENTS)
def test_writing_again_gives_the_same_line(event: Event) -> None:
    line = encode(event)
    assert encode(decode(line)) == line


def full_sample() -> Event:
    values: dict[str, int | None] = {name: 3_000_000_000 + n for n, name in enumerate(METRIC_NAMES)}
    return Event(
        source="c12345678901",
        seq=1_000_000,
        t_us=1_764_454_378_123_456,
        mono_us=123_456_789_012,
        belongs=Belongs(
            sweep="s123456789", trial="0123456789ab", try_no=1, target="0123456789ab-1"
        ),
        payload=Sample.of(values),
    )


def test_a_sample_is_an_array_in_the_order_of_the_metric_table() -> None:
    line = json.loads(encode(full_sample()))
    assert line["data"] == [3_000_000_000 + n for n in range(len(METRIC_NAMES))]


def test_a_sample_line_can_be_told_by_how_it_begins() -> None:
    assert encode(full_sample()).startswith(SAMPLE_PREFIX)


def test_a_typical_sample_takes_at_most_350_bytes() -> None:
    values: dict[str, int | None] = dict.fromkeys(METRIC_NAMES, 0)
    values |= {
        "interval_us": 1_000_123,
        "usage_bytes": 1_234_567_890,
        "working_set_bytes": 1_134_567_890,
        "anon_bytes": 1_034_567_890,
        "peak_bytes": 1_334_567_890,
        "limit_bytes": 2_147_483_648,
        "cpu_usage_us": 998_765,
        "cpu_periods": 10,
        "cpu_throttled_periods": 3,
        "cpu_throttled_us": 123_456,
        "pids": 17,
        "io_write_bytes": 4_194_304,
    }
    event = full_sample()
    line = encode(
        Event(
            source=event.source,
            seq=event.seq,
            t_us=event.t_us,
            mono_us=event.mono_us,
            belongs=event.belongs,
            payload=Sample.of(values),
        )
    )
    assert len(line) <= 350


def test_a_longer_sample_keeps_what_it_does_not_know() -> None:
    record = json.loads(encode(full_sample()))
    record["data"] += [7, None]
    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    event = decode(line)
    assert isinstance(event.payload, Sample)
    assert event.payload.extra == {"values": [7, None]}
    assert encode(event) == line


def test_a_shorter_sample_has_nulls() -> None:
    record = json.loads(encode(full_sample()))
    record["data"] = [1, 2]
    payload = decode(json.dumps(record).encode()).payload
    assert payload == Sample(interval_us=1, usage_bytes=2)


def test_a_newer_version_of_a_known_type_is_kept_and_not_guessed_at() -> None:
    line = (
        b'{"v":9,"type":"phase.started","source":"a","seq":0,"t_us":1,"mono_us":1,"data":{"x":1}}'
    )
    assert decode(line).payload == Unknown(type="phase.started", v=9, data={"x": 1})


def test_undecodable_output_is_written_with_replacement_characters() -> None:
    raised = Raised(type="OSError", message="bad \udcff name")
    payload = TrialFinished(how="error", duration_s=1.0, exceptions=[raised])
    line = encode(Event(source="a", seq=0, t_us=1, mono_us=1, payload=payload))
    read = decode(line).payload
    assert isinstance(read, TrialFinished)
    assert read.exceptions == [Raised(type="OSError", message="bad \N{REPLACEMENT CHARACTER} name")]


GOOD = encode(Event(source="a", seq=1, t_us=2, mono_us=3, payload=PhaseStarted(phase="agent")))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "not JSON"),
        (b"nonsense", "not JSON"),
        (GOOD[:40], "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"7", "not a JSON object"),
        (b"{}", "missing required field `v`"),
        (GOOD.replace(b'"seq":1', b'"seq":-1'), "$.seq"),
        (GOOD.replace(b'"seq":1', b'"seq":"1"'), "$.seq"),
        (GOOD.replace(b'"seq":1', b'"seq":1.5'), "$.seq"),
        (GOOD.replace(b'"seq":1', b'"seq":99999999999999999999'), "$.seq"),
        (GOOD.replace(b'"source":"a"', b'"source":""'), "$.source"),
        (GOOD.replace(b'"v":1', b'"v":0'), "$.v"),
        (GOOD.replace(b'"agent"', b'"lunch"'), "$.phase"),
        (GOOD.replace(b'{"phase":"agent","limit_s":null}', b"[1]"), "no object"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_line_that_is_no_event_says_why(line: bytes, says: str) -> None:
    with pytest.raises(CodecError) as caught:
        decode(line)
    assert says in str(caught.value)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_codec_error(line: bytes) -> None:
    with suppress(CodecError):
        decode(line)
