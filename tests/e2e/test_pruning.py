"""A sweep is removed for good: from answers, from the journal, from what its trials printed."""

import json
import shutil
from pathlib import Path

import pytest

from barograph.daemons import locked
from barograph.folder import DataFolder
from tests.e2e.conftest import barograph
from tests.e2e.test_documented_shapes import ALWAYS, listed
from tests.explored import Tried, folder_with


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A data folder with a small sweep that nobody ran, and something that a trial printed."""
    tried = [Tried(task="sort"), Tried(task="sort", condition="2x", ended="killed")]
    made = folder_with(tmp_path / "made", tried)
    # Its writer lives in this process, so in the copy nobody writes.
    shutil.copytree(made.journal, tmp_path / "data" / "journal")
    folder = DataFolder.existing(tmp_path / "data")
    output = folder.try_folder("000000000001", 1)
    output.mkdir(parents=True)
    (output / "agent.txt").write_text("hello")
    return folder.root


def test_a_dry_run_says_what_would_go_and_removes_nothing(told: Path) -> None:
    before = {path: path.read_bytes() for path in (told / "journal").glob("*.jsonl")}
    ended = barograph("prune", "--sweep", "tested", "--dry-run", "--dir", told, "--json")
    assert ended.code == 0, ended.err
    answer = ended.answer
    assert answer.keys() - ALWAYS == listed("prune")
    assert (answer["done"], answer["events"], answer["trials"]) == (False, 12, 2)
    assert answer["effect"]["lines"] == 12
    assert answer["effect"]["journal_bytes"] == sum(map(len, before.values()))
    assert (answer["effect"]["outputs"], answer["effect"]["output_bytes"]) == (1, 5)
    assert {path: path.read_bytes() for path in (told / "journal").glob("*.jsonl")} == before
    shown = barograph("prune", "--older-than", "1h", "--dry-run", "--dir", told).out
    assert shown.startswith("Would remove 1 sweep, and what is of no sweep, from before 20")


def test_what_was_removed_is_nowhere_and_the_log_says_so(told: Path) -> None:
    ended = barograph("prune", "--sweep", "s1", "--yes", "--author", "ada", "--dir", told)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("Removed 1 sweep.\n")
    assert barograph("status", "--dir", told, "--json").answer["sweep"] is None
    assert barograph("verify", "--dir", told).code == 0
    barograph("serve", "--stop", "--dir", told)
    for path in told.rglob("*"):
        if path.is_file():
            assert b"brute" not in path.read_bytes(), path
    (line,) = [
        json.loads(line)
        for path in (told / "journal").glob("*.jsonl")
        for line in path.read_bytes().splitlines()
    ]
    assert (line["type"], line["data"]["author"]) == ("log.pruned", "ada")
    assert list((told / "trials").iterdir()) == []
    again = barograph("prune", "--sweep", "s1", "--yes", "--dir", told)
    assert (again.code, again.out) == (0, "There is nothing to remove.\n")
    assert barograph("load", "--rebuild", "--dir", told, "--json").answer["store"]["events"] == 1


def test_a_real_sweep_is_removed(copied: Path) -> None:
    ended = barograph("prune", "--older-than", "1h", "--yes", "--dir", copied, "--json")
    assert (ended.code, ended.answer["events"]) == (0, 0)
    sweep = barograph("status", "--dir", copied, "--json").answer["sweep"]
    answer = barograph("prune", "--sweep", sweep["name"], "--yes", "--dir", copied, "--json").answer
    assert answer["trials"] == 24
    assert barograph("status", "--dir", copied, "--json").answer["sweep"] is None
    left = [
        json.loads(line)
        for path in (copied / "journal").glob("*.jsonl")
        for line in path.read_bytes().splitlines()
    ]
    # A collector that only watched the machine, for another test, told of no sweep.
    assert {line["sweep"] for line in left} == {None}
    assert [line["type"] for line in left].count("log.pruned") == 1
    assert barograph("verify", "--dir", copied).code == 0


def test_what_cannot_be_removed_is_a_sentence(told: Path) -> None:
    for words, code, sentence in (
        (["--sweep", "nothing", "--yes"], 5, "no such sweep in this store; there are: s1 (tested)"),
        (["--sweep", "s1"], 2, "--yes: nobody can be asked here"),
        (["--older-than", "30"], 2, "is no age"),
        (["--older-than", "0d"], 2, "is no age"),
        (["--older-than", "1y", "--sweep", "s1"], 2, "one of the two"),
        ([], 2, "one of the two"),
        (["--sweep", "s1", "--yes", "--author", " "], 2, "author"),
    ):
        barograph("prune", *words, "--dir", told).complained(code, sentence)
    (told / "run" / "write.token").unlink()
    barograph("prune", "--sweep", "s1", "--yes", "--dir", told).complained(4, "write.token")
    assert barograph("report", "--dir", told).code == 0


def test_a_folder_at_work_is_left_alone(told: Path) -> None:
    folder = DataFolder.create(told)
    for lock, sentence in (
        (folder.owner_lock, "a campaign is running"),
        (folder.collector_lock, "a collector is at work"),
    ):
        held = locked(lock)
        assert not isinstance(held, str)
        with held:
            ended = barograph("prune", "--sweep", "s1", "--yes", "--dir", told)
            ended.complained(3, sentence)
    assert barograph("verify", "--dir", told, "--json").answer["log"]["events_in_log"] == 12
