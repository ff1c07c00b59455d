"""What serving a store costs: lag beside readers, time a query, loading beside a query.

``python -m bench.serve``, on copies of the large sweep (``bench.large``):

- *following*: 1,000 trials run, a sample a second of each, in a process of their own.
  Markers (``bench.marking``) give the time from an event to a row that a client gets, by
  turns with nobody reading and with four page readers (``bench.readers``).
- *a query*: every named query of the pages is asked of an open database in this process and
  of an equal one that is served, in turns; the first is the limit of the second.
- *loading*: a server that begins with 2 GB of journal and no store, with nobody asking, and
  with one client that asks without a pause; the limit is the loader alone in this process.
"""

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from bench import results_file
from bench.asking import PAGES, Timed, view_of
from bench.feeding import Feeding, p50, p95, quantile, rss_mb
from bench.large import cache, ensure, on_a_copy
from bench.marking import Markers
from bench.readers import FOUR, Readers
from store.database import open_database
from store.judging import refresh
from store.loader import Loader
from store.serving.client import Served, connect

Row = dict[str, object]

_SOURCES: Final = "clarge*.{segment:06d}.jsonl"
_QUERY: Final = "SELECT count(*), max(t_us), max(usage_bytes) FROM sample"


def main() -> None:
    """Measure all, or the named parts."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seconds", type=int, default=40, help="of each turn of following")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=15, help="in which each query is asked")
    parser.add_argument("--segments", type=int, default=8, help="of each source, to be loaded")
    parser.add_argument("--think-s", type=float, default=1.0, help="of a reader, between pages")
    parser.add_argument("--parts", nargs="+", default=["following", "query", "loading"])
    options = parser.parse_args()
    ensure(options.scale)
    rows: list[Row] = []
    details: Row = {"readers": ", ".join(FOUR), "s between a reader's pages": options.think_s}
    if "following" in options.parts:
        rows += following(options.scale, options.seconds, options.turns, options.think_s, details)
    if "query" in options.parts:
        rows += queries(options.scale, options.rounds, details)
    if "loading" in options.parts:
        rows += loading(options.scale, options.segments)
    details["load of the machine at the end"] = round(os.getloadavg()[0], 2)
    name = "serve" if options.scale >= 1 and len(options.parts) == 3 else "serve-part"
    print(results_file.write(name, "bench.serve", rows, details))


def following(scale: float, seconds: int, turns: int, think_s: float, details: Row) -> list[Row]:
    """Lag without and with readers, by turns."""
    alone: list[float] = []
    beside: list[float] = []
    pages: dict[str, list[float]] = {page: [] for page in FOUR}
    with (
        on_a_copy(scale) as folder,
        Feeding(folder) as feeding,
        serving(folder) as served,
    ):
        markers = Markers(folder, served)
        markers.waits_s(5)
        for _ in range(turns):
            alone += markers.waits_s(seconds)
            with Readers(folder, think_s=think_s) as readers:
                beside += markers.waits_s(seconds)
            for page, times in readers.times_s.items():
                pages[page] += times
        details["MB of the server at the end"] = round(rss_mb(served.status().pid))
        markers.close()
    details["samples that were fed"] = feeding.samples
    details["latest tick of the feeder, s"] = feeding.latest_tick_s
    grown = f"{p95(beside) / p95(alone) - 1:+.0%} at p95"
    rows = [
        _row("event to row, nobody reads", alone, ""),
        _row("event to row, four readers", beside, f"{grown} (asked: <= +10%)"),
    ]
    return rows + [_row(f"a reader's page: {page}", times, "") for page, times in pages.items()]


def queries(scale: float, rounds: int, details: Row) -> list[Row]:
    """The same queries in this process and served, in turns."""
    with (
        on_a_copy(scale, journal=False) as ours,
        on_a_copy(scale, journal=False) as theirs,
        open_database(ours.store_file) as database,
        serving(theirs) as served,
    ):
        refresh(database, judging_policy(policy_v1()), None)
        view = view_of(database)
        local, remote = Timed(database), Timed(served)
        for ask in PAGES.values():
            ask(database, view)
            ask(served, view)
        for _ in range(rounds):
            for ask in PAGES.values():
                ask(local, view)
                ask(remote, view)
    added = {
        name: 1000 * (p95(remote.times_s[name]) - p95(times))
        for name, times in local.times_s.items()
    }
    both = [
        1000 * (theirs_s - ours_s)
        for name, times in local.times_s.items()
        for ours_s, theirs_s in zip(times, remote.times_s[name], strict=True)
    ]
    most = max(added, key=lambda name: added[name])
    details["queries compared"] = len(added)
    details["ms added to a query at its p95: median of the queries"] = round(
        p50(list(added.values())), 1
    )
    details["ms added to a query at its p95: most"] = f"{added[most]:.1f} ({most})"
    details["ms added, each pair: p50, p95"] = f"{p50(both):.1f}, {p95(both):.1f}"
    every_local = [each for times in local.times_s.values() for each in times]
    every_remote = [each for times in remote.times_s.values() for each in times]
    gap = 1000 * (p95(every_remote) - p95(every_local))
    return [
        _row("a query, in this process", every_local, "the limit"),
        _row("a query, served", every_remote, f"{gap:+.1f} ms at p95 (asked: < 15 ms)"),
    ]


def loading(scale: float, segments: int) -> list[Row]:
    """The rate at which a server loads, alone and beside a client."""
    with backlog(scale, segments) as folder:
        began = time.perf_counter()
        with open_database(folder.store_file) as database, Loader(database) as loader:
            samples = loader.load(JournalLog(folder.journal)).samples
            took = time.perf_counter() - began
    rows = [_rate("loading in this process", samples, took, "the limit")]
    with backlog(scale, segments) as folder:
        rows.append(_rate("loading, served", samples, _until_loaded(folder, samples), ""))
    with backlog(scale, segments) as folder:
        asked: list[float] = []
        over = threading.Event()
        client = threading.Thread(target=_ask_until, args=(folder, over, asked))
        client.start()

        def finish() -> None:
            over.set()
            client.join()

        took = _until_loaded(folder, samples, finish)
    note = f"{len(asked)} queries, p95 {1000 * p95(asked):.0f} ms (asked: >= 100,000 samples/s)"
    return [*rows, _rate("loading, served, beside a client", samples, took, note)]


@contextmanager
def backlog(scale: float, segments: int) -> Generator[DataFolder]:
    """A data folder with the beginning of the large sweep's journal and no store."""
    kept = ensure(scale)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=cache()) as name:
        folder = DataFolder.create(name)
        for segment in range(segments):
            for file in kept.journal.glob(_SOURCES.format(segment=segment)):
                (folder.journal / file.name).hardlink_to(file)
        yield folder


@contextmanager
def serving(folder: DataFolder) -> Generator[Served]:
    """A client of a server that has loaded and judged everything; both end with the block."""
    with connect(folder) as served:
        served.load()
        try:
            yield served
        finally:
            served.stop()


def _until_loaded(
    folder: DataFolder, samples: int, then: Callable[[], object] = lambda: None
) -> float:
    """Start a server; seconds from then until all is in the tables."""
    began = time.perf_counter()
    with connect(folder) as served:
        served.load()
        took = time.perf_counter() - began
        then()
        assert served.ask("SELECT count(*) FROM sample").rows == [(samples,)]
        served.stop()
    return took


def _ask_until(folder: DataFolder, over: threading.Event, asked: list[float]) -> None:
    with connect(folder) as served:
        while not over.is_set():
            began = time.perf_counter()
            served.ask(_QUERY)
            asked.append(time.perf_counter() - began)


def _row(what: str, times_s: Sequence[float], note: str) -> Row:
    return {
        "what": what,
        "n": len(times_s),
        "ms, p50": round(1000 * p50(times_s), 1),
        "ms, p95": round(1000 * p95(times_s), 1),
        "ms, p99": round(1000 * quantile(times_s, 0.99), 1),
        "samples/s": "",
        "note": note,
    }


def _rate(what: str, samples: int, took_s: float, note: str) -> Row:
    row = dict.fromkeys(("what", "n", "ms, p50", "ms, p95", "ms, p99"), "")
    return {**row, "what": what, "n": samples, "samples/s": round(samples / took_s), "note": note}


if __name__ == "__main__":
    main()
