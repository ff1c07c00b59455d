"""Live and Pipeline in a real browser, over a journal that a real writer goes on writing."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from barograph.clock import SystemClock
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.opening import open_log
from barograph.writer import Writer
from runner.ownership import owned
from tests import browser as browsing
from tests import running
from tests.running import MIB, S, trial_id
from ui.explorer import launch
from ui.explorer.options import Options

MANY = 1000
_SOON_S = 15.0
"""So much that only a page that does not draw itself by its timer takes longer."""
_FIRST = '[data-testid="stMain"] h3'


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browsing.browser() as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Going:
    """A sweep whose runner lives, and the address of an explorer over it."""

    runner: Writer
    collector: Writer
    address: str

    def look_around(self, trials: int, *, kills: int = 0) -> None:
        """One tick of the collector: a sample a running trial, and one of the host."""
        now_us = SystemClock().wall_us()
        said = [
            running.sampled(number, now_us, usage=(number % 61 + 1) * MIB)
            for number in range(trials)
        ]
        self.collector.write_many([*said, running.host_sample(now_us, kills=kills)])


@contextmanager
def going(folder: Path, trials: int) -> Generator[Going]:
    """``trials`` that began a while ago and run; the explorer is up when the block begins."""
    data = DataFolder.create(folder)
    log = open_log(data.log_url)
    runner, collector = (Writer(log, source=new_source(kind)) for kind in ("r", "c"))
    now_us = SystemClock().wall_us()
    began_us = now_us - 60 * S
    said = [*running.planned(2 * trials, began_us), *running.campaign(2 * trials, began_us)]
    for number in range(trials):
        said += running.begun(number, began_us + number * 1000)
    options = Options(folder=str(folder), port=launch.free_port("127.0.0.1", None))
    with owned(data), launch.beside(options):
        runner.write_many(said)
        collector.write_many([running.host(began_us), running.collector_self(now_us)])
        yield Going(runner, collector, launch.address(options))


def show(tab: browsing.Tab, sweep: Going, page: str = "live") -> None:
    """Open a page that never settles, because it draws itself every second."""
    tab.page.goto(f"{sweep.address}/{page}")
    tab.page.wait_for_selector(_FIRST, timeout=browsing.SETTLED_MS)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Generator[Going]:
    with going(tmp_path_factory.mktemp("live") / "data", 24) as sweep:
        sweep.look_around(24)
        yield sweep


@pytest.mark.parametrize("theme", browsing.THEMES)
@pytest.mark.parametrize("width", browsing.WIDTHS)
@pytest.mark.parametrize("page", ["live", "pipeline"])
def test_both_pages_show_no_error(
    small: Going, chromium: Browser, page: str, width: int, theme: str, tmp_path: Path
) -> None:
    small.look_around(24)
    with browsing.tab(chromium, small.address, width=width, theme=theme) as tab:
        show(tab, small, page)
        tab.page.wait_for_selector('[data-testid="stVegaLiteChart"] svg', timeout=60_000)
        tab.picture(tmp_path / f"{page}-{width}-{theme}.png")
        assert tab.problems() == []
        assert tab.clipped() == []


def test_a_kill_is_soon_on_the_screen_and_at_the_top(small: Going, chromium: Browser) -> None:
    """How soon is for bench/ to say, on a machine with nothing else to do."""
    took: list[float] = []
    with browsing.tab(chromium, small.address) as tab:
        show(tab, small)
        for number in range(3):
            victim = f"victim{number}"
            began = time.monotonic()
            at_us = SystemClock().wall_us()
            small.collector.write_many([running.killed(number, at_us, victim=victim)])
            tab.page.wait_for_selector(f"text={victim}", timeout=60_000)
            took.append(time.monotonic() - began)
            first = tab.page.locator('[data-testid="stPageLink"]').first.inner_text()
            assert victim in first, "the newest is not at the top"
        assert tab.problems() == []
    assert min(took) <= _SOON_S, took


def test_pausing_freezes_the_view_and_not_the_app(small: Going, chromium: Browser) -> None:
    with browsing.tab(chromium, small.address) as tab:
        show(tab, small)
        # While Streamlit draws a page for the first time it may lose a click.
        tab.page.wait_for_selector('text="How was this computed?"', timeout=60_000)
        tab.page.wait_for_timeout(2000)
        tab.page.get_by_text("Live", exact=True).last.click()
        tab.page.wait_for_selector("text=frozen as of", timeout=60_000)
        assert "live=off" in tab.page.url
        before = tab.page.inner_text(_FIRST)
        at = tab.page.inner_text('[data-testid="stCaptionContainer"]')
        small.runner.write_many([running.ended(20, SystemClock().wall_us())])
        tab.page.wait_for_timeout(3000)
        assert tab.page.inner_text(_FIRST) == before
        tab.page.get_by_label("Task or trial").fill("task-3")
        tab.page.wait_for_selector("text=filters leave out", timeout=60_000)
        assert tab.page.inner_text('[data-testid="stCaptionContainer"]') == at
        tab.page.get_by_text("Live", exact=True).last.click()
        tab.page.wait_for_selector("text=1 of 48 trials has ended", timeout=60_000)
        assert tab.problems() == []


def test_the_picture_is_moved_and_not_made_anew(small: Going, chromium: Browser) -> None:
    """Flicker: the lanes' picture must be the same element after some seconds."""
    with browsing.tab(chromium, small.address) as tab:
        show(tab, small)
        lanes = '[data-testid="stVegaLiteChart"] svg'
        tab.page.wait_for_selector(lanes, timeout=60_000)
        tab.page.evaluate(f"document.querySelector('{lanes}').dataset.mine = 'yes'")
        said = tab.page.inner_text('[data-testid="stCaptionContainer"]')
        small.look_around(24)
        tab.page.wait_for_function(
            "before => document.querySelector('[data-testid=\"stCaptionContainer\"]').innerText"
            " !== before",
            arg=said,
            timeout=60_000,
        )
        tab.page.wait_for_timeout(1500)
        kept = tab.page.evaluate(f"document.querySelector('{lanes}').dataset.mine")
        assert kept == "yes"


def test_a_thousand_running_trials_are_all_there(chromium: Browser, tmp_path: Path) -> None:
    with (
        going(tmp_path / "data", MANY) as sweep,
        _ticking(sweep),
        browsing.tab(chromium, sweep.address) as tab,
    ):
        show(tab, sweep)
        tab.page.wait_for_selector(f"text=/showing 15 of {MANY:,}/", timeout=60_000)
        assert f"{MANY:,} run now" in tab.page.inner_text(_FIRST)
        tab.page.get_by_label("Task or trial").fill("task-7")
        tab.page.wait_for_selector("text=filters leave out 900 of 1,000", timeout=60_000)
        tab.page.get_by_label("Task or trial").fill(trial_id(3))
        tab.page.wait_for_selector("text=showing 1 of 1;", timeout=60_000)
        tab.picture(tmp_path / "thousand.png")
        assert tab.problems() == []


@contextmanager
def _ticking(sweep: Going) -> Generator[None]:
    """A sample a second of every trial, as the collector takes them."""
    over = threading.Event()

    def tick() -> None:
        while not over.wait(1.0):
            sweep.look_around(MANY)

    thread = threading.Thread(target=tick, name="ticks")
    sweep.look_around(MANY)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
