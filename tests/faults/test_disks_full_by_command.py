"""No room for a copy that is made, none under a pruning: a sentence, and the same again goes on."""

from contextlib import closing
from pathlib import Path

import pytest

from barograph.errors import ExitCode
from barograph.facts import PhaseStarted
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.writer import Writer
from store.copying import manifest
from tests import needs
from tests.copies import Teller, copied
from tests.disks import fill, resize, small_disk
from tests.e2e.conftest import barograph
from tests.explored import curve_of, folder_with
from tests.faults.test_kill_prune import in_the_database, state, told
from tests.servers import stop_servers

pytestmark = pytest.mark.slow

TOO_SMALL = ("64k", "400k", "1300k")
"""For the copied lines, for all of them, for the tables."""


def test_a_copy_that_finds_no_room_is_none_and_can_be_made_when_there_is(tmp_path: Path) -> None:
    needs.need_root()
    data = folder_with(tmp_path / "data", curve_of([f"task-{n}" for n in range(40)])).root
    with small_disk(tmp_path / "disk", TOO_SMALL[0]) as disk:
        to, new = disk / "copy", tmp_path / "new"
        for size in TOO_SMALL:
            resize(disk, size)
            ended = barograph("export", "--to", to, "--dir", data)
            ended.complained(
                ExitCode.ENVIRONMENT, f"{to}: no room is left on the disk", "make room"
            )
            assert list(to.iterdir()) == []
            barograph("load", to, "--dir", new).complained(ExitCode.NOT_FOUND, "no manifest.json")
        resize(disk, "16m")
        ended = barograph("export", "--to", to, "--dir", data)
        assert ended.code == 0, ended.err
        assert barograph("load", to, "--dir", new).code == 0
    here, there = (barograph("report", "--dir", one, "--json").answer for one in (data, new))
    assert here["analysis"] == there["analysis"]


def test_a_manifest_that_finds_no_room_is_not_there_by_half(tmp_path: Path) -> None:
    """It is the last that a copy needs room for, when the rest had some."""
    needs.need_root()
    teller = Teller()
    teller.sweep("s1")
    made = copied(teller.lines, tmp_path / "copy").manifest
    with small_disk(tmp_path / "disk", "64k") as disk:
        filler = fill(disk)
        with pytest.raises(OSError, match="No space left"):
            manifest.write(disk, made)
        assert list(disk.iterdir()) == [filler]
        filler.unlink()
        manifest.write(disk, made)
        assert manifest.read(disk).sweep == "s1"


def keep_room_back(folder: DataFolder) -> None:
    """As every writer of a journal does."""
    with closing(JournalLog(folder.journal)) as log:
        Writer(log, source="r9").write(PhaseStarted(phase="agent"))


@pytest.mark.parametrize("kept_back", [True, False], ids=["with a reserve", "with none"])
def test_a_pruning_on_a_full_disk_goes_on_when_there_is_room(
    tmp_path: Path, *, kept_back: bool
) -> None:
    needs.need_root()
    with small_disk(tmp_path / "disk", "32m") as disk:
        folder = told(disk / "data")
        if kept_back:
            keep_room_back(folder)
        prune = ("prune", "--sweep", "s1", "--yes", "--dir", folder.root)
        assert barograph("load", "--dir", folder.root).code == 0
        before = state(folder)
        filler = fill(disk)
        for _ in range(2):
            barograph(*prune).complained(ExitCode.ENVIRONMENT, "make room", "same command again")
        lines, outputs = state(folder)
        if kept_back:
            # It was said, and what needs no room was done.
            assert not any(b'"s1"' in line for line in lines)
            assert outputs == ["s2-t"]
        else:
            assert (lines, outputs) == before
        filler.unlink()
        ended = barograph(*prune)
        assert ended.code == 0, ended.err
        assert ended.out.startswith("Removed ")
        lines, outputs = state(folder)
        assert lines == [line for line in before[0] if b'"s1"' not in line and b'"cs1"' not in line]
        assert outputs == ["s2-t"]
        assert barograph("verify", "--dir", folder.root).code == 0
        stop_servers(disk)
        assert in_the_database(folder, b"on s2")
        assert not in_the_database(folder, b"on s1")
