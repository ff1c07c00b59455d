"""The data folder: who may read it, and which sentence a path gets that cannot be one."""

import stat
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from barograph.folder import (
    DataFolder,
    FolderInputError,
    FolderNotFoundError,
    FolderRefusal,
)


def test_every_part_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path / "data")

    for part in (folder.root, folder.journal, folder.run, folder.sandboxes, folder.trials):
        assert stat.S_IMODE(part.stat().st_mode) == 0o700


def test_creating_twice_changes_nothing(tmp_path: Path) -> None:
    first = DataFolder.create(tmp_path / "data")
    (first.journal / "kept.jsonl").write_text("")
    first.root.chmod(0o755)

    second = DataFolder.create(tmp_path / "data")

    assert second == first
    assert (second.journal / "kept.jsonl").exists()
    assert stat.S_IMODE(second.root.stat().st_mode) == 0o755


def test_two_spellings_are_one_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    plain, linked = DataFolder.at(tmp_path / "x"), DataFolder.at(tmp_path / "link" / "." / "x")

    assert plain == linked
    assert plain.identity == linked.identity
    assert plain.identity != DataFolder.at(tmp_path / "y").identity


@pytest.mark.parametrize("tail", ["", "inside"])
def test_a_file_in_the_way_is_named(tmp_path: Path, tail: str) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderInputError, match=r"file.*not a folder.*--dir") as caught:
        DataFolder.create(tmp_path / "file" / tail)

    assert caught.value.exit_code is ExitCode.INPUT


@pytest.mark.parametrize("text", ["", "a\0b"])
def test_what_is_no_path_at_all_is_refused(text: str) -> None:
    with pytest.raises(FolderInputError, match="--dir"):
        DataFolder.create(text)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    # /proc takes no folders, whoever asks; permissions would not stop root.
    with pytest.raises(FolderRefusal, match="cannot be made") as caught:
        DataFolder.create("/proc/barograph-data")

    assert caught.value.exit_code is ExitCode.ENVIRONMENT


def test_a_reading_command_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFoundError, match="no journal") as caught:
        DataFolder.existing(tmp_path / "absent")

    assert caught.value.exit_code is ExitCode.NOT_FOUND
    assert list(tmp_path.iterdir()) == []


def test_a_reading_command_is_told_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(FolderInputError, match="file, not a folder"):
        DataFolder.existing(tmp_path / "file")


def test_paths_lie_where_the_docstring_says(tmp_path: Path) -> None:
    folder = DataFolder.create(tmp_path)

    assert DataFolder.existing(tmp_path) == folder
    assert folder.log_url == f"journal:{folder.root}/journal"
    assert folder.store_file == folder.root / "barograph.duckdb"
    assert folder.owner_lock == folder.root / "run" / "owner.lock"
    assert folder.collector_socket == folder.root / "run" / "collector.sock"
    assert folder.collector_lock.parent == folder.run
    assert folder.try_folder("abc", 2) == folder.root / "trials" / "abc" / "2"
