"""What is no event becomes a dead letter, whole and with a reason, and hides no neighbour."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from barograph.codec import CodecError, decode, encode
from barograph.log.port import Chunk
from store.lines import LONGEST_LINE_BYTES, Bad, Good, dissect
from store.reader import Reader
from tests.stores import chunk, dump, empty_store, event, golden_lines, load, sample, sample_line

BROKEN = {
    "nothing": b"",
    "blank": b"   ",
    "text": b"this is not JSON",
    "number": b"5",
    "list": b"[1, 2]",
    "half": b'{"v":1,"type":"sample","source":"c1","seq":1,"t_us"',
    "binary": bytes(range(256)).replace(b"\n", b""),
    "NUL bytes": b"\0" * 100,
    "NUL in a record": sample_line("1").replace(b"t1-1", b"t1\0-1"),
    "control character": sample_line("1").replace(b"t1-1", b"t1\x01-1"),
    "not UTF-8": sample_line("1").replace(b"t1-1", b"t1\xff-1"),
    "lone surrogate": sample_line("1").replace(b"t1-1", b"t\\ud800"),
    "no source": b'{"v":1,"type":"sample","seq":1,"t_us":5,"mono_us":6,"data":[1]}',
    "empty source": sample_line("1", source='""'),
    "digits only, but none": sample_line("1", source="5"),
    "source is null": sample_line("1", source="null"),
    "source is a list": sample_line("1", source='["c1"]'),
    "seq is text": sample_line('"1"'),
    "seq is a fraction": sample_line("1.5"),
    "seq in powers": sample_line("15e-1"),
    "seq is true": sample_line("true"),
    "seq is missing": sample_line("").replace(b'"seq":,', b""),
    "seq is nothing": sample_line(""),
    "seq is null": sample_line("null"),
    "seq below 0": sample_line("-1"),
    "seq too large": sample_line(str(2**63)),
    "seq far too large": sample_line("9" * 400),
    "seq with a leading 0": sample_line("007"),
    "version 0": sample_line("1", v="0"),
    "version is text": sample_line("1", v='"1"'),
    "metric is text": sample_line("1", data='["5"]'),
    "metric is a fraction": sample_line("1", data="[1.5]"),
    "metric is true": sample_line("1", data="[true]"),
    "metric is a list": sample_line("1", data="[[1]]"),
    "metric too large": sample_line("1", data=f"[{2**63}]"),
    "metric far too small": sample_line("1", data=f"[-{10**30}]"),
    "metric is NaN": sample_line("1", data="[NaN]"),
    "metric is a minus": sample_line("1", data="[-]"),
    "comma at the end": sample_line("1", data="[1,]"),
    "comma at the end of the record": sample_line("1")[:-1] + b",}",
    "data is text": sample_line("1", data='"1"'),
    "data is null": sample_line("1", data="null"),
    "data is missing": sample_line("1").split(b',"data"')[0] + b"}",
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep in a record": sample_line("1", data="[" * 100_000 + "]" * 100_000),
    "deep in an event": encode(event(1))[:-1].replace(b'"agent"', b"[" * 50_000 + b"]" * 50_000),
    "enumeration": encode(event(1))[:-1].replace(b'"agent"', b'"lunch"'),
    "wrong type in an event": encode(event(1))[:-1].replace(b'"agent"', b"7"),
    "missing in an event": encode(event(1))[:-1].replace(b'"phase":"agent"', b'"more":1'),
    "integer beyond 64 bits in an event": encode(event(1))[:-1].replace(
        b'"try":1', b'"try":9223372036854775808'
    ),
    "NaN in an event": encode(event(1))[:-1].replace(b'"limit_s":null', b'"limit_s":NaN'),
    "list for an event": encode(event(1))[:-1].split(b'"data":')[0] + b'"data":[]}',
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_line_is_a_dead_letter_and_its_neighbours_are_not(name: str) -> None:
    line = BROKEN[name]
    lines = [sample_line("0"), encode(event(2))[:-1], line, sample_line("3"), sample_line("4")]
    database = empty_store()
    report = load(database, chunk(lines))
    assert (report.events, report.samples, report.dead_letters) == (4, 3, 1)
    (letter,) = Reader(database).dead_letters()
    assert letter.raw == line
    assert letter.size_bytes == len(line)
    assert (letter.stream, letter.offset, letter.part) == ("s", sum(map(len, lines[:2])) + 2, 0)
    assert len(letter.reason) > 5


@pytest.mark.parametrize("name", list(BROKEN))
def test_alone_in_its_batch_it_is_the_same_dead_letter(name: str) -> None:
    lines = [sample_line("0"), BROKEN[name], sample_line("3")]
    database = empty_store()
    load(database, chunk(lines))
    together = dump(database)
    database = empty_store()
    start = 0
    for line in lines:
        one = chunk([line], start=start)
        start = one.end
        load(database, one)
    assert dump(database) == together


def test_a_line_that_is_too_large_is_kept_whole() -> None:
    line = b'{"v":1,"text":"' + b"x" * (LONGEST_LINE_BYTES + 5) + b'"}'
    database = empty_store()
    load(database, chunk([sample_line("0"), line, sample_line("1")]))
    (letter,) = Reader(database).dead_letters()
    assert letter.raw == line
    assert letter.reason.startswith("too large")
    assert Reader(database).counts().samples == 2


def test_a_piece_of_a_line_that_nobody_can_hold_is_a_dead_letter() -> None:
    database = empty_store()
    load(database, Chunk(stream="s", start=0, end=9, data=b"xxxxxxxxx"))
    load(database, Chunk(stream="s", start=9, end=12, data=b"xx\n"))
    letters = [(one.offset, one.raw) for one in Reader(database).dead_letters()]
    assert letters == [(0, b"xxxxxxxxx"), (9, b"xx")]


def test_a_whole_record_behind_a_torn_one_is_taken() -> None:
    torn = b'{"v":1,"ty'
    lines = [sample_line("0"), torn + encode(event(2))[:-1], torn + sample_line("1")]
    database = empty_store()
    report = load(database, chunk(lines))
    assert (report.events, report.samples, report.dead_letters) == (3, 2, 2)
    letters = [(one.offset, one.part, one.raw) for one in Reader(database).dead_letters()]
    first = len(lines[0]) + 1
    assert letters == [(first, 0, torn), (first + len(lines[1]) + 1, 0, torn)]


def test_a_torn_record_names_what_is_missing() -> None:
    torn = sample_line("1")[:60]
    database = empty_store()
    load(database, chunk([sample_line("0"), torn + sample_line("2")]))
    gaps = [(gap.first, gap.last, gap.explained_by) for gap in Reader(database).gaps()]
    assert gaps == [(1, 1, "dead_letter")]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (b"", ["bad"]),
        (sample_line("0") + sample_line("1"), [0, 1]),
        (sample_line("0") + b"tail", [0, "bad"]),
        (b"\xef\xbb\xbf" + sample_line("0"), ["bad", 0]),
        (b"head" + sample_line("0") + b"mid" + sample_line("1"), ["bad", 0, "bad", 1]),
        (b'{"v":1{"v":1,{"v":' + sample_line("0"), ["bad", 0]),
        (b'{"v":' * 5000, ["bad"]),
        (sample_line("0", data='{"usage_bytes":1,"x":{"v":1}}'), [0]),
        (b"torn" + sample_line("0", data='{"usage_bytes":1,"x":{"v":1}}'), ["bad", 0]),
    ],
    ids=[
        "empty",
        "two",
        "tail",
        "mark",
        "between",
        "torn thrice",
        "hostile",
        "nested",
        "torn nested",
    ],
)
def test_a_line_is_cut_where_records_begin(line: bytes, parts: list[int | str]) -> None:
    found = dissect(line)
    assert [part.event.seq if isinstance(part, Good) else "bad" for part in found] == parts
    bad = [part for part in found if isinstance(part, Bad)]
    assert all(line[part.part : part.part + len(part.raw)] == part.raw for part in bad)
    assert all(part.reason for part in bad)


LINES = [
    *golden_lines(),
    *(encode(sample(seq, source="x"))[:-1] for seq in range(4)),
    sample_line("9", source='"y.z"'),
]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
@example(0)
def test_tables_and_codec_agree_on_every_line_however_it_was_bitten(seed: int) -> None:
    lines = [_bitten(line, random.Random(seed * 997 + number)) for number, line in enumerate(LINES)]
    lines = [line.replace(b"\n", b"") for line in lines]
    database = empty_store()
    load(database, chunk(lines))
    identities: set[tuple[str, int]] = set()
    dead = 0
    for line in lines:
        for part in dissect(line):
            if isinstance(part, Good):
                identities.add((part.event.source, part.event.seq))
            else:
                dead += 1
    counts = Reader(database).counts()
    assert (counts.events, counts.dead_letters) == (len(identities), dead)


def _bitten(line: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, lost or put in, in most lines none."""
    for _ in range(dice.choice([0, 0, 0, 1, 1, 2, 5])):
        at = dice.randrange(len(line))
        more = dice.choice([b"", b'"', b"0", b".5", b"-", b",", b"]", b"}", b"e", b"\xff", b"null"])
        line = line[:at] + more + line[at + dice.choice([0, 1, 1, 10]) :]
    return line


@given(st.binary(max_size=300))
def test_any_bytes_can_be_looked_at(line: bytes) -> None:
    parts = dissect(line.replace(b"\n", b""))
    assert parts
    for part in parts:
        if isinstance(part, Bad):
            with pytest.raises(CodecError):
                decode(part.raw or b" ")
