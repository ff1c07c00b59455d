"""The explorer in a real browser: paint, interaction, memory, and ten minutes of Live.

``python -m bench.explorer``, with Chromium at 1440 pixels, on copies of the large sweep
(``bench.large``):

- *paint*: each page is opened by a viewer whose browser knows nothing yet, and opened again by
  the same viewer, several times, in turns; from the start of the navigation until all of it is
  drawn (``bench.browsing``). The limit of both is Streamlit with one figure and nothing else.
- *interaction*: one viewer goes from page to page, filters, sorts and switches; from the input
  until what it asked for is drawn.
- *live*: 1,000 trials run, a sample a second of each, in a process of their own; one viewer
  looks at Live for ``--minutes``. Refreshes, the memory of explorer, server and page, and the
  time from a kill's event to its name on the screen.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Final

from playwright.sync_api import Browser, Page

from barograph.envelope import Belongs
from barograph.facts import OomKill
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.writer import Writer
from bench import results_file
from bench.asking import view_of
from bench.browsing import (
    bare,
    browser,
    errors_on,
    explorer_of,
    first_paint_s,
    heap_mb,
    now_ms,
    paint_after_s,
    tab,
)
from bench.feeding import Feeding, p50, p95, rss_mb
from bench.large import on_a_copy
from bench.synthetic.plan import SWEEP
from store.serving.client import connect

Row = dict[str, object]

PAGES: Final = ("overview", "tasks", "trials", "trial", "live", "pipeline")
_LOOK_S: Final = 10.0
_KILL_EVERY_S: Final = 5.0


def main() -> None:
    """Measure all, or the named parts."""
    parser = argparse.ArgumentParser(prog="python -m bench.explorer", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10.0, help="of the page Live")
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES)
    parser.add_argument("--parts", nargs="+", default=["paint", "live"])
    options = parser.parse_args()
    rows: list[Row] = []
    details: Row = {}
    if "paint" in options.parts:
        with on_a_copy(options.scale) as folder:
            rows += painting(folder, options.pages, options.rounds, details)
    if "live" in options.parts:
        with on_a_copy(options.scale) as folder, Feeding(folder) as feeding:
            rows += watching(folder, options.minutes, details)
        details["samples that were fed"] = feeding.samples
        details["latest tick of the feeder, s"] = feeding.latest_tick_s
    details["load of the machine at the end"] = round(os.getloadavg()[0], 2)
    whole = options.scale >= 1 and len(options.parts) == 2
    name = "explorer" if whole else "explorer-part"
    print(results_file.write(name, "bench.explorer", rows, details))


def painting(folder: DataFolder, pages: Sequence[str], rounds: int, details: Row) -> list[Row]:
    """First paints of every page, then interactions, then how much memory that took."""
    with connect(folder) as served:
        served.load()
        trial = view_of(served).trial
        # The first page is the app's own address; there is no other for it.
        urls = {page: f"/{page}" for page in pages} | {"overview": "/"}
        urls["trial"] = f"/trial?trial={trial}"
        paints: dict[str, list[float]] = {page: [] for page in pages}
        again: dict[str, list[float]] = {page: [] for page in pages}
        with explorer_of(folder) as explorer, browser() as chromium:
            limits = _limits(chromium, rounds)
            for number in range(rounds + 1):
                for page in pages:
                    with tab(chromium) as view:
                        took = first_paint_s(view, explorer.url + urls[page])
                        assert not errors_on(view), page
                        if number:
                            paints[page].append(took)
                            again[page].append(first_paint_s(view, explorer.url + urls[page]))
                    if number == 0:
                        details[f"the first paint of {page} since the start, s"] = round(took, 2)
            with tab(chromium) as view:
                acted = interactions(view, explorer.url, rounds)
            details["explorer after that, MB"] = round(rss_mb(explorer.pid))
        details["server after that, MB"] = round(rss_mb(served.status().pid))
        served.stop()
    rows = limits
    rows += [
        _row(f"first paint: {page}", times, "asked: < 1.5 s") for page, times in paints.items()
    ]
    rows += [_row(f"opened again: {page}", times, "") for page, times in again.items()]
    rows += [_row(f"interaction: {what}", times, "") for what, times in acted.items()]
    every = [each for times in acted.values() for each in times]
    return [*rows, _row("interaction: all", every, "asked: p95 < 1 s")]


def _limits(chromium: Browser, rounds: int) -> list[Row]:
    """What nothing but Streamlit takes."""
    first: list[float] = []
    again: list[float] = []
    with bare() as app:
        for number in range(rounds + 1):
            with tab(chromium) as view:
                took = first_paint_s(view, app.url)
                if number:
                    first.append(took)
                    again.append(first_paint_s(view, app.url))
    return [
        _row("first paint: Streamlit with one figure", first, "the limit"),
        _row("opened again: Streamlit with one figure", again, "the limit"),
    ]


def interactions(page: Page, url: str, rounds: int) -> dict[str, list[float]]:
    """What one viewer does, again and again."""
    times: dict[str, list[float]] = {}
    first_paint_s(page, url)

    def act(what: str, action: Callable[[], object]) -> None:
        since = now_ms(page)
        action()
        times.setdefault(what, []).append(paint_after_s(page, since))

    def go(title: str) -> Callable[[], object]:
        return page.locator('[data-testid="stTopNavLink"]', has_text=title).first.click

    search = page.get_by_label("Task, trial, victim or command")
    for number in range(rounds):
        act("to Trials", go("Trials"))
        search.fill(("sort", "java", "join-0", "diff", "crawl")[number % 5])
        act("filter trials by a word", lambda: search.press("Enter"))
        search.fill("")
        act("take the filter away", lambda: search.press("Enter"))
        act("to Pipeline", go("Pipeline"))
        act("to Overview", go("Overview"))
        other = page.get_by_role("radio", name="these", checked=False).first
        if other.count():
            act("intervals for other tasks", other.click)
    return times


def watching(folder: DataFolder, minutes: float, details: Row) -> list[Row]:
    """One viewer of Live; what grew, and how late a kill was on the screen."""
    looks: list[tuple[float, float, float]] = []
    shown: list[float] = []
    with (
        connect(folder) as served,
        explorer_of(folder) as explorer,
        browser() as chromium,
        tab(chromium) as page,
        closing(JournalLog(folder.journal)) as log,
    ):
        served.load()
        server = served.status().pid
        first_paint_s(page, f"{explorer.url}/live")
        time.sleep(10)
        began = time.monotonic()
        since = now_ms(page)
        killer = Writer(log, source=new_source("m"))
        while time.monotonic() < began + 60 * minutes:
            until = time.monotonic() + _LOOK_S
            while time.monotonic() < until:
                shown.append(_kill_on_screen_s(page, killer, len(shown)))
                time.sleep(max(0.0, min(_KILL_EVERY_S, until - time.monotonic())))
            looks.append((rss_mb(explorer.pid), rss_mb(server), heap_mb(page)))
        assert not errors_on(page)
        runs = page.evaluate("(since) => window.runs.filter(([at]) => at >= since)", since)
        details["lag of the server at the end, s"] = served.status().lag_s
        rows = [
            *_refreshes(runs),
            _row("from a kill's event to its name on the screen", shown, "asked: <= 2 s"),
        ]
        served.stop()
    return rows + _grown(looks)


def _kill_on_screen_s(page: Page, killer: Writer, number: int) -> float:
    name = f"victim{number}x"
    kill = OomKill(ordinal=1, counter_before=0, counter_after=1, victim_comm=name)
    killer.write(kill, Belongs(sweep=SWEEP, trial=f"marker{number}", try_no=1, target=name))
    began = time.monotonic()
    page.wait_for_function(f"document.body.innerText.includes('{name}')", polling=20)
    return time.monotonic() - began


def _refreshes(runs: Sequence[tuple[float, str]]) -> list[Row]:
    """How long each run of the page's script was to be seen, and how far apart they began."""
    began = [at for at, state in runs if state == "running"]
    lengths = [
        (done[0] - start[0]) / 1000 for start, done in pairwise(runs) if start[1] == "running"
    ]
    apart = [(later - one) / 1000 for one, later in pairwise(began)]
    return [
        _row("live: a refresh", lengths, "asked: <= 1 s"),
        _row("live: from one refresh to the next", apart, ""),
    ]


def _grown(looks: Sequence[tuple[float, float, float]]) -> list[Row]:
    """Medians of the first and the last third after the first minute or so."""
    third = max(1, len(looks) // 3)
    rows: list[Row] = []
    asked = ("asked: < 600 MB, no growth", "asked: no growth", "asked: no growth")
    names = ("explorer, MB", "server, MB", "page's heap, MB")
    for name, note, column in zip(names, asked, zip(*looks, strict=True), strict=True):
        first, last = statistics.median(column[:third]), statistics.median(column[-third:])
        told = f"first third {first:.0f}, last third {last:.0f}; {note}"
        rows.append(
            {**_row(name, column, told), "p50": round(p50(column)), "p95": round(p95(column))}
        )
    return rows


def _row(what: str, values: Sequence[float], note: str) -> Row:
    return {
        "what": what,
        "n": len(values),
        "p50": round(p50(values), 3),
        "p95": round(p95(values), 3),
        "most": round(max(values), 3),
        "note": note,
    }


if __name__ == "__main__":
    main()
