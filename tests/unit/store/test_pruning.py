"""The tables are a fold of the log minus what was pruned, in whatever order it is said."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.envelope import Event
from barograph.facts import LogPruned, NoteAdded
from barograph.log.journal import JournalLog
from barograph.log.rewriting import lines, replace, sealed
from barograph.log.segments import streams
from store.audit import audit
from store.catalogue import sparks
from store.database import memory_database
from store.loader import Loader
from store.reader import Reader
from tests.prunings import pruning, written
from tests.stores import Tables, chunk, dump, empty_store, event, load, memory_log, sample

PLACES = ("log_position", "dead_letter")
"""What depends on where in the log a line stands."""


SOURCES = st.sampled_from(["c1", "r1", "p1"])
SEQS = st.integers(0, 12)
RANGES = st.tuples(SOURCES, SEQS, SEQS).map(lambda one: (one[0], min(one[1:]), max(one[1:])))


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Event], list[Event]]:
    """A log in some order, with repeats; and what its tables may hold."""
    said = [sample(seq) for seq in range(draw(st.integers(0, 10)))]
    said += [event(seq, source="r1") for seq in range(draw(st.integers(0, 10)))]
    for seq in range(draw(st.integers(0, 4))):
        ranges = draw(st.lists(RANGES, max_size=3))
        note = event(seq, NoteAdded(author="a", text="x"), source="p1")
        said.append(pruning(seq, *ranges) if draw(st.booleans()) else note)
    gone = {
        (one.source, seq)
        for each in said
        if isinstance(each.payload, LogPruned)
        for one in each.payload.ranges
        for seq in range(one.first, one.last + 1)
    }
    kept = [
        one
        for one in said
        if isinstance(one.payload, LogPruned) or (one.source, one.seq) not in gone
    ]
    repeated = draw(st.lists(st.sampled_from(said), max_size=4)) if said else []
    return draw(st.permutations(said + repeated)), kept


def held(log: Sequence[Event], cuts: Sequence[int]) -> Tables:
    database = empty_store()
    with Loader(database) as loader:
        start, at = 0, 0
        for cut in [*sorted(cuts), len(log)]:
            part = chunk(written(log[at:cut]), start=start)
            start, at = part.end, max(at, cut)
            if part.data:
                loader.load_chunks([part])
    return dump(database, but=PLACES)


@given(data=st.data())
@settings(max_examples=50)
def test_tables_do_not_depend_on_when_a_pruning_comes(data: st.DataObject) -> None:
    log, kept = data.draw(logs())
    cuts = data.draw(st.lists(st.integers(0, len(log)), max_size=3))
    assert held(log, cuts) == held(kept, ())


@given(logs())
@settings(max_examples=25)
def test_the_audit_agrees(log: tuple[list[Event], list[Event]]) -> None:
    told, kept = log
    database = empty_store()
    memory = memory_log(written(told))
    with Loader(database) as loader:
        loader.load(memory)
    report = audit(memory, database)
    assert (report.missing, report.extra, report.doubled) == ([], [], [])
    assert (report.different, report.gaps_misnoted) == ([], [])
    assert report.events_in_log == report.events_in_tables == len(kept)


def test_what_is_pruned_is_no_unexplained_gap() -> None:
    database = empty_store()
    told = [*map(sample, range(10)), pruning(0, ("c1", 3, 5))]
    log = memory_log(written(told))
    with Loader(database) as loader:
        loader.load(log)
    assert [(gap.first, gap.last, gap.explained_by) for gap in Reader(database).gaps()] == [
        (3, 5, "pruned")
    ]
    report = audit(log, database)
    assert report.ok
    assert (report.pruned_in_log, report.gaps_explained) == (3, 3)
    # The same when the log does not have them any more.
    rest = [*map(sample, [0, 1, 2, 6, 7, 8, 9]), pruning(0, ("c1", 3, 5))]
    log = memory_log(written(rest))
    report = audit(log, database)
    assert (report.pruned_in_log, report.missing, report.extra) == (0, [], [])


@pytest.mark.parametrize("first", [True, False])
def test_a_broken_line_with_a_pruned_identity_goes_too(first: bool) -> None:
    broken = written([sample(3)])[0][:-5] + b"secret"
    other = written([sample(9)])[0][:-5] + b"kept"
    told = [*written(map(sample, range(3))), broken, other]
    said = written([pruning(0, ("c1", 0, 3))])
    database = empty_store()
    load(database, chunk([*said, *told] if first else [*told, *said]))
    assert [one.seq for one in Reader(database).dead_letters()] == [9]
    log = memory_log([*told, *said])
    database = empty_store()
    with Loader(database) as loader:
        loader.load(log)
    assert audit(log, database).dead_letters_misnoted == []


def test_a_pruning_tells_of_any_trial_and_empties_the_sparks() -> None:
    database = empty_store()
    heard: list[frozenset[str] | None] = []
    with Loader(database, committed=lambda _, trials: heard.append(trials)) as loader:
        first = chunk(written(map(sample, range(5))))
        loader.load_chunks([first])
        database.run(sparks("set_upto").fill({"samples": 5}))
        said = chunk(written([pruning(0, ("c1", 0, 3))]), start=first.end)
        loader.load_chunks([said])
    assert heard == [frozenset(), None]
    assert database.ask("FROM spark_upto").rows == []


def test_a_new_loader_knows_what_was_pruned() -> None:
    database = empty_store()
    load(database, chunk(written([pruning(0, ("c1", 0, 3))])))
    report = load(database, chunk(written(map(sample, range(6))), stream="t"))
    assert (report.events, report.duplicates) == (2, 4)


def test_a_rewritten_file_is_read_again_without_a_trace(tmp_path: Path) -> None:
    log = JournalLog(tmp_path)
    log.append([sample(0)])
    log.append([sample(1)])
    log.close()
    (stream,) = streams(tmp_path)
    with stream.path.open("ab") as file:
        file.write(b"broken\n")
    with memory_database() as database, Loader(database) as loader:
        loader.load(log)
        (stream,) = streams(tmp_path)
        with sealed(stream) as free:
            assert free
            replace(stream, [line for line in lines(stream) if b'"seq":0' not in line])
        report = loader.load(log)
        assert (report.events, report.duplicates) == (0, 1)
        (letter,) = Reader(database).dead_letters()
        assert letter.stream == "c1.000000-1"
        assert list(Reader(database).positions()) == ["c1.000000-1"]
