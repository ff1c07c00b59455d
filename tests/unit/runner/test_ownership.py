"""One campaign a data folder."""

import os
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from barograph.folder import DataFolder, FolderRefusal
from runner.errors import FolderOwnedError
from runner.ownership import owned, owner_pid


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder.create(tmp_path / "data")


def test_a_second_owner_is_refused_and_told_the_pid_of_the_first(folder: DataFolder) -> None:
    with (
        owned(folder),
        pytest.raises(FolderOwnedError, match=f"pid {os.getpid()}") as caught,
        owned(folder),
    ):
        pass

    assert caught.value.exit_code is ExitCode.BUSY
    assert "another --dir" in str(caught.value)


def test_the_owner_can_be_asked_for(folder: DataFolder) -> None:
    assert owner_pid(folder) is None
    with owned(folder):
        assert owner_pid(folder) == os.getpid()
    assert owner_pid(folder) is None


def test_who_comes_after_an_owner_gets_the_folder(folder: DataFolder) -> None:
    folder.owner_lock.write_text("999999\n" * 5)  # left by somebody who was killed
    with owned(folder):
        assert folder.owner_lock.read_text() == f"{os.getpid()}\n"
    with owned(folder):
        pass


def test_an_error_inside_gives_the_folder_back(folder: DataFolder) -> None:
    with pytest.raises(ZeroDivisionError), owned(folder):
        raise ZeroDivisionError

    with owned(folder):
        pass


def test_a_lock_that_cannot_be_opened_is_said(folder: DataFolder) -> None:
    folder.owner_lock.mkdir()

    with pytest.raises(FolderRefusal, match="lock cannot be opened"), owned(folder):
        pass
