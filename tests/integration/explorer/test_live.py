"""Live and Pipeline over real, served stores in every state, without a browser."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import store
from barograph.clock import SystemClock
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from barograph.writer import Said, Writer
from runner.ownership import owned
from tests import running
from tests.explored import NASTY, curve_of, explored, folder_with, said, specs
from tests.running import MIB, S, trial_id

TASKS = tuple(f"task-{number:02d}" for number in range(4))


def whole(app: AppTest) -> str:
    """What the page says, after it was seen to have no trouble."""
    assert not app.exception
    assert not app.error
    return said(app).replace("\\", "")


def told(path: Path, facts: Sequence[Said]) -> DataFolder:
    """A data folder whose journal tells of these facts, and a server that has loaded them."""
    folder = DataFolder.create(path)
    with store.connect(folder) as served:
        Writer(open_log(folder.log_url), source="r00000000001").write_many(facts)
        served.load()
    return folder


def now_us() -> int:
    return SystemClock().wall_us()


def under_way(trials: int, at_us: int) -> list[Said]:
    facts = [*running.planned(2 * trials, at_us), *running.campaign(2 * trials, at_us)]
    for number in range(trials):
        facts += running.begun(number, at_us)
        facts.append(running.sampled(number, at_us + 5 * S, usage=(number + 1) * MIB))
    return facts


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    return folder_with(tmp_path_factory.mktemp("ended") / "data", curve_of(TASKS))


def test_a_folder_without_a_sweep_says_what_would_bring_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = told(tmp_path / "data", [])
    live = explored(folder, monkeypatch, "live")
    assert "no sweep has been planned" in whole(live)
    assert [block.value for block in live.code] == ["barograph demo"]
    assert "nothing to trust yet" in whole(explored(folder, monkeypatch, "pipeline"))


def test_a_finished_sweep_shows_its_weather_and_no_lanes(
    ended: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(ended, monkeypatch, "live")
    text = whole(app)
    assert "Nothing runs: 48 of 48 trials have ended; the sweep was complete" in text
    assert "8 of 48 judged outcomes" in text
    assert "(6 of 8)" in text
    assert len(app.get("page_link")) == 6
    assert len(specs(app)) == 1
    assert not app.multiselect


def test_the_window_of_the_address_is_the_window_of_the_weather(
    ended: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = 1_780_000_000 * S
    app = explored(ended, monkeypatch, "live", window=f"{start}-{start + 100 * S}")
    assert "2026-05-28 20:26:40 UTC to 20:28:20.0" in whole(app)


@pytest.mark.parametrize("window", ["backwards", "9-3", "1" * 10_000])
def test_a_broken_window_is_one_sentence(
    ended: DataFolder, monkeypatch: pytest.MonkeyPatch, window: str
) -> None:
    text = whole(explored(ended, monkeypatch, "live", window=window))
    assert "window" in text
    assert "Nothing runs" in text


def test_a_planned_sweep_has_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = explored(told(tmp_path / "data", running.planned(7, now_us())), monkeypatch, "live")
    text = whole(app)
    assert "Nothing has begun yet: 7 trials are planned" in text
    assert "no weather yet" in text


def test_what_a_dead_runner_left_is_said_to_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = explored(told(tmp_path / "data", under_way(12, now_us() - 90 * S)), monkeypatch, "live")
    text = whole(app)
    assert "12 tries began and their runner is gone; 0 of 24 trials have ended" in text
    assert "the same 'barograph run' goes on" in text
    assert "showing 12 of 12" in text


def test_lanes_are_paged_filtered_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = told(tmp_path / "data", under_way(40, now_us() - 90 * S))
    with owned(folder):
        app = explored(folder, monkeypatch, "live")
        assert "0 of 80 trials have ended; 40 run now" in whole(app)
        assert "showing 15 of 40 (1 to 15, tightest against their ceiling first)" in whole(app)
        app.multiselect(key="condition").set_value(["1x"]).run()
        assert "showing 14 of 14; filters leave out 26 of 40" in whole(app)
        app.text_input(key="q").set_value("no such task").run()
        assert "None of the 40 running trials matches the filters" in whole(app)


def test_the_address_says_which_lanes_and_each_leads_to_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = told(tmp_path / "data", under_way(40, now_us() - 90 * S))
    with owned(folder):
        app = explored(folder, monkeypatch, "live", condition="1x", q=trial_id(0))
        assert "showing 1 of 1; filters leave out 39 of 40" in whole(app)
        (link,) = [one.proto for one in app.get("page_link")]
        assert link.page == "trial"
        assert f"trial={trial_id(0)}" in link.query_string
        assert "None of the 40 running" in whole(
            explored(folder, monkeypatch, "live", agent="nobody")
        )


def test_frozen_is_as_of_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = told(tmp_path / "data", under_way(3, now_us() - 90 * S))
    with owned(folder):
        app = explored(folder, monkeypatch, "live", live="off")
        assert "frozen as of" in whole(app)
        assert "0 of 6 trials have ended; 3 run now" in whole(app)
        with store.connect(folder) as served:
            other = Writer(open_log(folder.log_url), source="r00000000002")
            other.write_many([running.ended(0, now_us())])
            served.load()
        assert "0 of 6 trials have ended; 3 run now" in whole(app.run())
        app.toggle(key="live-on").set_value(True).run()
        assert "1 of 6 trials has ended; 2 run now" in whole(app)


def test_names_are_shown_and_not_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_us = now_us() - 90 * S
    facts = [*running.planned(9, at_us), *running.campaign(9, at_us)]
    for number, name in enumerate(NASTY):
        facts += running.begun(number, at_us, task=name)
        facts.append(running.killed(number, at_us + 20 * S, victim=name[:60]))
    folder = told(tmp_path / "data", facts)
    with owned(folder):
        app = explored(folder, monkeypatch, "live")
        assert "5 run now" in whole(app)
        labels = [link.proto.label for link in app.get("page_link")]
        assert len(labels) == 2 * len(NASTY), "a kill and a lane each"
        assert not any("\u202e" in label or "<script>" in label for label in labels)


def test_a_sweep_without_telemetry_says_so(
    ended: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no telemetry of hosts" in whole(explored(ended, monkeypatch, "live"))
    text = whole(explored(ended, monkeypatch, "pipeline"))
    assert "Be careful: no collector wrote: there is no telemetry" in text


def test_the_pipeline_says_that_it_can_be_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_us = now_us() - 90 * S
    facts = [
        running.host(at_us),
        *under_way(2, at_us),
        running.host_sample(at_us + S, kills=3),
        running.killed(0, at_us + 2 * S),
        running.host_sample(at_us + 3 * S, kills=4),
        running.collector_self(at_us + 10 * S),
    ]
    app = explored(told(tmp_path / "data", facts), monkeypatch, "pipeline")
    text = whole(app)
    assert "You can trust what you see: every event arrived" in text
    assert "the one kill that the kernel counted has a name" in text
    assert {metric.label: metric.value for metric in app.metric}["Collector CPU"] == "2.0%"
    assert len(specs(app)) == 1


def test_an_unknown_trial_in_the_filter_hides_all_and_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = told(tmp_path / "data", under_way(4, now_us() - 90 * S))
    with owned(folder):
        app = explored(folder, monkeypatch, "live")
        app.text_input(key="q").set_value(trial_id(2)).run()
        assert "showing 1 of 1; filters leave out 3 of 4" in whole(app)
