"""A real browser for tests: what a person would see, and what the console would complain of.

Chromium comes from the system's packages and is driven by Playwright. A ``Tab`` goes to an
address, waits until the app has settled, and collects on the way what must not be there:
errors on the console, exceptions of the page, boxes of Streamlit's for exceptions.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.needs import need_chromium

CHROMIUM: Final = "/usr/bin/chromium"
WIDTHS: Final = (1440, 800)
THEMES: Final = ("light", "dark")
SETTLED_MS: Final = 60_000
_QUIET_MS: Final = 400
_FLAGS: Final = (
    "--headless",
    "--no-sandbox",  # as root; what is opened is our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Opened below its root, Streamlit looks for its server beside the page's address first, and
# Chromium reports the two 404s that tell it to look further up.
_LOOKED_FOR: Final = ("/_stcore/health", "/_stcore/host-config")


class Tab:
    """One page of the browser."""

    def __init__(self, page: Page, base: str) -> None:
        """Listen to what goes wrong in it."""
        self.page = page
        self._base = base
        self.complaints: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))

    def open(self, address: str = "") -> None:
        """Go to an address below the app's root, and wait until it has settled."""
        self.page.goto(f"{self._base}/{address}")
        self.settle()

    def settle(self) -> None:
        """Wait until no script runs and nothing is drawn any more."""
        self.page.wait_for_selector(
            '[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=SETTLED_MS
        )
        self.page.wait_for_selector('[data-testid="stMain"] h3', timeout=SETTLED_MS)
        self.page.wait_for_function(
            "!document.querySelector('[data-testid=\"stSkeleton\"]')", timeout=SETTLED_MS
        )
        self.page.wait_for_timeout(_QUIET_MS)

    @property
    def text(self) -> str:
        """What the page says."""
        return self.page.inner_text('[data-testid="stMain"]')

    def problems(self) -> list[str]:
        """Everything that must not be there."""
        boxes = self.page.locator('[data-testid="stException"]').all_inner_texts()
        errors = self.page.locator('[data-testid="stAlertContentError"]').all_inner_texts()
        return [*self.complaints, *boxes, *errors]

    def clipped(self) -> list[str]:
        """Figures that are wider than the place they stand in."""
        found: list[str] = self.page.evaluate(
            """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')]
              .filter(e => e.scrollWidth > e.clientWidth + 1)
              .map(e => `${e.scrollWidth} in ${e.clientWidth} px`)"""
        )
        return found

    def picture(self, file: Path) -> None:
        """The whole page as PNG."""
        width = (self.page.viewport_size or {"width": WIDTHS[0]})["width"]
        script = "document.querySelector('[data-testid=\"stMain\"]').scrollHeight"
        height = int(self.page.evaluate(script))
        self.page.set_viewport_size({"width": width, "height": min(max(900, height + 80), 6000)})
        self.page.wait_for_timeout(_QUIET_MS)
        file.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=file)
        self.page.set_viewport_size({"width": width, "height": 900})

    def _hear(self, message: ConsoleMessage) -> None:
        known = str(message.location.get("url", "")).endswith(_LOOKED_FOR)
        if message.type == "error" and not known:
            self.complaints.append(f"console: {message.text}")


@contextmanager
def browser() -> Generator[Browser]:
    """One Chromium, with a profile of its own that goes with it."""
    need_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS))
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def tab(
    chromium: Browser,
    base: str,
    *,
    width: int = WIDTHS[0],
    theme: str = "light",
    init_script: str | None = None,
    timezone_id: str | None = None,
) -> Generator[Tab]:
    """A fresh page that shares nothing with others, changed by a script before its own run."""
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
        timezone_id=timezone_id,
    )
    if init_script:
        context.add_init_script(init_script)
    try:
        yield Tab(context.new_page(), base)
    finally:
        context.close()
