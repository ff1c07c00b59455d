"""Records of standing sandboxes are read back whole, or not at all."""

import fcntl
from pathlib import Path

import pytest

from barograph.envelope import Belongs
from runner.sandboxes import records
from runner.sandboxes.port import Standing
from runner.sandboxes.records import Record

RECORD = Record(
    standing=Standing(
        name="t-1",
        belongs=Belongs(sweep="s", trial="t", try_no=1, target="t-1"),
        cgroups={"memory": "/sys/fs/cgroup/memory/barograph/x/t-1"},
        kernel_path="/barograph/x/t-1",
        cgroup_version=1,
        oom_scope="sandbox",
    ),
    scratch=Path("/somewhere/t-1"),
    supervisor_pid=12,
)


def test_a_record_is_read_as_written(tmp_path: Path) -> None:
    path = records.path_of(tmp_path, "t-1")
    records.write(path, RECORD)
    assert records.read(path) == RECORD
    assert records.paths(tmp_path) == [path]


def test_every_torn_record_is_none(tmp_path: Path) -> None:
    path = records.path_of(tmp_path, "t-1")
    records.write(path, RECORD)
    whole = path.read_bytes()
    for length in range(0, len(whole), 5):
        path.write_bytes(whole[:length])
        assert records.read(path) is None


@pytest.mark.parametrize("text", ["[]", "null", "3", '{"name": 1}', '{"belongs": 3}', "\0\xff"])
def test_other_files_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert records.read(path) is None
    assert records.read(tmp_path / "missing.json") is None


def test_a_held_record_is_attended(tmp_path: Path) -> None:
    path = records.path_of(tmp_path, "t-1")
    records.write(path, RECORD)
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with records.unattended(path, 0) as free:
            assert not free
    with records.unattended(path, 0) as free:
        assert free
    with records.unattended(tmp_path / "gone.json", 0) as free:
        assert free
