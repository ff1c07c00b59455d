"""Overview and Tasks over real, served stores of every shape, without a browser."""

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import store
from barograph.envelope import Belongs
from barograph.facts import VerdictOverridden
from barograph.folder import DataFolder
from tests.explored import NASTY, Tried, curve_of, explored, folder_with, said, specs
from ui.explorer import analysed

TASKS = tuple(f"task-{number:02d}" for number in range(12))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return folder_with(tmp_path_factory.mktemp("sweep") / "data", curve_of(TASKS))


def whole(app: AppTest) -> str:
    """What the page says, after it was seen to have no trouble."""
    assert not app.exception
    assert not app.error
    return said(app)


def test_overview_says_the_verdict_and_draws_it(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(sweep, monkeypatch)
    text = whole(app)
    assert "Infra errors fall from 50" in text
    assert "144 trials" in text
    assert "computed under policy barograph 1" in text
    # Two agents with two halves each, two stacks, the gain and the noise.
    assert len(specs(app)) == 8
    assert app.dataframe[0].value.shape[0] == 3


def test_overview_leads_to_the_killed_trial(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(sweep, monkeypatch)
    links = [link.proto for link in app.get("page_link")]
    kills = [link for link in links if "python3 killed at 32 MiB" in link.label.replace("\\", "")]
    assert len(kills) == 6
    assert all(link.page == "trial" for link in kills)


def test_the_other_frame_is_another_interval(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    these = explored(sweep, monkeypatch)
    like = explored(sweep, monkeypatch, frame="tasks like these")
    assert "these tasks, other attempts" in whole(these)
    assert "other tasks like these" in whole(like)


def test_a_large_sweep_is_shown_before_its_tests_are_made(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysed, "AT_ONCE", 0)
    monkeypatch.setattr(analysed, "_PATIENCE_S", 0.0)
    app = explored(sweep, monkeypatch)
    deadline = time.monotonic() + 60
    while "Infra errors fall from 50" not in whole(app):
        assert "The tests behind the verdict are being made" in said(app)
        assert len(specs(app)) == 2
        assert time.monotonic() < deadline
        app.run()
    assert len(specs(app)) == 8


def test_a_sweep_that_runs_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = [Tried(task="a"), Tried(task="a", agent="thrifty"), Tried(task="b", ended="open")]
    folder = folder_with(tmp_path / "data", trials, planned=8, finished=False)
    text = whole(explored(folder, monkeypatch))
    assert "2 of 8 planned trials have an outcome, 1 try runs" in text.replace("\\", "")


def test_one_trial_is_described_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "data", [Tried(task="a")])
    text = whole(explored(folder, monkeypatch)).replace("\\", "")
    assert "descriptive only: 1 task of at least 10 that a test needs" in text
    assert "no trial was ended by its ceiling" in text
    assert "none of 1 task" not in whole(explored(folder, monkeypatch, "tasks"))


def test_no_trial_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_with(tmp_path / "data", [Tried(task="a", ended="open")], finished=False)
    for page in ("overview", "tasks"):
        assert "has an outcome yet" in whole(explored(folder, monkeypatch, page))


def test_no_sweep_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = DataFolder.create(tmp_path / "data")
    for page in ("overview", "tasks"):
        app = explored(folder, monkeypatch, page)
        assert "There is no sweep" in whole(app)
        assert "barograph demo" in app.code[0].value


def test_telemetry_that_is_missing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = [Tried(task="a"), Tried(task="b", measured=False)]
    folder = folder_with(tmp_path / "data", trials)
    assert "1 of 2 trials have no telemetry" in whole(explored(folder, monkeypatch))


def test_names_that_hurt_are_shown_and_not_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials = [
        Tried(task=name, agent=agent, condition=condition, ended=ended)
        for name in NASTY
        for agent in (NASTY[1], NASTY[3])
        for condition, ended in (("1x", "killed"), (NASTY[0], "passed"))
    ]
    folder = folder_with(tmp_path / "data", trials, name=NASTY[2])
    for page in ("overview", "tasks"):
        text = whole(explored(folder, monkeypatch, page))
        assert "**bold**" not in text
        assert "[link](" not in text
        assert "\u202e" not in text
        assert "x" * 120 not in text


BROKEN: dict[str, str | list[str]] = {
    "sweep": "nobody",
    "agent": ["x" * 10_000, ""],
    "condition": "x" * 10_000,
    "cause": ["'; DROP TABLE judged_try; --"],
    "task": "../../etc/passwd",
    "window": "9-1",
    "try": "many",
    "trial": "\0",
    "from": "no such ceiling",
    "to": "x" * 10_000,
    "page": "99",
    "frame": "mine",
    "q": "x" * 10_000,
}


@pytest.mark.parametrize("page", ["overview", "tasks"])
def test_a_broken_address_shows_the_page_and_says_so(
    sweep: DataFolder, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    text = whole(explored(sweep, monkeypatch, page, **BROKEN)).replace("\\", "")
    assert "in this address" in text
    assert "There is no sweep 'nobody' here; this is 'tested'" in text


def test_tasks_says_which_flip(sweep: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    app = explored(sweep, monkeypatch, "tasks")
    assert "From 1x to uncapped, 12 of 12 tasks gained" in whole(app)
    assert len(specs(app)) == 1
    other = explored(sweep, monkeypatch, "tasks", **{"from": "2x", "agent": "thrifty"})
    assert "From 2x to uncapped, none of 12 tasks changed" in whole(other)
    same = explored(sweep, monkeypatch, "tasks", **{"from": "2x", "to": "2x"})
    assert "Choose two ceilings" in whole(same)


def test_many_tasks_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = [
        Tried(task=f"task-{number:03d}", condition=condition)
        for number in range(310)
        for condition in ("1x", "2x")
    ]
    folder = folder_with(tmp_path / "data", trials)
    app = explored(folder, monkeypatch, "tasks", page="8")
    assert "Tasks 281 to 310 of 310 by gain" in whole(app).replace("\\", "")


def test_overview_says_whose_verdicts_its_numbers_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path / "data", curve_of(("a", "b")))
    assert "overridden" not in whole(explored(folder, monkeypatch))
    with store.connect(folder) as served:
        trial = next(row.trial for row in served.reader().tries())
        word = VerdictOverridden(
            author="ada", text="It was full.", cause="disk_full", counts_as="infra_error"
        )
        served.append(word, Belongs(trial=trial, try_no=1))
    app = explored(folder, monkeypatch)
    assert "1 verdict is overridden by people; numbers are the policy's" in whole(app)
    assert any("--with-overrides" in block.value for block in app.code)
