"""A browser whose clock and time zone are wrong shows the same times and ages as any other.

All times on the pages are the server's. What a page says is compared with what an ordinary tab
says just before and just after, as ages go on while the tabs are opened.
"""

import re
from collections.abc import Generator
from typing import Final

import pytest
from playwright.sync_api import Browser

from barograph.clock import SystemClock
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.opening import open_log
from barograph.writer import Writer
from runner.ownership import owned
from tests import running
from tests.browser import Tab, browser, tab
from tests.explorers import explorer
from tests.running import MIB, S, trial_id

WAIT_MS: Final = 120_000
_QUIET_MS: Final = 500
TRIALS: Final = 6
KILLED: Final = 1
AGO_S: Final = 9000
_ALIKE_S: Final = 600
"""Two looks at a clock may be that far apart on a busy machine, and not an hour."""
SHIFTED: Final = """
(() => {
  const Real = Date;
  const now = () => Real.now() + OFF_MS;
  window.Date = class extends Real {
    constructor(...given) { if (given.length) { super(...given); } else { super(now()); } }
    static now() { return now(); }
  };
})();
"""
OFF: Final = pytest.mark.parametrize(
    ("off_s", "zone"), [(3600, "Asia/Kathmandu"), (-3600, "America/St_Johns")]
)


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as opened:
        yield opened


class Sweep:
    """A small sweep that runs, one trial of which was killed and has ended long ago."""

    def __init__(self, folder: DataFolder) -> None:
        """Tell its beginning."""
        log = open_log(folder.log_url)
        self.runner, self.collector = (Writer(log, source=new_source(kind)) for kind in ("r", "c"))
        began_us = SystemClock().wall_us() - AGO_S * S
        said = [*running.planned(2 * TRIALS, began_us), *running.campaign(2 * TRIALS, began_us)]
        for number in range(TRIALS):
            said += running.begun(number, began_us + number * S)
        died_us = began_us + 30 * S
        said.append(running.ended(KILLED, died_us + S, reward=None))
        self.runner.write_many(said)
        traced = [running.sampled(KILLED, began_us + at * S, usage=at * MIB) for at in range(2, 30)]
        self.collector.write_many([running.host(began_us), *traced])
        self.collector.write_many([running.killed(KILLED, died_us, victim="oldest")])

    def kill(self, number: int, victim: str) -> None:
        now_us = SystemClock().wall_us()
        self.collector.write_many(
            [running.host_sample(now_us), running.killed(number, now_us, victim=victim)]
        )


@pytest.fixture(scope="module")
def going(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Sweep, str]]:
    folder = DataFolder.create(tmp_path_factory.mktemp("clock") / "data")
    with owned(folder):
        sweep = Sweep(folder)
        with explorer(folder.root) as started:
            yield sweep, started.address


def wrong(off_s: int) -> str:
    return SHIFTED.replace("OFF_MS", str(off_s * 1000))


def all_text(shown: Tab) -> str:
    """The page's words and those within its figures."""
    drawn = shown.page.locator('[data-testid="stVegaLiteChart"] svg text').all_text_contents()
    return "\n".join([shown.text, *drawn])


def opened(shown: Tab, page: str) -> str:
    shown.open(page)
    shown.page.wait_for_selector('[data-testid="stVegaLiteChart"] svg', timeout=WAIT_MS)
    shown.settle()
    return all_text(shown)


@OFF
@pytest.mark.parametrize("page", ["", f"trial?trial={trial_id(KILLED)}"])
def test_times_and_ages_are_the_servers(
    going: tuple[Sweep, str], chromium: Browser, page: str, off_s: int, zone: str
) -> None:
    _, address = going
    with (
        tab(chromium, address) as ordinary,
        tab(chromium, address, init_script=wrong(off_s), timezone_id=zone) as off,
    ):
        before = opened(ordinary, page)
        shown = opened(off, page)
        after = opened(ordinary, page)
        clocks = [page.evaluate("Date.now()") for page in (off.page, ordinary.page)]
        assert abs(clocks[0] - clocks[1] - 1000 * off_s) < 1000 * _ALIKE_S, "not shifted"
        assert shown in (before, after)
        assert off.problems() == []


@OFF
def test_live_goes_on_and_a_fresh_kill_appears(
    going: tuple[Sweep, str], chromium: Browser, off_s: int, zone: str
) -> None:
    sweep, address = going
    victim = f"victim{off_s % 7}"
    with (
        tab(chromium, address) as ordinary,
        tab(chromium, address, init_script=wrong(off_s), timezone_id=zone) as off,
    ):
        for shown in (ordinary, off):
            shown.page.goto(f"{address}/live")
            shown.page.wait_for_selector("text=oldest", timeout=WAIT_MS)
        assert alike(off, ordinary)
        said = off.page.inner_text('[data-testid="stCaptionContainer"]')
        sweep.kill(3 if off_s > 0 else 4, victim)
        off.page.wait_for_selector(f"text={victim}", timeout=WAIT_MS)
        newest = off.page.locator('[data-testid="stPageLink"]').first.inner_text()
        assert re.search(r"\b[\d.]+ m?s ago", newest), newest
        off.page.wait_for_function(
            "before => document.querySelector('[data-testid=\"stCaptionContainer\"]').innerText"
            " !== before",
            arg=said,
            timeout=WAIT_MS,
        )
        assert off.problems() == []


def alike(one: Tab, other: Tab) -> bool:
    """Whether both say how long ago a kill was; each draws itself by a timer of its own."""
    for _ in range(20):
        if ages(one) == ages(other) != []:
            return True
        one.page.wait_for_timeout(_QUIET_MS)
    return False


def ages(shown: Tab) -> list[str]:
    """How long ago the kills were."""
    return shown.page.locator('[data-testid="stPageLink"]', has_text="oldest").all_inner_texts()
