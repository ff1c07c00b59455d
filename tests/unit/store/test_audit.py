"""The audit finds whatever the loader could get wrong, and nothing where it did not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.codec import encode
from store.audit import audit
from store.intervals import normal
from store.loader import Loader
from store.tallies import Seen
from tests.stores import empty_store, event, golden_lines, memory_log, sample, sample_line

LINES = [
    *golden_lines(),
    b"broken",
    sample_line("3")[:60] + sample_line("0"),
    *(encode(sample(seq, source="x", usage=seq))[:-1] for seq in (0, 1, 4)),
    sample_line("9", source='"c00000000001"'),
]


def test_a_load_adds_up() -> None:
    database = empty_store()
    log = memory_log(LINES)
    with Loader(database) as loader:
        loader.load(log)
    report = audit(log, database)
    assert report.events_in_log == report.events_in_tables == len(golden_lines()) + 4
    assert (report.dead_letters, report.repeated_in_log, report.waiting) == (2, 1, 0)
    assert [(gap.source, gap.first, gap.last) for gap in report.gaps_unexplained] == [("x", 2, 3)]
    assert report.conflicting == [("c00000000001", 9)]
    assert report.faults == 3


def test_golden_adds_up_without_a_fault() -> None:
    database = empty_store()
    log = memory_log(golden_lines())
    with Loader(database) as loader:
        loader.load(log)
    report = audit(log, database)
    assert report.ok
    assert (report.sources, report.events_in_log) == (6, len(golden_lines()))


def test_what_waits_to_be_loaded_is_no_fault() -> None:
    database = empty_store()
    log = memory_log(golden_lines())
    with Loader(database) as loader:
        loader.load(log)
    for seq in range(3):
        log.append_raw(encode(sample(seq, source="new"))[:-1])
    report = audit(log, database)
    assert report.ok
    assert report.waiting == 3


@pytest.mark.parametrize(
    ("harm", "faults"),
    [
        ("DELETE FROM sample WHERE source = 'x' AND seq = 1", 1),
        ("DELETE FROM trial_finished", 4),
        ("INSERT INTO sample SELECT * FROM sample WHERE source = 'x' AND seq = 1", 1),
        ("UPDATE sample SET seq = 8 WHERE source = 'x' AND seq = 4", 2),
        ("UPDATE sample SET usage_bytes = usage_bytes + 1 WHERE source = 'x' AND seq = 4", 1),
        ("UPDATE sample SET pids = 0 WHERE source = 'x' AND seq = 4", 1),
        ("UPDATE exec_finished SET command = 'other' WHERE ordinal = 1", 2),
        ("UPDATE trial_finished SET t_us = 1 WHERE how = 'cancelled'", 1),
        ("UPDATE unknown_event SET data = '{}'", 1),
        ("DELETE FROM gap", 1),
        ("DELETE FROM dead_letter WHERE part = 0 AND size_bytes = 6", 1),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_harm_done_to_the_tables_is_found(harm: str, faults: int) -> None:
    database = empty_store()
    log = memory_log(LINES)
    with Loader(database) as loader:
        loader.load(log)
    before = audit(log, database).faults
    database.run(harm)
    assert audit(log, database).faults == before + faults


def test_two_writers_with_one_name_are_found() -> None:
    log = memory_log([encode(event(0))[:-1], encode(sample(0))[:-1], encode(event(0))[:-1]])
    database = empty_store()
    with Loader(database) as loader:
        loader.load(log)
    report = audit(log, database)
    assert report.conflicting == [("c1", 0)]
    assert report.repeated_in_log == 2


@given(st.lists(st.integers(0, 30)))
def test_seqs_are_noted_as_the_runs_they_are(seqs: list[int]) -> None:
    seen = Seen()
    noted: set[int] = set()
    for seq in seqs:
        assert seen.is_new(seq) == (seq not in noted)
        noted.add(seq)
        assert seen.runs == normal((one, one) for one in noted)
