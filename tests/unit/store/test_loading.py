"""Exactly once: whatever the batches, the order of the sources and the repetitions."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.codec import encode
from barograph.facts import ExecFinished, PhaseStarted, Sample, SamplesThinned, SeqRange
from barograph.log.port import Chunk
from barograph.metrics import METRIC_NAMES
from store.loader import Loader
from store.reader import Reader
from tests.stores import (
    chunk,
    dump,
    empty_store,
    event,
    golden_lines,
    load,
    memory_log,
    sample,
    sample_line,
)

SLOW = settings(max_examples=10, deadline=None)


def lines_of(*seqs: int, source: str = "c1") -> list[bytes]:
    """Every third event is no sample."""
    return [
        encode(event(seq, source=source) if seq % 3 == 2 else sample(seq, source=source))[:-1]
        for seq in seqs
    ]


def split(lines: Sequence[bytes], cuts: Sequence[int], stream: str = "s") -> list[Chunk]:
    """The lines as chunks of one stream, cut at some of them."""
    bounds = sorted({0, len(lines), *(cut % (len(lines) + 1) for cut in cuts)})
    chunks: list[Chunk] = []
    start = 0
    for begin, end in pairwise(bounds):
        one = chunk(lines[begin:end], stream=stream, start=start)
        chunks.append(one)
        start = one.end
    return chunks


def test_the_golden_log_is_taken_whole() -> None:
    database = empty_store()
    report = load(database, chunk(golden_lines()))
    assert (report.events, report.samples, report.dead_letters) == (len(golden_lines()), 3, 0)
    assert Reader(database).counts().events == len(golden_lines())
    assert Reader(database).gaps() == []


def test_loading_twice_is_loading_once() -> None:
    database = empty_store()
    log = memory_log(golden_lines())
    with Loader(database) as loader:
        loader.load(log)
        once = dump(database)
        again = loader.load(log)
    assert again.events == 0
    assert dump(database) == once


def test_a_log_that_is_read_again_from_its_beginning_changes_nothing() -> None:
    database = empty_store()
    load(database, chunk(golden_lines()))
    once = dump(database)
    report = load(database, chunk(golden_lines()))
    assert (report.events, report.duplicates) == (0, len(golden_lines()))
    assert dump(database) == once


@SLOW
@given(st.lists(st.integers(0, 60), max_size=12))
def test_any_split_gives_the_same_tables(cuts: list[int]) -> None:
    lines = [
        *golden_lines(),
        b"not json",
        sample_line("17", source='"c00000000001"'),
        sample_line("1.5"),
        *lines_of(*range(6)),
        *lines_of(4, 5, 9, 2),
    ]
    database = empty_store()
    load(database, chunk(lines))
    whole = dump(database)
    database = empty_store()
    for one in split(lines, cuts):
        load(database, one)
    assert dump(database) == whole


@SLOW
@given(st.permutations(range(8)), st.integers(0, 3))
def test_the_order_in_which_streams_arrive_does_not_matter(order: list[int], cut: int) -> None:
    chunks = [
        one
        for number, source in enumerate(("a", "b", "c", "d"))
        for one in split(lines_of(*range(6), source=source), [cut, 3], stream=f"s{number}")[:2]
    ]
    database = empty_store()
    load(database, *chunks)
    whole = dump(database)
    database = empty_store()
    for number in order:
        if number < len(chunks):
            load(database, chunks[number])
    late = dump(database, but=["log_position"])
    whole.pop("log_position")
    assert late == whole


@SLOW
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.lists(st.integers(0, 40)))
def test_seqs_in_any_order_and_number_are_taken_once(seqs: list[int], cuts: list[int]) -> None:
    database = empty_store()
    for one in split(lines_of(*seqs), cuts):
        load(database, one)
    sql = "SELECT seq FROM sample UNION ALL SELECT seq FROM phase_started ORDER BY 1"
    assert [seq for (seq,) in database.ask(sql).rows] == sorted(set(seqs))
    missing = set(range(max(seqs))) - set(seqs)
    gaps = Reader(database).gaps()
    assert {seq for gap in gaps for seq in range(gap.first, gap.last + 1)} == missing
    assert all(a.last + 1 < b.first for a, b in pairwise(gaps))


def test_of_two_events_with_one_identity_the_first_counts() -> None:
    first, second = sample(0, usage=1), sample(0, usage=2)
    for chunks in (
        [chunk([encode(first)[:-1], encode(second)[:-1]])],
        split([encode(first)[:-1], encode(second)[:-1]], [1]),
    ):
        database = empty_store()
        for one in chunks:
            load(database, one)
        assert database.ask("SELECT usage_bytes FROM sample").rows == [(1,)]


@pytest.mark.parametrize("other_first", [True, False])
def test_that_holds_between_samples_and_other_events_too(other_first: bool) -> None:
    lines = [encode(event(0))[:-1], encode(sample(0))[:-1]]
    if not other_first:
        lines.reverse()
    database = empty_store()
    report = load(database, chunk(lines))
    assert (report.events, report.duplicates) == (1, 1)
    counts = [database.ask(f"FROM {name}").rows for name in ("phase_started", "sample")]
    assert [len(rows) for rows in counts] == ([1, 0] if other_first else [0, 1])


def test_late_records_close_their_gap() -> None:
    database = empty_store()
    load(database, chunk(lines_of(0, 1, 7, 8)))
    assert [(gap.first, gap.last) for gap in Reader(database).gaps()] == [(2, 6)]
    load(database, chunk(lines_of(4), stream="late"))
    assert [(gap.first, gap.last) for gap in Reader(database).gaps()] == [(2, 3), (5, 6)]
    load(database, chunk(lines_of(2, 3, 5, 6), stream="later"))
    assert Reader(database).gaps() == []


def test_what_was_thinned_is_no_loss() -> None:
    thinned = SamplesThinned(
        reason="journal bound", ranges=[SeqRange(source="c1", first=2, last=4)]
    )
    database = empty_store()
    load(database, chunk([*lines_of(0, 1, 6), encode(event(0, thinned, source="c2"))[:-1]]))
    gaps = [(gap.first, gap.last, gap.explained_by) for gap in Reader(database).gaps()]
    assert gaps == [(2, 4, "thinned"), (5, 5, None)]


def test_the_largest_seq_that_there_can_be_is_taken() -> None:
    database = empty_store()
    load(database, chunk([sample_line(str(2**63 - 1))]))
    assert [(gap.first, gap.last) for gap in Reader(database).gaps()] == [(0, 2**63 - 2)]
    load(database, chunk([sample_line("0")], stream="late"))
    assert Reader(database).counts().samples == 2


def test_all_metrics_arrive_in_their_columns() -> None:
    payload = Sample.of({name: number for number, name in enumerate(METRIC_NAMES)})
    database = empty_store()
    load(database, chunk([encode(event(0, payload))[:-1]]))
    (row,) = database.ask("FROM sample").records()
    assert [row[name] for name in METRIC_NAMES] == list(range(len(METRIC_NAMES)))


def test_text_arrives_as_it_was() -> None:
    command = "echo 'ü☃\U0001f40d' \"\\\" ; cat <<X\n\t\x01\x7f'; DROP TABLE sample; --\n"
    payload = ExecFinished(
        phase="agent",
        ordinal=1,
        command=command,
        command_digest="d",
        command_truncated=False,
        started_t_us=1,
        duration_s=0.1,
        how="ok",
    )
    database = empty_store()
    load(database, chunk([encode(event(0, payload))[:-1]]))
    assert database.ask("SELECT command FROM exec_finished").rows == [(command,)]


def test_samples_whose_names_are_odd_are_taken() -> None:
    names = ["", "a.b/c", "x" * 3000, 'quote " and \\', "ünïcode", "\t"]
    events = [event(seq, Sample(usage_bytes=seq), source="c1") for seq, _ in enumerate(names)]
    lines = [
        encode(one)[:-1].replace(b'"t1-1"', encode_text(name))
        for one, name in zip(events, names, strict=True)
    ]
    database = empty_store()
    assert load(database, chunk(lines)).samples == len(names)
    rows = database.ask("SELECT target FROM sample ORDER BY seq").rows
    assert [name for (name,) in rows] == names


def encode_text(text: str) -> bytes:
    """As the codec spells it."""
    line = encode(event(0, PhaseStarted(phase="agent"), source=text or "c"))
    begin = line.index(b'"source":') + len(b'"source":')
    return line[begin : line.index(b',"seq"')] if text else b'""'


def test_positions_are_those_of_the_chunks() -> None:
    database = empty_store()
    log = memory_log(golden_lines())
    with Loader(database, batch_bytes=2000) as loader:
        report = loader.load(log)
        assert report.batches > 3
        assert Reader(database).positions() == {"memory": len(golden_lines())}
        log.append_raw(sample_line("99"))
        assert loader.load(log).events == 1


def test_whoever_loads_hears_before_a_batch_that_others_may_follow() -> None:
    database = empty_store()
    log = memory_log(lines_of(*range(120)))
    heard: list[int] = []
    with Loader(
        database, batch_bytes=2000, full=lambda: heard.append(Reader(database).counts().events)
    ) as loader:
        report = loader.load(log)
        assert len(heard) == report.batches - 1 > 2
        assert heard[0] == 0
        log.append_raw(encode(event(120))[:-1])
        assert loader.load(log).events == 1
        assert len(heard) == report.batches - 1, "one small batch is none of them"
