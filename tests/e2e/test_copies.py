"""A sweep is taken elsewhere as a folder, and gives the same answers there."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import barograph
from tests.e2e.test_documented_shapes import ALWAYS, listed
from tests.explored import Tried, folder_with

ASKED = (["report"], ["why"], ["verify"], ["status"])
ELSEWHERE = {"now_us", "folder", "lag_s", "per_minute"}


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A data folder with a small sweep that nobody ran."""
    tried = [Tried(task="sort"), Tried(task="sort", condition="2x", ended="killed")]
    return folder_with(tmp_path / "data", tried).root


def copy_of(folder: Path, to: Path) -> Path:
    ended = barograph("export", "--to", to, "--dir", folder, "--json")
    assert ended.code == 0, ended.err
    assert ended.answer.keys() - ALWAYS == listed("export")
    return to


def answers(folder: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for words in ASKED:
        answer = barograph(*words, "--dir", folder, "--json").answer
        found.append({key: value for key, value in answer.items() if key not in ELSEWHERE})
    return found


def test_a_copy_of_a_real_sweep_gives_the_same_answers(copied: Path, tmp_path: Path) -> None:
    failures = barograph("why", "--dir", copied, "--json").answer["failures"]
    trial = failures["by_cause"][0]["examples"][0]
    words = ["override", trial, "--cause", "network", "--because", "It was.", "--author", "ada"]
    assert barograph(*words, "--dir", copied).code == 0
    to = copy_of(copied, tmp_path / "copy")
    loaded = barograph("load", to, "--dir", tmp_path / "new", "--json")
    assert loaded.code == 0, loaded.err
    assert answers(tmp_path / "new") == answers(copied)
    stories = [
        barograph("why", trial, "--dir", folder, "--json").answer
        for folder in (copied, tmp_path / "new")
    ]
    assert stories[0] == stories[1]
    assert stories[0]["overrides"]


def test_a_copy_is_loaded_once(told: Path, tmp_path: Path) -> None:
    to = copy_of(told, tmp_path / "copy")
    for before in (False, True):
        answer = barograph("load", to, "--dir", tmp_path / "new", "--json").answer
        assert answer["imported"]["before"] is before
    assert answers(tmp_path / "new") == answers(told)
    assert "in this folder already" in barograph("load", to, "--dir", tmp_path / "new").out


def test_what_cannot_be_copied_or_loaded_is_a_sentence(told: Path, tmp_path: Path) -> None:
    to = copy_of(told, tmp_path / "copy")
    new = tmp_path / "new"
    asked: list[tuple[list[str | Path], int, str]] = [
        (["export", "nothing", "--to", tmp_path / "x", "--dir", told], 5, "no such sweep"),
        (["export", "--to", to, "--dir", told], 2, "not empty"),
        (["export", "--dir", told], 2, "--to"),
        (["export", "--to", "/proc/x", "--dir", told], 4, "/proc/x"),
        (["load", tmp_path / "x", "--dir", new], 5, "no manifest.json"),
        (["load", to, "--dir", told], 2, "holds a journal"),
        (["load", to, "--log", "kafka:h", "--dir", new], 2, "--log"),
    ]
    for words, code, sentence in asked:
        barograph(*words).complained(code, sentence)
    manifest = to / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 9}))
    barograph("load", to, "--dir", new).complained(2, "newer version")
    assert not new.exists()
