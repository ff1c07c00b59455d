"""Lines are taken out of a journal's files, and a kill at any step loses none that is kept."""

import fcntl
from pathlib import Path

import pytest

from barograph.log.journal import JournalLog
from barograph.log.port import START, LogError
from barograph.log.rewriting import lines, replace, sealed, tidy, version_of
from barograph.log.segments import Stream, streams
from tests.conformance.log_suite import phase

SOURCE = "abc"


@pytest.fixture
def journal(tmp_path: Path) -> JournalLog:
    """Two files: one that is full, one that is written to."""
    log = JournalLog(tmp_path, segment_bytes=2000, reserve_bytes=0)
    while len(streams(tmp_path)) < 2:
        log.append([phase(len(read(log)), source=SOURCE)])
    log.sync()  # a full file is let go when it is on the disk
    return log


def read(log: JournalLog) -> list[bytes]:
    return b"".join(chunk.data for chunk in log.read(START)).splitlines(keepends=True)


def replaced(stream: Stream, kept: list[bytes]) -> Stream | None:
    with sealed(stream) as free:
        assert free
        return replace(stream, kept)


def test_a_version_takes_the_place_of_a_file(journal: JournalLog) -> None:
    first, second = streams(journal.folder)
    before = read(journal)
    count = len(list(lines(first)))
    version = replaced(first, before[1:count:2])
    assert version is not None
    assert [one.name for one in streams(journal.folder)] == ["abc.000000-1", second.name]
    assert read(journal) == before[1:count:2] + before[count:]
    assert (version.source, version_of(version)) == (SOURCE, 1)
    again = replaced(version, before[1:2])
    assert again is not None
    assert again.name == "abc.000000-2"
    assert again.size == again.path.stat().st_size == len(before[1])
    journal.append([phase(len(before), source=SOURCE)])
    assert len(read(journal)) == 1 + len(before) - count + 1
    assert replaced(again, []) is None
    assert [one.name for one in streams(journal.folder)] == [second.name]
    journal.close()


def test_a_file_that_is_written_or_empty_is_left_alone(journal: JournalLog) -> None:
    first, second = streams(journal.folder)
    with sealed(first) as free, sealed(first) as twice:
        assert free
        assert not twice
    with sealed(second) as free:
        assert not free
    journal.close()
    with sealed(second) as free:
        assert free
    (journal.folder / "def.000000.jsonl").touch()
    with sealed(streams(journal.folder)[-1]) as free:
        assert not free
    with sealed(Stream(path=journal.folder / "gone.000000.jsonl", size=1)) as free:
        assert not free


def test_what_a_kill_left_is_tidied(journal: JournalLog) -> None:
    first, _ = streams(journal.folder)
    before = read(journal)
    old = first.path.read_bytes()
    replaced(first, list(lines(first))[1:])
    first.path.write_bytes(old)  # killed between the new name and the removal
    (journal.folder / "abc.000000-2.draft").write_bytes(b"half")
    assert sorted(set(read(journal))) == sorted(before)
    tidy(journal.folder)
    assert read(journal) == before[1:]
    assert not list(journal.folder.glob("*.draft"))
    with (journal.folder / "abc.000000-2.draft").open("wb") as draft:
        fcntl.flock(draft, fcntl.LOCK_EX)  # another process is writing it
        tidy(journal.folder)
        assert list(journal.folder.glob("*.draft"))
    tidy(journal.folder / "missing")
    journal.close()


def test_no_room_leaves_the_file(journal: JournalLog, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read(journal)
    first, _ = streams(journal.folder)

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("barograph.log.rewriting.os.fsync", full)
    with pytest.raises(LogError, match="cannot rewrite the journal"):
        replaced(first, before[:1])
    assert read(journal) == before
    assert not list(journal.folder.glob("*.draft"))
    journal.close()
