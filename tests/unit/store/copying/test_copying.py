"""A copy of a sweep holds that sweep's lines, whatever else the log has, and gives its answers."""

import json
from pathlib import Path

from barograph.facts import (
    HostSample,
    NoteAdded,
)
from store.audit import audit
from store.copying.exporting import export
from store.reader import Reader
from tests.copies import (
    POLICY,
    Teller,
    brought,
    copied,
    host_info,
    lines_of,
    loaded,
    odd,
    of_source,
)
from tests.stores import memory_log


def test_the_only_sweep_of_a_log_is_copied_with_all_that_is_in_it(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    told.say("n1", NoteAdded(author="a", text="long before", from_t_us=1, to_t_us=2))
    made = copied([*told.lines, told.lines[0]], tmp_path / "x")
    assert lines_of(tmp_path / "x") == of_source(told.lines, "cs1", "n1", "rs1")
    assert made.manifest.counts.events == len(told.lines)
    assert [one.what for one in made.manifest.left_out] == [
        "what agents and verifiers printed (trials/)"
    ]


def test_a_copy_has_the_lines_of_its_sweep_and_of_its_hosts_then(tmp_path: Path) -> None:
    told = Teller()
    told.say("cold", host_info("h1"))
    told.say("cold", HostSample(load1=9.0))
    told.sweep("s2", host="h2")
    told.say("calone", host_info("h1"))
    told.sweep("s1", host="h1")
    told.say("calone", HostSample(load1=1.0), t_us=14_000)
    told.say("p1", NoteAdded(author="a", text="on both", host="h1"))
    told.say("p1", NoteAdded(author="a", text="elsewhere", host="h2"))
    told.say("p1", NoteAdded(author="a", text="a word on a trial"), "s2")
    told.say("p1", NoteAdded(author="a", text="a word on a trial"), "s1")
    made = copied(told.lines, tmp_path / "x")
    held = [json.loads(line) for line in lines_of(tmp_path / "x")]
    assert {one["source"] for one in held if one["source"][0] != "x"} == {
        "calone",
        "cs1",
        "p1",
        "rs1",
    }
    notes = [one["data"]["text"] for one in held if one["type"] == "note.added"]
    assert notes == ["on both", "a word on a trial"]
    assert all(one["sweep"] in {None, "s1"} for one in held)
    (gaps,) = [one for one in made.manifest.left_out if one.ranges]
    assert ("p1", 1, 2) in gaps.ranges
    log = brought(tmp_path / "x", tmp_path / "data")
    database = loaded(log)
    report = audit(log, database)
    assert report.ok, report
    assert {gap.explained_by for gap in Reader(database).gaps()} == {"left_out"}


def test_a_copy_of_a_copy_is_the_same(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    told.say("rs1", NoteAdded(author="a", text="x"), "s2")
    told.say("rs1", NoteAdded(author="a", text="y"), "s1")
    copied(told.lines, tmp_path / "x")
    log = brought(tmp_path / "x", tmp_path / "data")
    export(log, Reader(loaded(log)).sweep("s1"), tmp_path / "y", policy=POLICY)
    assert lines_of(tmp_path / "y") == lines_of(tmp_path / "x")


def test_lines_that_are_written_otherwise_are_copied_as_they_are(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    other = [odd(line) if number % 2 else line for number, line in enumerate(told.lines)]
    copied(other, tmp_path / "x")
    assert lines_of(tmp_path / "x") == of_source(other, "cs1", "rs1")


BROKEN = [
    b'{"v":1,"type":"sample","source":"cs1","seq":99,"t_us":1',
    b"\xff\xfe no text",
    b"",
    b'{"v":1,"type":"sample","source":"cs1","seq":98,"t_us":1,"mono_us":1,"sweep":"s1","trial":x}',
]


def test_what_is_no_event_is_copied_with_the_only_sweep(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    log = memory_log([*told.lines, *BROKEN, told.lines[0] + told.lines[1]])
    database = loaded(log)
    made = export(log, Reader(database).sweep(), tmp_path / "x", policy=POLICY)
    copy = loaded(brought(tmp_path / "x", tmp_path / "data"))
    letters = [one.raw for one in Reader(database).dead_letters()]
    assert sorted(one.raw for one in Reader(copy).dead_letters()) == sorted(letters)
    assert made.manifest.counts.unreadable == len(letters) == 4
    assert Reader(copy).counts().events == Reader(database).counts().events


def test_tables_say_what_the_copied_lines_say(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1", samples=20)
    told.sweep("s2", samples=50)
    made = copied(told.lines, tmp_path / "x")
    rows = {one.path: one.rows for one in made.manifest.files}
    assert rows["tables/samples.parquet"] == 20
    assert rows["tables/host_samples.parquet"] == 20
    assert rows["tables/tries.parquet"] == rows["tables/trials.parquet"] == 1
    assert made.manifest.counts.samples == 20
