"""Pages over a store file that is missing, empty, spoilt or of another version, in a browser.

The journal is there each time: what can be made from it is shown, and what cannot is one
sentence that says what is wrong and what to do.
"""

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import duckdb
import pytest
from playwright.sync_api import Browser

from barograph.folder import DataFolder
from store.catalogue import catalogue, loading
from store.database import Database, open_database
from tests.browser import browser, tab
from tests.explored import Tried, folder_with
from tests.explorers import explorer
from tests.servers import stop_servers

TRIALS: Final = (
    Tried(task="a", ended="killed"),
    Tried(task="a", condition="2x"),
    Tried(task="b"),
)
ODD_SWEEPS: Final = {
    "no kill": [Tried(task="a"), Tried(task="b", ended="failed")],
    "no telemetry": [Tried(task="a", measured=False), Tried(task="b", measured=False)],
    "one trial": [Tried(task="a", ended="killed")],
}
PAGES: Final = ("", "tasks", "trials", "trial?trial=000000000001", "live", "pipeline")
_FIRST: Final = '[data-testid="stMain"] h3'
_ALERT: Final = '[data-testid="stMain"] [data-testid="stAlert"]'
_WAIT_MS: Final = 120_000
Spoil = Callable[[Path], object]


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """A sweep whose store nobody serves just now."""
    made = folder_with(tmp_path / "data", TRIALS)
    stop_servers(made.root)
    return made


def missing(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_bytes(b"")


def spoilt(file: Path) -> None:
    file.write_bytes(b"not a database " * 1000)


def newer(file: Path) -> None:
    """Say in the file that a version of the future wrote it."""
    with open_database(file) as database:
        database.run("UPDATE store_format SET number = 999")


def older(file: Path) -> None:
    """A store as the version before made it, that has read nothing yet."""
    file.unlink()
    *known, _newest = catalogue("migrations").values()
    with duckdb.connect(file, config={"storage_compatibility_version": "latest"}) as connection:
        old = Database(connection, file)
        for number, migration in enumerate(known, start=1):
            old.run(migration.sql)
            old.run(loading("set_format").fill({"number": number}))


@pytest.mark.parametrize(
    "spoil",
    [missing, empty, older],
    ids=["missing", "empty", "older"],
)
def test_what_the_journal_tells_is_shown(
    folder: DataFolder, chromium: Browser, spoil: Spoil
) -> None:
    spoil(folder.store_file)
    with explorer(folder.root) as started, tab(chromium, started.address) as shown:
        shown.open("trials")
        assert shown.problems() == []
        assert "died for memory" in shown.page.inner_text(_FIRST)


@pytest.mark.parametrize(
    ("spoil", "words", "remedy"),
    [
        (spoilt, "no store", "rebuil"),
        (newer, "newer version", "delete the file"),
    ],
    ids=["spoilt", "newer"],
)
def test_what_cannot_be_read_is_one_sentence_with_what_to_do(
    folder: DataFolder, chromium: Browser, spoil: Spoil, words: str, remedy: str
) -> None:
    spoil(folder.store_file)
    with explorer(folder.root) as started, tab(chromium, started.address) as shown:
        for page in ("", "trials"):
            shown.page.goto(f"{started.address}/{page}")
            shown.page.wait_for_selector(_ALERT, timeout=_WAIT_MS)
            told = shown.page.locator(_ALERT).all_inner_texts()
            assert len(told) == 1, told
            assert words in told[0]
            assert remedy in told[0]
            assert "bug of ours" not in told[0]
            assert shown.complaints == []
            assert shown.page.locator('[data-testid="stException"]').count() == 0


@pytest.mark.parametrize("trials", ODD_SWEEPS.values(), ids=ODD_SWEEPS.keys())
def test_every_page_opens_over_an_odd_sweep(
    tmp_path: Path, chromium: Browser, trials: list[Tried]
) -> None:
    made = folder_with(tmp_path / "data", trials)
    with explorer(made.root) as started, tab(chromium, started.address) as shown:
        for page in PAGES:
            shown.page.goto(f"{started.address}/{page}")
            shown.page.wait_for_selector(_FIRST, timeout=_WAIT_MS)
            shown.page.wait_for_timeout(1200)
            assert shown.problems() == [], page
            assert shown.clipped() == [], page
