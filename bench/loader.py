"""How fast a journal becomes tables, against DuckDB's own reading of the same bytes.

``python -m bench.loader``: writes full ``sample`` events (all 25 metrics but the two that a
shared network leaves null) through the codec into a journal, as one collector with 200
targets would. Then, on one core and with one DuckDB thread, in turns and several times:

- *scan*: DuckDB reads the typed lines and counts them; nothing is kept.
- *memory table*: it keeps them as they are in a table in memory.
- *file table*: the same in a file, committed and checkpointed.
- *loader*: a new store is made, the journal loaded (every line checked, duplicates and gaps
  looked for, positions noted, 25 typed columns, all in transactions), and closed.

Rates are by CPU time of the process, so that a neighbour on the machine does not count;
wall time stands beside them.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
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


def loader(journal: Path, path: Path, count: int) -> None:
    """What is measured."""
    with open_database(path, settings=Settings(threads=1)) as database:
        with Loader(database) as loading:
            loading.load(JournalLog(journal))
        assert Reader(database).counts().samples == count


def timed(call: Callable[[], None]) -> tuple[float, float]:
    """Seconds of CPU and of wall time."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - cpu, time.perf_counter() - wall


def measure(
    folder: Path, journal: Path, count: int, rounds: int
) -> dict[str, list[tuple[float, float]]]:
    """Each way in turn, ``rounds`` times."""
    fresh = (folder / f"{number}.duckdb" for number in range(1000))
    table = "CREATE TABLE peer AS SELECT * FROM LINES"
    ways: dict[str, Callable[[], None]] = {
        "scan": lambda: peer(journal, ":memory:", "SELECT count(*), max(len(data)) FROM LINES"),
        "memory table": lambda: peer(journal, ":memory:", table),
        "file table": lambda: peer(journal, str(next(fresh)), table),
        "loader": lambda: loader(journal, next(fresh), count),
    }
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(timed(way))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = folder / "journal"
        log = JournalLog(journal, reserve_bytes=0)
        for tick in samples(options.samples, random.Random(1)):
            log.append(tick)
        log.close()
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        found = measure(folder, journal, options.samples, options.rounds)
        size = sum(file.stat().st_size for file in journal.glob("*.jsonl"))
        stored = min(file.stat().st_size for file in folder.glob("*.duckdb"))
    print(report(found, options.samples, size, stored))


def report(found: dict[str, list[tuple[float, float]]], count: int, size: int, stored: int) -> str:
    """Write and return it. Medians, because the machine may be shared."""
    cpu = {name: statistics.median(one for one, _ in times) for name, times in found.items()}
    rows = [
        {
            "way": name,
            "samples/s of CPU": round(count / cpu[name]),
            "best": round(count / min(one for one, _ in times)),
            "samples/s of wall": round(count / statistics.median(wall for _, wall in times)),
            "loader against it": round(cpu[name] / cpu["loader"], 2),
        }
        for name, times in found.items()
    ]
    details = {
        "samples": count,
        "rounds": len(found["loader"]),
        "bytes a sample in the journal": round(size / count, 1),
        "bytes a sample in the smallest of the files": round(stored / count, 1),
        "load of the machine at the end": round(os.getloadavg()[0], 2),
        "asked": "loader >= 300000 samples/s on one core, >= 0.5 of a bare typed read_ndjson",
    }
    return results_file.write("loader", "bench.loader", rows, details)


if __name__ == "__main__":
    main()
