"""Pruned lines go from a journal's files, whatever they look like, and nothing else does."""

from pathlib import Path

import pytest

from barograph.codec import encode
from barograph.facts import NoteAdded
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.log.port import START
from store.errors import StoreBusyError
from store.gaps import by_source
from store.pruning import Pruned
from store.retention.journals import (
    Amount,
    measure,
    printed,
    refuse_written,
    remove,
    size_of,
    take_out,
)
from tests.copies import odd
from tests.prunings import pruning, written
from tests.stores import event, sample


def pruned(*runs: tuple[str, int, int]) -> Pruned:
    return Pruned.of(by_source(runs), {})


def folder_of(path: Path, **files: list[bytes]) -> DataFolder:
    folder = DataFolder.create(path)
    for source, lines in files.items():
        (folder.journal / f"{source}.000000.jsonl").write_bytes(b"".join(x + b"\n" for x in lines))
    return folder


def left(folder: DataFolder) -> list[bytes]:
    chunks = JournalLog(folder.journal).read(START)
    return [line for chunk in chunks for line in chunk.data.split(b"\n")[:-1]]


def test_what_is_pruned_goes_and_the_rest_stays_byte_by_byte(tmp_path: Path) -> None:
    lines = written(map(sample, range(8)))
    lines[5] = odd(lines[5])
    lines[6] = odd(lines[6])
    other = written([event(seq, source="r1") for seq in range(3)])
    folder = folder_of(tmp_path / "d", c1=lines, r1=other)
    gone = pruned(("c1", 2, 5))
    foreseen = measure(folder, gone)
    assert (
        take_out(folder, gone) == foreseen == Amount(things=4, bytes=sum(map(len, lines[2:6])) + 4)
    )
    assert left(folder) == [*lines[:2], *lines[6:], *other]
    assert measure(folder, gone) == Amount() == take_out(folder, gone)


def test_a_pruning_is_never_taken_out(tmp_path: Path) -> None:
    lines = written([event(0, NoteAdded(author="a", text="x"), source="p1"), pruning(1)])
    folder = folder_of(tmp_path / "d", p1=lines)
    take_out(folder, pruned(("p1", 0, 9)))
    assert left(folder) == lines[1:]


def test_broken_lines_go_with_whose_they_are(tmp_path: Path) -> None:
    lines = written(map(sample, range(3)))
    torn = lines[1][:-9]
    folder = folder_of(tmp_path / "d", c1=[lines[0], torn, b"\xff broken", lines[2]])
    take_out(folder, pruned(("c1", 1, 1)))
    assert left(folder) == [lines[0], b"\xff broken", lines[2]]
    take_out(folder, pruned(("c1", 0, 2)))
    assert list(folder.journal.iterdir()) == []


def test_two_events_on_one_line_are_told_apart(tmp_path: Path) -> None:
    lines = written(map(sample, range(4)))
    folder = folder_of(tmp_path / "d", c1=[lines[0][:-3] + lines[1], lines[2] + lines[3]])
    take_out(folder, pruned(("c1", 0, 0), ("c1", 2, 2)))
    assert left(folder) == [lines[1], lines[3]]


def test_a_file_that_is_being_written_is_left_and_told(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "d", c1=written(map(sample, range(3))))
    log = JournalLog(folder.journal)
    try:
        log.append([event(0, source="r1")])
        gone = pruned(("c1", 0, 1), ("r1", 0, 0))
        with pytest.raises(StoreBusyError, match="still writes"):
            refuse_written(folder, gone)
        with pytest.raises(StoreBusyError, match=r"r1\.000000"):
            take_out(folder, gone)
        assert len(left(folder)) == 2
        refuse_written(folder, pruned(("c1", 0, 1)))
    finally:
        log.close()
    assert take_out(folder, gone).things == 1
    assert len(left(folder)) == 1


def test_only_folders_of_trials_are_deleted(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path / "d")
    (folder.trials / "t1" / "1").mkdir(parents=True)
    (folder.trials / "t1" / "1" / "out.txt").write_text("hello")
    (folder.trials / "t2").mkdir()
    (tmp_path / "mine").mkdir()
    (folder.trials / "t3").symlink_to(tmp_path / "mine")
    found = printed(folder, ["t1", "t3", "t4", "..", ".", "", "../../mine", str(tmp_path), "a/b"])
    assert found == [folder.trials / "t1"]
    assert remove(found) == Amount(things=1, bytes=5)
    assert {path.name for path in folder.trials.iterdir()} == {"t2", "t3"}
    assert (tmp_path / "mine").is_dir()
    assert size_of([]) == Amount()


def test_a_line_of_a_source_that_is_no_text_stays(tmp_path: Path) -> None:
    line = encode(sample(0))[:-1].replace(b'"c1"', b'"\xff"')
    folder = folder_of(tmp_path / "d", c1=[line, *written([sample(1)])])
    assert take_out(folder, pruned(("c1", 1, 1))).things == 1
    assert left(folder) == [line]
