"""A copy is brought into a data folder whole, once, and only if it is what was exported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barograph.daemons import locked
from barograph.errors import BarographError
from barograph.folder import DataFolder
from store.copying.exporting import export
from store.copying.importing import import_copy
from store.errors import StoreBusyError, StoreInputError, StoreNotFoundError
from store.reader import Reader
from tests.copies import POLICY, Teller, copied, loaded
from tests.stores import memory_log


def spoil_size(root: Path) -> None:
    path = root / "tables" / "kills.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def spoil_bytes(root: Path) -> None:
    path = root / "events" / "events.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def spoil_file(root: Path) -> None:
    (root / "events" / "events.parquet").unlink()


def manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def spoil(root: Path) -> None:
        path = root / "manifest.json"
        told = json.loads(path.read_text())
        change(told)
        path.write_text(json.dumps(told))

    return spoil


def spoil_json(root: Path) -> None:
    (root / "manifest.json").write_text("{")


SPOILED = [
    (spoil_size, "kills.parquet", "has not the size"),
    (spoil_bytes, "events.parquet", "not the one that was exported"),
    (spoil_file, "events.parquet", "missing"),
    (spoil_json, "manifest.json", "not JSON"),
    (manifest(lambda told: told.update(format=2)), "manifest.json", "newer version"),
    (manifest(lambda told: told.update(kind="x")), "manifest.json", "not a copy"),
    (manifest(lambda told: told.update(files=[])), "manifest.json", "does not name"),
    (manifest(lambda told: told.update(files=3)), "manifest.json", "is no list"),
    (manifest(lambda told: told.pop("counts")), "manifest.json", "not a JSON object"),
    (
        manifest(lambda told: told["files"][0].update(path="../../etc/passwd")),
        "manifest.json",
        "no copy has",
    ),
]


@pytest.mark.parametrize(("spoil", "where", "sentence"), SPOILED)
def test_a_spoiled_copy_is_refused_in_a_sentence_and_leaves_nothing(
    tmp_path: Path, spoil: Callable[[Path], None], where: str, sentence: str
) -> None:
    told = Teller()
    told.sweep("s1")
    copied(told.lines, tmp_path / "x")
    spoil(tmp_path / "x")
    with pytest.raises(StoreInputError) as caught:
        import_copy(tmp_path / "x", str(tmp_path / "data"))
    assert where in str(caught.value)
    assert sentence in str(caught.value)
    assert not (tmp_path / "data").exists()


def test_a_folder_without_a_manifest_is_no_copy(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "nothing", Path(__file__)):
        with pytest.raises(StoreNotFoundError, match=r"no manifest\.json"):
            import_copy(root, str(tmp_path / "data"))


def test_importing_twice_is_importing_once_and_what_was_said_since_stays(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    copied(told.lines, tmp_path / "x")
    first = import_copy(tmp_path / "x", str(tmp_path / "data"))
    assert (first.before, first.files, first.events) == (False, 2, len(told.lines))
    journal = DataFolder.existing(tmp_path / "data").journal
    (journal / "p9.000000.jsonl").write_bytes(b"said since\n")
    before = {path.name: path.read_bytes() for path in journal.iterdir()}
    again = import_copy(tmp_path / "x", str(tmp_path / "data"))
    assert (again.before, again.files) == (True, 0)
    assert {path.name: path.read_bytes() for path in journal.iterdir()} == before


def test_an_import_that_was_killed_goes_on(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    copied(told.lines, tmp_path / "x")
    import_copy(tmp_path / "x", str(tmp_path / "data"))
    folder = DataFolder.existing(tmp_path / "data")
    whole = {path.name: path.read_bytes() for path in folder.journal.iterdir()}
    # As a kill in the middle leaves it: one file whole, one in the making.
    note = json.loads(folder.imported.read_text())
    folder.imported.write_text(json.dumps(note | {"complete": False}))
    (folder.journal / "rs1.000000.jsonl").unlink()
    (folder.journal / "rs1.000000.jsonl.draft").write_bytes(b"half")
    assert import_copy(tmp_path / "x", str(tmp_path / "data")).files == 1
    assert {path.name: path.read_bytes() for path in folder.journal.iterdir()} == whole


def refused(root: Path, folder: Path, kind: type[BarographError], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        import_copy(root, str(folder))


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    copied(told.lines, tmp_path / "x")
    copied(told.lines, tmp_path / "y", "s2")
    import_copy(tmp_path / "x", str(tmp_path / "data"))
    refused(tmp_path / "y", tmp_path / "data", StoreInputError, "another copy")
    other = DataFolder.create(tmp_path / "other")
    (other.journal / "r1.000000.jsonl").write_bytes(b"x\n")
    refused(tmp_path / "x", tmp_path / "other", StoreInputError, "holds a journal")
    shared = DataFolder.create(tmp_path / "shared")
    shared.shared_log.write_text("kafka:h:9092")
    refused(tmp_path / "x", tmp_path / "shared", StoreInputError, "shared log")


def test_a_folder_that_a_campaign_owns_is_refused(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    copied(told.lines, tmp_path / "x")
    held = locked(DataFolder.create(tmp_path / "data").owner_lock)
    assert not isinstance(held, str)
    with held:
        refused(tmp_path / "x", tmp_path / "data", StoreBusyError, "owns this data folder")


def test_an_export_needs_an_empty_folder(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine").write_text("x")
    with pytest.raises(StoreInputError, match="not empty"):
        copied(told.lines, tmp_path / "x")
    with pytest.raises(StoreInputError, match="a file, not a folder"):
        copied(told.lines, tmp_path / "x" / "mine")
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["mine"]


def test_an_export_that_fails_leaves_nothing_that_looks_like_one(tmp_path: Path) -> None:
    told = Teller()
    told.sweep("s1")
    row = Reader(loaded(memory_log(told.lines))).sweep()
    calls: list[str] = []

    def break_off(words: str) -> None:
        calls.append(words)
        if words == "making the tables":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(memory_log(told.lines), row, tmp_path / "x", policy=POLICY, meanwhile=break_off)
    assert list((tmp_path / "x").iterdir()) == []
