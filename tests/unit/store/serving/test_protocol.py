"""What goes over the control socket arrives as it was."""

import json

import pytest

from barograph.errors import BarographError
from barograph.log.port import LogError
from store.audit import AuditReport, SeqRun, TornTail
from store.errors import (
    QueryTooLong,
    ServedError,
    StoreBusyError,
    StoreError,
    StoreInputError,
    StoreNotFoundError,
    StoreRefusal,
    UnreachableError,
)
from store.loader import LoadReport
from store.serving.protocol import (
    ServeStatus,
    audit_report,
    audit_told,
    encode,
    less,
    load_report,
    parse,
    serve_status,
)
from store.serving.wording import heard, marked, told, unmarked
from store.story import GapRow
from store.tallies import Identity

AUDIT = AuditReport(
    sources=2,
    events_in_log=5,
    events_in_tables=4,
    waiting=0,
    repeated_in_log=1,
    pruned_in_log=2,
    missing=[SeqRun(source="a", first=1, last=2)],
    extra=[SeqRun(source="b", first=0, last=0)],
    doubled=[Identity("a", 3)],
    conflicting=[Identity("b", 4)],
    different=["a 1"],
    gaps_unexplained=[GapRow(source="a", first=7, last=9, explained_by=None)],
    gaps_explained=3,
    gaps_misnoted=["a"],
    dead_letters=1,
    dead_letters_misnoted=["x"],
    torn_tails=[TornTail(stream="a.000000", offset=10, size_bytes=4)],
)
STATUS = ServeStatus(
    pid=1,
    port=2,
    version="0/1",
    since_t_us=3,
    on_demand=True,
    watermark=4,
    batches=5,
    events=6,
    events_per_s=0.5,
    lag_s=None,
    last_error=None,
    clients=0,
    questions=7,
)
ERRORS = [
    QueryTooLong,
    UnreachableError,
    ServedError,
    StoreBusyError,
    StoreInputError,
    StoreRefusal,
    StoreNotFoundError,
    StoreError,
    LogError,
]


def travelled(fields: dict[str, object]) -> dict[str, object]:
    return json.loads(json.dumps(fields))  # type: ignore[no-any-return]  # what JSON makes of it


def test_reports_arrive_as_they_were() -> None:
    assert audit_report(travelled(audit_told(AUDIT))) == AUDIT
    report = LoadReport(events=3, samples=2, bytes_read=9, batches=1)
    assert load_report({"events": 3, "samples": 2, "bytes_read": 9, "batches": 1}) == report
    assert less(report + report, report) == report


def test_what_a_newer_server_says_more_is_left_out() -> None:
    fields = {name: getattr(STATUS, name) for name in STATUS.__dataclass_fields__}
    assert serve_status(fields | {"mood": "fine"}) == STATUS
    assert load_report(None) == LoadReport()


@pytest.mark.parametrize("cls", ERRORS)
def test_an_error_keeps_its_kind_and_its_sentence(cls: type[BarographError]) -> None:
    error = cls('a "problem"\nof 2 lines', where="/x", field="--dir", value="é", remedy="do: {x}")
    for again in (heard(travelled(told(error))), unmarked(f"Error: {marked(error)}\n\nLINE 1: x")):
        assert again is not None
        assert type(again) is cls
        assert str(again) == str(error)
        assert again.exit_code == error.exit_code


def test_a_value_that_is_none_is_told_from_no_value() -> None:
    assert str(heard(told(StoreError("p", field="f", value=None)))) == "f = None: p"
    assert str(heard(told(StoreError("p", field="f")))) == "f: p"
    assert str(heard(told(StoreError("p", value=object())))) == "p"


@pytest.mark.parametrize("words", ["", "no mark", "barograph:", "barograph:{", "barograph:{}x}"])
def test_words_that_are_not_ours_are_no_error_of_ours(words: str) -> None:
    assert unmarked(words) is None


def test_lines() -> None:
    assert parse(encode({"a": "ü\n"})) == {"a": "ü\n"}
    assert encode({"a": "ü\n"}).count(b"\n") == 1
    for line in (b"", b"x", b"[]", b"1", b"\xff", b"[" * 100_000):
        with pytest.raises(StoreInputError):
            parse(line)
