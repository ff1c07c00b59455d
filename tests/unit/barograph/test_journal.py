"""The journal: whole lines whatever the bytes are, one file a source, nothing hidden."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barograph.codec import decode, encode
from barograph.log.journal import JournalLog
from barograph.log.port import START, LogError
from barograph.log.segments import chunks
from tests.conformance.log_suite import phase, read_all, sample


def open_journal(folder: Path, **settings: int) -> JournalLog:
    return JournalLog(folder, reserve_bytes=0, **settings)


def test_every_source_has_files_of_its_own(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([phase(0, source="a")])
    journal.append([phase(0, source="b")])
    journal.append([phase(1, source="a")])
    names = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert names == ["a.000000.jsonl", "b.000000.jsonl"]


def test_a_full_segment_is_followed_by_another(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, segment_bytes=500)
    for seq in range(20):
        journal.append([phase(seq)])
    assert len(list(tmp_path.glob("t1.*.jsonl"))) > 3
    assert [event.seq for event in read_all(journal)[0]] == list(range(20))


def test_a_second_incarnation_of_a_source_is_refused(tmp_path: Path) -> None:
    open_journal(tmp_path).append([phase(0)])
    with pytest.raises(LogError, match="File exists"):
        open_journal(tmp_path).append([phase(0)])


def test_a_batch_of_two_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="several"):
        open_journal(tmp_path).append([phase(0, source="a"), phase(1, source="b")])


@pytest.mark.parametrize("source", ["../evil", "A", "", "a.b"])
def test_a_source_that_is_no_file_name_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(LogError):
        open_journal(tmp_path).append([phase(0, source=source)])


def test_a_torn_last_line_is_left_out_and_named(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([phase(0), phase(1)])
    journal.append([phase(0, source="u")])
    path = tmp_path / "t1.000000.jsonl"
    whole = path.stat().st_size
    with path.open("ab") as file:
        file.write(encode(phase(2))[:50])
    assert [(e.source, e.seq) for e in read_all(journal)[0]] == [("t1", 0), ("t1", 1), ("u", 0)]
    assert journal.torn_tails() == {"t1.000000": (whole, 50)}


def test_a_torn_line_is_read_once_it_is_complete(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([phase(0)])
    line, path = encode(phase(1)), tmp_path / "t1.000000.jsonl"
    with path.open("ab", buffering=0) as file:
        file.write(line[:30])
        _, position = read_all(journal)
        file.write(line[30:])
    assert [event.seq for event in read_all(journal, position)[0]] == [1]
    assert journal.torn_tails() == {}


def test_a_file_without_any_line_end_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.000000.jsonl").write_bytes(b"\x00" * 300_000)
    assert list(open_journal(tmp_path).read(START)) == []
    assert open_journal(tmp_path).torn_tails() == {"x.000000": (0, 300_000)}


@given(data=st.binary(max_size=400), max_bytes=st.integers(1, 100))
def test_any_bytes_are_read_whole_line_by_whole_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, max_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    (folder / "x.000000.jsonl").write_bytes(data)
    got = list(chunks(folder, START, max_bytes=max_bytes))
    assert b"".join(chunk.data for chunk in got) == data[: data.rfind(b"\n") + 1]
    assert all(chunk.data.endswith(b"\n") for chunk in got)


def test_a_file_that_became_shorter_is_an_error_that_names_it(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([phase(0)])
    with pytest.raises(LogError, match=r"t1\.000000\.jsonl: the file has"):
        list(journal.read({"t1.000000": 10**6}))


def test_a_folder_that_cannot_be_made_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="--dir"):
        open_journal(tmp_path / "file" / "journal").append([phase(0)])


def test_sync_and_close_leave_a_readable_log(tmp_path: Path) -> None:
    journal = JournalLog(tmp_path, reserve_bytes=1 << 16, fsync_every_s=0.01)
    journal.append([phase(0), sample(1)])
    journal.sync()
    journal.close()
    assert [event.seq for event in read_all(journal)[0]] == [0, 1]
    assert (tmp_path / ".reserve").stat().st_size == 1 << 16


def test_descriptors_do_not_leak(tmp_path: Path) -> None:
    journal = JournalLog(tmp_path, segment_bytes=300, fsync_every_s=0.001)
    for seq in range(50):
        journal.append([phase(seq)])
        journal.sync()
    assert open_below(tmp_path)
    journal.close()
    assert open_below(tmp_path) == []


def open_below(folder: Path) -> list[Path]:
    """What this process has open there; what other tests left to be collected is not ours."""
    links: list[Path] = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the listing's own, which is closed by now
            links.append(link.readlink())
    return [link for link in links if link.is_relative_to(folder)]


def test_the_bytes_of_a_file_are_the_lines_of_its_events(tmp_path: Path) -> None:
    open_journal(tmp_path).append([phase(0), sample(1)])
    lines = (tmp_path / "t1.000000.jsonl").read_bytes().splitlines()
    assert [decode(line) for line in lines] == [phase(0), sample(1)]
