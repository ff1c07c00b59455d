"""A disk that is full or read-only: one sentence, a known exit code, and nothing lost."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from barograph.facts import SweepFinished
from tests import needs
from tests.campaigning import Told, assert_complete, run, start
from tests.sweep_files import SWEEP_TOML, changed, write_sweep


@pytest.fixture(autouse=True)
def _sandboxes() -> None:
    needs.need_namespaces()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, small enough to be filled."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "small", place], check=True)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    toml = changed(SWEEP_TOML, 'name = "nop"', 'name = "sleepy"\ncommand = ["sleep", "0.3"]')
    return write_sweep(tmp_path, toml=toml)


def fill(disk: Path) -> Path:
    """Leave no byte free; returns what to remove."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    return ballast


def begun(sweep: Path, data: Path) -> subprocess.Popen[str]:
    """A campaign that has two outcomes already."""
    process = start(sweep, data)
    assert process.stdout is not None
    for line in process.stdout:
        if line == "done 2\n":
            break
    return process


def test_on_a_full_disk_outcomes_come_from_the_reserve(disk: Path, sweep: Path) -> None:
    process = begun(sweep, disk / "data")
    ballast = fill(disk)

    _, problem = process.communicate(timeout=120)

    # What the journal gives back of its reserve is room for sandboxes too, so both can be.
    assert process.returncode in {ExitCode.OK, ExitCode.ENVIRONMENT}, problem
    assert len(problem.splitlines()) <= 1
    told = Told(disk / "data")
    assert [one.reason for one in told.all(SweepFinished)] in [["complete"], ["stopped_by_guard"]]
    assert len(told.outcomes()) > 2
    ballast.unlink()
    run(sweep, disk / "data")
    assert_complete(sweep, disk / "data")


def test_beyond_the_reserve_it_stops_with_one_sentence_and_loses_nothing(
    disk: Path, sweep: Path
) -> None:
    process = begun(sweep, disk / "data")
    (disk / "data" / "journal" / ".reserve").unlink()
    ballast = fill(disk)

    _, problem = process.communicate(timeout=60)

    assert process.returncode == ExitCode.ENVIRONMENT, problem
    assert len(problem.splitlines()) == 1
    assert "room" in problem
    assert str(disk / "data") in problem
    ballast.unlink()
    run(sweep, disk / "data")
    assert_complete(sweep, disk / "data")


def test_a_read_only_folder_is_refused_at_once(disk: Path, sweep: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)

    process = start(sweep, disk / "data")
    _, problem = process.communicate(timeout=60)

    assert process.returncode == ExitCode.ENVIRONMENT
    assert len(problem.splitlines()) == 1
    assert "read-only" in problem
    assert "--dir" in problem


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path, sweep: Path) -> None:
    (tmp_path / "data").write_text("")

    process = start(sweep, tmp_path / "data")
    _, problem = process.communicate(timeout=60)

    assert process.returncode == ExitCode.INPUT
    assert "not a folder" in problem


def test_without_root_it_is_refused_with_a_sentence() -> None:
    """Pretending would be worse: without root there is no ceiling yet."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # pytest's own folders are for root alone
        sweep, data = write_sweep(Path(place)), Path(place) / "data"
        data.mkdir()
        os.chown(data, nobody, nobody)
        process = start(sweep, data, str(nobody))
        _, problem = process.communicate(timeout=60)

    assert process.returncode == ExitCode.ENVIRONMENT
    assert len(problem.splitlines()) == 1
    assert "root" in problem
