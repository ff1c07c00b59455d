"""Trials and Trial in a real browser, over the sweep that really ran: what a person would see."""

import json
import os
import shutil
from collections.abc import Generator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser

import store
from store.reader import Reader
from store.rows import TryRow
from tests.browser import THEMES, WIDTHS, Tab, browser, tab
from tests.explorers import look
from ui.explorer import launch
from ui.explorer.options import Options

PICTURES = os.environ.get("BAROGRAPH_PICTURES")
LOOKS = pytest.mark.parametrize(
    ("width", "theme"), [(width, theme) for width in WIDTHS for theme in THEMES]
)
_FIRST = '[data-testid="stMain"] h3'
_WAIT_MS = 120_000


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(sweep: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep's journal, to write notes into that no other test meets."""
    folder = tmp_path_factory.mktemp("noted") / "data"
    shutil.copytree(sweep / "journal", folder / "journal")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Generator[str]:
    options = Options(folder=str(folder), port=launch.free_port("127.0.0.1", None), may_write=True)
    with launch.beside(options):
        # The first page is also the first to be compiled, and the first to need the store.
        look(launch.address(options), "trials")
        yield launch.address(options)


@pytest.fixture(scope="module")
def killed(folder: Path) -> TryRow:
    """A trial of which the kernel killed something."""
    with store.connect(str(folder)) as served:
        served.load()
        return next(row for row in Reader(served).tries() if row.kills and row.kill_victim)


def look_at(shown: Tab, name: str, tmp_path: Path, width: int, theme: str) -> None:
    folder = Path(PICTURES) if PICTURES else tmp_path
    shown.picture(folder / f"{name}-{width}-{theme}.png")
    assert shown.problems() == []
    assert shown.clipped() == []


@LOOKS
def test_trials_is_a_table_without_an_error(
    address: str, chromium: Browser, width: int, theme: str, tmp_path: Path
) -> None:
    with tab(chromium, address, width=width, theme=theme) as shown:
        shown.open("trials")
        shown.page.wait_for_selector('[data-testid="stDataFrame"] canvas', timeout=_WAIT_MS)
        assert "died for memory" in shown.page.inner_text(_FIRST)
        look_at(shown, "trials", tmp_path, width, theme)


@LOOKS
def test_the_trial_names_the_victim_and_draws_it(
    address: str, chromium: Browser, killed: TryRow, width: int, theme: str, tmp_path: Path
) -> None:
    with tab(chromium, address, width=width, theme=theme) as shown:
        shown.open(f"trial?trial={killed.trial}")
        shown.page.wait_for_selector('[data-testid="stVegaLiteChart"] svg', timeout=_WAIT_MS)
        shown.page.wait_for_selector("text=The events behind the sentences", timeout=_WAIT_MS)
        assert f"The kernel killed {killed.kill_victim}" in shown.page.inner_text(_FIRST)
        drawn = shown.page.locator('[data-testid="stVegaLiteChart"] svg').first.inner_html()
        assert f"{killed.kill_victim} killed" in drawn
        look_at(shown, "trial", tmp_path, width, theme)


def test_from_overview_to_the_process_that_the_kernel_killed_in_two_clicks(
    address: str, chromium: Browser, folder: Path
) -> None:
    with tab(chromium, address) as shown:
        shown.open()
        shown.page.locator('[data-testid="stPageLink"]', has_text="killed at").first.click()
        shown.page.wait_for_url("**/trial?*", timeout=_WAIT_MS)
        shown.page.wait_for_selector("text=/The kernel killed/", timeout=_WAIT_MS)
        shown.settle()
        (trial,) = parse_qs(urlsplit(shown.page.url).query)["trial"]
        with store.connect(str(folder)) as served:
            row = next(each for each in Reader(served).tries() if each.trial == trial)
        assert row.kill_victim
        assert f"The kernel killed {row.kill_victim}" in shown.page.inner_text(_FIRST)
        assert shown.problems() == []


def test_a_row_leads_to_its_trial_and_its_link_is_an_ordinary_one(
    address: str, chromium: Browser, killed: TryRow
) -> None:
    with tab(chromium, address) as shown:
        shown.open(f"trials?q={killed.trial}")
        table = shown.page.locator('[data-testid="stDataFrame"]').first
        table.wait_for(timeout=_WAIT_MS)
        cell = table.locator("canvas").first.bounding_box()
        assert cell is not None
        # The box to choose the first row with.
        shown.page.mouse.click(cell["x"] + 16, cell["y"] + 52)
        shown.page.wait_for_url(f"**/trial?*{killed.trial}*", timeout=_WAIT_MS)
        shown.settle()
        assert "The kernel killed" in shown.page.inner_text(_FIRST)
        assert shown.problems() == []


def test_a_span_dragged_in_the_figure_is_in_the_address(
    address: str, chromium: Browser, killed: TryRow
) -> None:
    with tab(chromium, address) as shown:
        shown.open(f"trial?trial={killed.trial}")
        figure = shown.page.locator('[data-testid="stVegaLiteChart"] svg').first
        figure.wait_for(timeout=_WAIT_MS)
        box = figure.bounding_box()
        assert box is not None
        y = box["y"] + 0.5 * box["height"]
        shown.page.mouse.move(box["x"] + 0.4 * box["width"], y)
        shown.page.mouse.down()
        shown.page.mouse.move(box["x"] + 0.7 * box["width"], y, steps=8)
        shown.page.mouse.up()
        shown.page.wait_for_url("**window=*", timeout=_WAIT_MS)
        shown.settle()
        again = shown.page.url
        assert shown.problems() == []
    with tab(chromium, address) as other:
        other.open(again.removeprefix(f"{address}/"))
        other.page.wait_for_selector("text=The whole try", timeout=_WAIT_MS)
        assert other.problems() == []


def test_what_is_said_in_the_browser_is_beside_the_verdict(
    address: str, chromium: Browser, killed: TryRow
) -> None:
    with tab(chromium, address) as shown:
        shown.open(f"trial?trial={killed.trial}")
        shown.page.get_by_role("button", name="Leave a note").click()
        shown.page.get_by_label("Your name").last.fill("ada")
        shown.page.get_by_role("textbox", name="Note").fill(json.dumps("<b>look</b>"))
        shown.page.get_by_role("textbox", name="Note").blur()
        shown.page.get_by_role("button", name="Leave it").click()
        shown.page.wait_for_selector("text=/is kept/", timeout=_WAIT_MS)
        assert '"<b>look</b>"' in shown.text
        assert shown.problems() == []
