"""How long each page's queries take on the large sweep, while 1,000 more trials run.

``python -m bench.pages``: on a copy of the large sweep (``bench.large``) to which a thousand
running trials were added for half a minute, every page's queries (``bench.asking``) are asked
in turns, in this process and in one connection with DuckDB's usual settings. Verdicts
and sparks are made first and timed too. A page's figure is the sum over its queries, as its reader
waits for it; caches of the explorer are left out of it. ``--explain NAME`` prints what
DuckDB did in a query instead.
"""

import argparse
import os
import statistics
import time
from typing import Final

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from bench import results_file
from bench.asking import PAGES, Timed, View, name_of, view_of
from bench.feeding import Feeding, p95
from bench.large import on_a_copy
from store.answers import Answers, Table
from store.database import Database, open_database
from store.judging import refresh
from store.loader import Loader
from store.sparks import Sparks

_ALLOWED_MS: Final = 300


class _Explained:
    """Prints the plan of one named query, with its times."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    def ask(self, sql: str) -> Table:
        if name_of(sql) == self._name:
            for row in self._database.ask(f"EXPLAIN ANALYZE {sql}").rows:
                print(row[-1])
        return self._database.ask(sql)


def run(folder: DataFolder, rounds: int, explain: str | None, feed_s: int) -> str | None:
    """Measure, and write ``results/pages``."""
    with Feeding(folder) as feeding:
        time.sleep(feed_s)
    with open_database(folder.store_file) as database:
        with Loader(database) as loader:
            loader.load(JournalLog(folder.journal))
        began = time.perf_counter()
        refresh(database, judging_policy(policy_v1()), None)
        judged_s = time.perf_counter() - began
        sparked_s = _make_sparks(database)
        view = view_of(database)
        if explain is not None:
            for ask in PAGES.values():
                ask(_Explained(database, explain), view)
            return None
        rows = measured(database, view, rounds)
        ((tries,), (samples,)) = database.ask(
            "SELECT count(*) FROM judged_try UNION ALL SELECT count(*) FROM sample"
        ).rows
    details = {
        "judged tries": tries,
        "samples": samples,
        "rounds": rounds,
        "samples of the running trials": feeding.samples,
        "s to judge all": round(judged_s, 2),
        "s to make all sparks": round(sparked_s, 2),
        "load of the machine at the end": round(os.getloadavg()[0], 2),
        "asked": f"each page's queries < {_ALLOWED_MS} ms",
    }
    return results_file.write("pages", "bench.pages", rows, details)


def _make_sparks(database: Database) -> float:
    """All of them; the seconds that it took."""
    began = time.perf_counter()
    sparks = Sparks(database)
    while sparks.step().more:
        pass
    return time.perf_counter() - began


def measured(answers: Answers, view: View, rounds: int) -> list[dict[str, object]]:
    """A row a page: its sum over queries, and its slowest query."""
    sums: dict[str, list[float]] = {page: [] for page in PAGES}
    timed = {page: Timed(answers) for page in PAGES}
    for _ in range(rounds):
        for page, ask in PAGES.items():
            asked = timed[page]
            before = sum(map(sum, asked.times_s.values()))
            ask(asked, view)
            sums[page].append(sum(map(sum, asked.times_s.values())) - before)
    rows: list[dict[str, object]] = []
    for page, times in sums.items():
        medians = {name: statistics.median(each) for name, each in timed[page].times_s.items()}
        slowest = max(medians, key=lambda name: medians[name])
        rows.append(
            {
                "page": page,
                "queries": len(medians),
                "ms, median": round(1000 * statistics.median(times), 1),
                "ms, p95": round(1000 * p95(times), 1),
                "slowest query": slowest,
                "its ms, median": round(1000 * medians[slowest], 1),
                "its ms, p95": round(1000 * p95(timed[page].times_s[slowest]), 1),
            }
        )
    return rows


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--feed-s", type=int, default=30)
    parser.add_argument("--explain", metavar="NAME")
    options = parser.parse_args()
    with on_a_copy(options.scale) as folder:
        print(run(folder, options.rounds, options.explain, options.feed_s) or "")


if __name__ == "__main__":
    main()
