"""A task's digest: equal for what would run alike, different for everything else."""

import os
from pathlib import Path

import pytest

from runner.digests import directory_digest
from runner.errors import TaskError
from tests.sweep_files import write_task


def test_a_digest_is_the_same_for_a_copy(tmp_path: Path) -> None:
    first, second = write_task(tmp_path / "a"), write_task(tmp_path / "b")
    (second / "task.toml").chmod(0o600)
    os.utime(second / "task.toml", (0, 0))

    assert directory_digest(first) == directory_digest(second)


def test_a_digest_is_fixed_for_ever(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "file").write_text("content")
    (tmp_path / "link").symlink_to("sub/file")

    assert directory_digest(tmp_path) == (
        "sha256:acc39d1434fe8cd8d9cd0771fcb8868ec7b462eb1e0f772a5b66e3aaef6d9c76"
    )


def test_a_digest_ignores_what_running_the_tests_by_hand_leaves(tmp_path: Path) -> None:
    folder = write_task(tmp_path / "a")
    before = directory_digest(folder)
    (folder / "tests" / "__pycache__").mkdir()
    (folder / "tests" / "__pycache__" / "x.pyc").write_text("x")

    assert directory_digest(folder) == before


@pytest.mark.parametrize("change", ["content", "mode", "name", "new folder", "link"])
def test_a_digest_changes_with_what_can_reach_a_trial(tmp_path: Path, change: str) -> None:
    folder = write_task(tmp_path / "a")
    before = directory_digest(folder)
    test = folder / "tests" / "test.sh"
    match change:
        case "content":
            test.write_text(test.read_text() + "\n")
        case "mode":
            test.chmod(0o644)
        case "name":
            (folder / "solution").rename(folder / "solutions")
        case "new folder":
            (folder / "tests" / "data").mkdir()
        case _:
            (folder / "tests" / "data").symlink_to("/etc")

    assert directory_digest(folder) != before


def test_a_digest_refuses_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(TaskError, match="neither file, folder nor link"):
        directory_digest(tmp_path)
