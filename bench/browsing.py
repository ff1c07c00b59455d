"""An explorer with a real browser in front of it, and when its pages are complete.

A page is *painted* when Streamlit's script has ended, nothing is left over from the run
before, no placeholder stands where something will be, every chart has its drawing, and two
more frames were drawn after that. The script's state is watched inside of the page from its
first moment, so that a run that begins and ends between two looks is not missed.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from playwright.sync_api import Browser, Page, sync_playwright

from barograph.folder import DataFolder

CHROMIUM: Final = "/usr/bin/chromium"
WITHIN_MS: Final = 60_000
_BARE: Final = Path(__file__).with_name("bare_app.py")
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-precise-memory-info",
)
_WATCH: Final = """
window.runs = [];
const look = () => {
  const app = document.querySelector('[data-testid="stApp"]');
  const state = app && app.getAttribute('data-test-script-state');
  const last = window.runs.length ? window.runs[window.runs.length - 1][1] : null;
  if (state && state !== last) window.runs.push([performance.now(), state]);
};
new MutationObserver(look).observe(
  document, {subtree: true, childList: true, attributes: true,
             attributeFilter: ['data-test-script-state']});
window.missing = (since) => {
  const began = window.runs.find(([at, state]) => at >= since && state === 'running');
  const last = window.runs[window.runs.length - 1];
  if (!began) return 'no run has begun';
  if (last[1] !== 'notRunning' || last[0] < began[0]) return 'it runs: ' + last[1];
  const main = document.querySelector('[data-testid="stMain"]');
  if (!main) return 'nothing is there';
  if (document.querySelector('[data-testid="stSkeleton"]')) return 'a placeholder stands';
  if (document.querySelector('[data-stale="true"]')) return 'something is stale';
  const charts = [...main.querySelectorAll('[data-testid="stVegaLiteChart"]')];
  if (!charts.every((chart) => chart.querySelector('canvas, svg'))) return 'a chart is empty';
  return null;
};
window.painted = async (since, most) => {
  let missing;
  while ((missing = window.missing(since)) !== null) {
    if (performance.now() - since > most) throw new Error(missing);
    await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return performance.now() - since;
};
"""


class App:
    """A Streamlit app in a process of its own, on a free port."""

    def __init__(self, *arguments: str) -> None:
        """``python -m ARGUMENTS``, with the port for ``PORT``, when the block begins."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [word.replace("PORT", str(self.port)) for word in arguments]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of its one process."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Self:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", *self._command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):  # noqa: S310 - ours
                    return self
            except OSError:
                assert self._process.poll() is None, "the app did not start"
                assert time.monotonic() < deadline, "the app does not answer"
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        """End it."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(20)


def explorer_of(folder: DataFolder) -> App:
    """``barograph explore``."""
    where = ("--port", "PORT", "--dir", str(folder.root))
    return App("ui.cli", "explore", "--no-browser", *where)


def bare() -> App:
    """Streamlit with one figure and nothing else: the limit of every page."""
    settings = ("--server.port=PORT", "--server.headless=true", "--server.fileWatcherType=none")
    quiet = ("--server.address=127.0.0.1", "--browser.gatherUsageStats=false")
    return App("streamlit", "run", str(_BARE), *settings, *quiet)


@contextmanager
def browser() -> Generator[Browser]:
    """Chromium without a window."""
    with tempfile.TemporaryDirectory(prefix="bench-chromium-") as scratch, sync_playwright() as it:
        chromium = it.chromium.launch(
            executable_path=CHROMIUM, args=_FLAGS, env={**os.environ, "TMPDIR": scratch}
        )
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def tab(chromium: Browser, *, width: int = 1440) -> Generator[Page]:
    """A new viewer: nothing is in its cache."""
    context = chromium.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(WITHIN_MS)
    page = context.new_page()
    page.add_init_script(_WATCH)
    try:
        yield page
    finally:
        context.close()


def first_paint_s(page: Page, url: str) -> float:
    """Open an address; seconds from the start of the navigation to the whole page."""
    page.goto(url, wait_until="commit")
    return float(page.evaluate("(most) => window.painted(0, most)", WITHIN_MS)) / 1000


def paint_after_s(page: Page, since_ms: float) -> float:
    """Seconds from a moment of the page's clock until what was asked then is painted."""
    return float(page.evaluate(f"(since) => window.painted(since, {WITHIN_MS})", since_ms)) / 1000


def now_ms(page: Page) -> float:
    """The page's clock."""
    return float(page.evaluate("performance.now()"))


def errors_on(page: Page) -> int:
    """Boxes with an error that are to be seen: a fast page of errors is no figure."""
    boxes = ("stException", "stAlertContentError", "stDialog")
    return page.locator(", ".join(f'[data-testid="{box}"]' for box in boxes)).count()


def heap_mb(page: Page) -> float:
    """The page's JavaScript heap after a collection."""
    page.request_gc()
    return float(page.evaluate("performance.memory.usedJSHeapSize")) / 1e6
