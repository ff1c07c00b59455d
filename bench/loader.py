"""How fast a journal becomes tables, against DuckDB's own reading of the same bytes.

``python -m bench.loader``: writes full ``sample`` events (all 25 metrics but the two that a
shared network leaves null) through the codec into a journal, as one collector with 200
targets would. Then, with one DuckDB thread unless said otherwise, in turns and
several times, each in a process of its own that is held to one core:

- *scan*: DuckDB reads the typed lines and counts them; nothing is kept.
- *memory table*: it keeps them as they are in a table in memory.
- *file table*: the same in a file, committed and checkpointed.
- *loader, one core*: a new store is made, the journal loaded (every line checked, duplicates
  and gaps looked for, positions noted, 33 typed columns, all in transactions), and closed.
- *loader, two cores*: the same with leave to use both: lines are sorted while DuckDB works.
- *loader, two threads*: DuckDB too may use both, as it does for commands.

Rates are by CPU time of the process, so that a neighbour on the machine counts little; wall
time stands beside them.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import duckdb

from barograph.envelope import Belongs, Event
from barograph.facts import Sample
from barograph.log.journal import JournalLog
from bench import results_file
from store.database import Settings, open_database
from store.loader import Loader
from store.reader import Reader

TARGETS: Final = 200
GIB: Final = 1 << 30
COLUMNS: Final = (
    "{v: 'BIGINT', type: 'VARCHAR', source: 'VARCHAR', seq: 'BIGINT', t_us: 'BIGINT', "
    "mono_us: 'BIGINT', sweep: 'VARCHAR', trial: 'VARCHAR', try: 'BIGINT', "
    "target: 'VARCHAR', data: 'BIGINT[]'}"
)
WAYS: Final = (
    "scan",
    "memory table",
    "file table",
    "loader, one core",
    "loader, two cores",
    "loader, two threads",
)
STORED: Final = {"storage_compatibility_version": "latest"}


def samples(count: int, dice: random.Random) -> Iterator[list[Event]]:
    """Ticks of a collector, a second apart."""
    trials = [f"{dice.getrandbits(48):012x}" for _ in range(TARGETS)]
    started_us = 1_764_000_000_000_000
    for tick in range(0, count, TARGETS):
        now_us = started_us + tick * 1_000_000 // TARGETS
        yield [
            Event(
                source="cbenchmark01",
                seq=tick + number,
                t_us=now_us + 37 * number,
                mono_us=now_us - started_us + 37 * number,
                belongs=Belongs(sweep="sbenchmark", trial=trial, try_no=1, target=f"{trial}-1"),
                payload=reading(dice),
            )
            for number, trial in enumerate(trials[: count - tick])
        ]


def reading(dice: random.Random) -> Sample:
    """A target that works: no number is round."""
    usage = dice.randrange(20 << 20, 2 * GIB)
    return Sample(
        interval_us=1_000_000 + dice.randrange(-300, 300),
        usage_bytes=usage,
        working_set_bytes=usage - dice.randrange(4 << 20),
        anon_bytes=usage - dice.randrange(4 << 20, 16 << 20),
        peak_bytes=usage + dice.randrange(9 << 20),
        peak_kind=0,
        limit_bytes=2 * GIB,
        oom_delta=0,
        oom_kill_delta=0,
        psi_memory_some_us=dice.randrange(9_000),
        psi_memory_full_us=dice.randrange(900),
        psi_cpu_some_us=dice.randrange(90_000),
        psi_cpu_full_us=0,
        psi_io_some_us=dice.randrange(900),
        psi_io_full_us=dice.randrange(90),
        cpu_usage_us=dice.randrange(1_000_000),
        cpu_periods=10,
        cpu_throttled_periods=dice.randrange(10),
        cpu_throttled_us=dice.randrange(90_000),
        pids=dice.randrange(1, 40),
        io_read_bytes=dice.randrange(9 << 20),
        io_write_bytes=dice.randrange(9 << 20),
        limit_hits=dice.randrange(3),
    )


def peer(journal: Path, database: str, statement: str) -> None:
    """DuckDB alone on the same bytes."""
    lines = f"read_ndjson('{journal}/*.jsonl', columns = {COLUMNS})"
    config = {} if database == ":memory:" else STORED
    with duckdb.connect(database, config={"threads": 1, **config}) as connection:
        connection.execute(statement.replace("LINES", lines))


def loader(journal: Path, path: Path, count: int, *, threads: int) -> None:
    """What is measured."""
    with open_database(path, settings=Settings(threads=threads)) as database:
        with Loader(database) as loading:
            loading.load(JournalLog(journal))
        assert Reader(database).counts().samples == count


def run_way(way: str, folder: Path, count: int) -> None:
    """Do it once in this process, and print the seconds of CPU and of wall time."""
    journal, path = folder / "journal", folder / f"{way.split(',', maxsplit=1)[0]}.duckdb"
    path.unlink(missing_ok=True)
    if not way.startswith("loader, two"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = "CREATE TABLE peer AS SELECT * FROM LINES"
    cpu, wall = time.process_time(), time.perf_counter()
    match way:
        case "scan":
            peer(journal, ":memory:", "SELECT count(*), max(len(data)) FROM LINES")
        case "memory table":
            peer(journal, ":memory:", table)
        case "file table":
            peer(journal, str(path), table)
        case _:
            loader(journal, path, count, threads=2 if way.endswith("threads") else 1)
    print(time.process_time() - cpu, time.perf_counter() - wall)


def measured(way: str, folder: Path, count: int) -> tuple[float, float]:
    """Do it once in a process of its own."""
    command = [sys.executable, "-m", "bench.loader", "--way", way, "--folder", str(folder)]
    done = subprocess.run(
        [*command, "--samples", str(count)], check=True, stdout=subprocess.PIPE, text=True
    )
    cpu, wall = map(float, done.stdout.split())
    return cpu, wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way is not None:
        run_way(options.way, options.folder, options.samples)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = JournalLog(folder / "journal", reserve_bytes=0)
        for tick in samples(options.samples, random.Random(1)):
            log.append(tick)
        log.close()
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
        for _ in range(options.rounds):
            for way in WAYS:
                found[way].append(measured(way, folder, options.samples))
        size = sum(file.stat().st_size for file in folder.glob("journal/*.jsonl"))
        stored = (folder / "loader.duckdb").stat().st_size
    print(report(found, options.samples, size, stored))


def report(found: dict[str, list[tuple[float, float]]], count: int, size: int, stored: int) -> str:
    """Write and return it. Medians, because the machine may be shared."""
    ours = statistics.median(cpu for cpu, _ in found["loader, one core"])
    rows = [
        {
            "way": way,
            "samples/s of CPU": round(count / statistics.median(cpu for cpu, _ in times)),
            "best": round(count / min(cpu for cpu, _ in times)),
            "samples/s of wall": round(count / statistics.median(wall for _, wall in times)),
            "loader on one core against it": round(
                statistics.median(cpu for cpu, _ in times) / ours, 2
            ),
        }
        for way, times in found.items()
    ]
    details = {
        "samples": count,
        "rounds": len(found["scan"]),
        "bytes a sample in the journal": round(size / count, 1),
        "bytes a sample in the store": round(stored / count, 1),
        "load of the machine at the end": round(os.getloadavg()[0], 2),
        "asked": "loader >= 300000 samples/s on one core, >= 0.5 of a bare typed read_ndjson",
    }
    return results_file.write("loader", "bench.loader", rows, details)


if __name__ == "__main__":
    main()
