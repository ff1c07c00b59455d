"""The explorer in a real browser, over a sweep that really ran: what a person would see.

Every page is opened at two widths and in both themes. Pictures are kept where
``BAROGRAPH_PICTURES`` names a folder, for whoever wants to look at them.
"""

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Download

from barograph.folder import DataFolder
from tests.browser import THEMES, WIDTHS, browser, tab
from tests.explored import NASTY, Tried, curve_of, folder_with
from tests.explorers import explorer

PICTURES = os.environ.get("BAROGRAPH_PICTURES")
LOOKS = pytest.mark.parametrize(
    ("width", "theme"), [(width, theme) for width in WIDTHS for theme in THEMES]
)


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def running(sweep: Path) -> Generator[str]:
    """Over the small sweep that all e2e tests share."""
    with explorer(sweep) as started:
        yield started.address


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Over a sweep whose names are markup, emoji, right-to-left, and 300 characters."""
    trials = [
        Tried(task=name, agent=agent, condition=condition, ended=ended)
        for name in NASTY
        for agent in (NASTY[1], NASTY[3])
        for condition, ended in (("1x", "killed"), (NASTY[4], "passed"))
    ]
    folder = folder_with(tmp_path_factory.mktemp("nasty") / "data", trials, name=NASTY[2])
    with explorer(folder.root) as started:
        yield started.address


@LOOKS
@pytest.mark.parametrize("page", ["", "tasks"])
def test_a_page_looks_right(
    running: str, chromium: Browser, page: str, width: int, theme: str
) -> None:
    with tab(chromium, running, width=width, theme=theme) as opened:
        opened.open(page)
        assert opened.problems() == []
        assert opened.clipped() == []
        assert opened.page.locator('[data-testid="stVegaLiteChart"]').count() > 0
        if PICTURES:
            opened.picture(Path(PICTURES) / f"{page or 'overview'}-{width}-{theme}.png")


@LOOKS
@pytest.mark.parametrize("page", ["", "tasks"])
def test_names_that_hurt_do_no_harm(
    nasty: str, chromium: Browser, page: str, width: int, theme: str
) -> None:
    with tab(chromium, nasty, width=width, theme=theme) as opened:
        opened.open(page)
        assert opened.problems() == []
        assert opened.clipped() == []
        assert "<script>" in opened.text or page == ""
        if PICTURES:
            opened.picture(Path(PICTURES) / f"nasty-{page or 'overview'}-{width}-{theme}.png")


def test_the_killed_trial_is_one_click_away(running: str, chromium: Browser) -> None:
    with tab(chromium, running) as opened:
        opened.open()
        opened.page.locator('[data-testid="stPageLink"]', has_text="killed at").first.click()
        opened.page.wait_for_url("**/trial?*")
        assert "trial=" in opened.page.url
        assert "sweep=" in opened.page.url


def test_a_choice_is_in_the_address_and_the_address_is_the_choice(
    running: str, chromium: Browser
) -> None:
    with tab(chromium, running) as opened:
        opened.open()
        opened.page.get_by_text("tasks like these", exact=True).click()
        opened.page.wait_for_url("**frame=*")
        address = opened.page.url
    with tab(chromium, running) as again:
        again.open(address.removeprefix(running).lstrip("/"))
        assert "other tasks like these" in again.text
        assert again.problems() == []


def test_a_cell_of_the_map_opens_its_trials(running: str, chromium: Browser) -> None:
    with tab(chromium, running) as opened:
        opened.open("tasks")
        canvas = opened.page.locator('[data-testid="stVegaLiteChart"]').first
        box = canvas.bounding_box()
        assert box is not None
        opened.page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + 45)
        opened.page.wait_for_url("**/trials?*")
        assert "task=" in opened.page.url
        assert "condition=" in opened.page.url


def test_a_figure_gives_its_rows_and_itself(
    running: str, chromium: Browser, tmp_path: Path
) -> None:
    heads = {"CSV": b"agent,", "Parquet": b"PAR1", "SVG": b"<svg", "PNG": b"\x89PNG"}
    with tab(chromium, running) as opened:
        opened.open()
        opened.page.locator(".st-key-take-curve button").first.click()
        for label, head in heads.items():
            with opened.page.expect_download(timeout=60_000) as waiting:
                opened.page.get_by_role("button", name=label, exact=True).first.click()
            given: Download = waiting.value
            file = tmp_path / label
            given.save_as(file)
            assert file.read_bytes().startswith(head)
            assert given.suggested_filename.endswith(f"curve.{label.lower()}")


def test_a_broken_address_is_told(running: str, chromium: Browser) -> None:
    with tab(chromium, running) as opened:
        opened.open(f"tasks?sweep=nobody&from=nothing&agent={'x' * 10_000}&window=9-1&page=-3")
        assert opened.problems() == []
        assert "There is no sweep 'nobody' here" in opened.text


def test_what_links_reach_can_be_reached_by_keyboard(running: str, chromium: Browser) -> None:
    with tab(chromium, running) as opened:
        opened.open()
        reached: set[str] = set()
        for _ in range(90):
            opened.page.keyboard.press("Tab")
            reached.add(str(opened.page.evaluate("document.activeElement.innerText"))[:20])
        assert any("Tasks" in text for text in reached)
        assert any("Download" in text for text in reached)
        assert any("killed" in text or "·" in text for text in reached)


def test_pages_live_on_when_the_store_is_killed(tmp_path: Path, chromium: Browser) -> None:
    folder = folder_with(tmp_path / "data", curve_of(["a", "b"]))
    with explorer(folder.root) as started, tab(chromium, started.address) as opened:
        opened.open()
        kill_server(folder)
        opened.page.get_by_text("tasks like these", exact=True).click()
        opened.page.get_by_text("other tasks like these").first.wait_for(timeout=60_000)
        opened.settle()
        assert opened.problems() == []


def kill_server(folder: DataFolder) -> None:
    os.kill(int(json.loads((folder.run / "serve.json").read_text())["pid"]), signal.SIGKILL)
