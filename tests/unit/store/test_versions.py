"""Older lines are lifted, newer ones kept, odd spellings read: nothing that was said is lost."""

from collections.abc import Mapping

import pytest

from barograph.codec import encode
from barograph.facts import PhaseStarted
from barograph.metrics import METRIC_NAMES
from barograph.upgrades import UPGRADES
from tests.stores import chunk, empty_store, event, load, sample_line


def test_a_shorter_sample_is_an_older_writers() -> None:
    database = empty_store()
    load(database, chunk([sample_line("0", data="[7]"), sample_line("1", data="[]")]))
    rows = database.ask("SELECT interval_us, limit_hits FROM sample ORDER BY seq").rows
    assert rows == [(7, None), (None, None)]


def test_what_a_later_writer_added_is_kept() -> None:
    values = ",".join(map(str, range(len(METRIC_NAMES) + 2)))
    lines = [
        sample_line("0", data=f"[{values}]"),
        sample_line("1").replace(b'"data"', b'"extra":{"a":[1.50]},"data"'),
        encode(event(2))[:-1].replace(b'"data":{', b'"data":{"mood":"good",'),
        b'{"v":7,"type":"phase.started","source":"c1","seq":3,"t_us":1,"mono_us":1,"data":{}}',
        b'{"v":1,"type":"weather","source":"c1","seq":4,"t_us":1,"mono_us":1,"data":[1]}',
        sample_line("5", v="2"),
    ]
    database = empty_store()
    report = load(database, chunk(lines))
    assert (report.events, report.samples, report.dead_letters) == (6, 2, 0)
    assert database.ask("SELECT seq, place, name, value FROM unknown_field ORDER BY seq").rows == [
        (0, "data", "values", f"[{len(METRIC_NAMES)},{len(METRIC_NAMES) + 1}]"),
        (1, "envelope", "extra", '{"a":[1.5]}'),
        (2, "data", "mood", '"good"'),
    ]
    rows = database.ask("SELECT seq, v, type, data FROM unknown_event ORDER BY seq").rows
    assert rows == [
        (3, 7, "phase.started", "{}"),
        (4, 1, "weather", "[1]"),
        (5, 2, "sample", "[1,2,null]"),
    ]


def test_a_sample_spelled_otherwise_is_a_sample() -> None:
    spelled = (
        b' { "type": "sample", "v": 1, "seq": 0, "source": "c1", "t_us": 1, "mono_us": 2,'
        b' "data": [5, null] } \r'
    )
    named = sample_line("1", data='{"usage_bytes":6,"mood":1}')
    database = empty_store()
    report = load(database, chunk([spelled, named]))
    assert (report.samples, report.dead_letters) == (2, 0)
    rows = database.ask("SELECT interval_us, usage_bytes, trial FROM sample ORDER BY seq").rows
    assert rows == [(5, None, None), (None, 6, "t1")]


def test_an_older_version_is_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PhaseStarted, "v", 2)
    monkeypatch.setitem(UPGRADES, ("phase.started", 1), _lowered)
    new = encode(event(1))[:-1]
    old = encode(event(0))[:-1].replace(b'{"v":2', b'{"v":1').replace(b'"agent"', b'"AGENT"')
    lines = [old, new, old.replace(b'"seq":0', b'"seq":2').replace(b"AGENT", b"lunch")]
    database = empty_store()
    report = load(database, chunk(lines))
    assert (report.events, report.dead_letters) == (2, 1)
    rows = database.ask("SELECT seq, phase FROM phase_started ORDER BY seq").rows
    assert rows == [(0, "agent"), (1, "agent")]


def _lowered(data: Mapping[str, object]) -> Mapping[str, object]:
    return {**data, "phase": str(data["phase"]).lower()}
