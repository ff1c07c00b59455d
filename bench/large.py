"""The large sweep: 50,000 trials and 36 million samples, for every figure of the explorer.

``python -m bench.large``: writes it through the real log (``bench.synthetic``: every line is
``codec.encode``'s, every batch a ``JournalLog.append``), loads it with the real loader, and
keeps both as a data folder in ``${BAROGRAPH_CACHE:-~/.cache/barograph}/large-<digest>/``,
because that takes half an hour. The digest is of what decides the content, so another recipe
or a new metric makes another folder; what lies there is never changed. It needs some 11 GB
for the journal, 3 GB for the store, and as much again for a store while a bench writes to a
copy (``on_a_copy``). ``--scale 0.02`` makes the same with fewer tasks, in seconds.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.metrics import METRIC_NAMES
from bench import results_file
from bench.synthetic import runner
from bench.synthetic.collector import Collector
from bench.synthetic.plan import SEED, Size, tries
from store.database import open_database
from store.loader import Loader

RECIPE: Final = 2
"""Counted up when ``bench.synthetic`` comes to write something else."""
JOURNAL_BYTES: Final = 320
STORE_BYTES: Final = 100
_BUILT: Final = "built.json"

Figures = dict[str, float]


def cache() -> Path:
    """Where large things are kept between runs."""
    named = os.environ.get("BAROGRAPH_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "barograph"


def folder_of(size: Size) -> Path:
    """Where a sweep of this size is, or would be."""
    content = [RECIPE, SEED, astuple(size), METRIC_NAMES]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:10]
    return cache() / f"large-{digest}"


def ensure(scale: float = 1.0, *, jobs: int = 2) -> DataFolder:
    """The sweep, written and loaded where it is absent.

    Args:
        scale: part of the full size.
        jobs: processes that write at once.

    """
    size = Size.scaled(scale)
    root = folder_of(size)
    if not (root / _BUILT).exists():
        _require_room(size)
        part = root.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        figures = _write(part, size, jobs)
        figures |= _load(DataFolder.create(part))
        (part / _BUILT).write_text(json.dumps(figures))
        shutil.rmtree(root, ignore_errors=True)
        part.rename(root)
    return DataFolder.existing(root)


@contextmanager
def on_a_copy(scale: float = 1.0, *, journal: bool = True) -> Generator[DataFolder]:
    """The sweep in a folder that may be written to, gone after the block.

    Args:
        scale: part of the full size.
        journal: with its files, as links: nobody writes to another's file.

    """
    kept = ensure(scale)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=cache()) as name:
        copy = DataFolder.create(name)
        shutil.copyfile(kept.store_file, copy.store_file)
        for file in kept.journal.glob("*.jsonl") if journal else ():
            (copy.journal / file.name).hardlink_to(file)
        yield copy


def _require_room(size: Size) -> None:
    need = size.samples * (JOURNAL_BYTES + 2 * STORE_BYTES) + (1 << 30)
    cache().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache()).free
    print(f"{cache()}: needs {need / 1e9:.1f} GB, {free / 1e9:.1f} GB are free", file=sys.stderr)
    if need > free:
        sys.exit("no room for the large sweep: set BAROGRAPH_CACHE to a larger disk")


def _write(part: Path, size: Size, jobs: int) -> Figures:
    began = time.perf_counter()
    journal = part / "journal"
    journal.mkdir(parents=True)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        # The runners' file first: it takes longest.
        told = [pool.submit(_tell, journal, size)]
        told += [pool.submit(_collect, journal, size, host) for host in range(size.hosts)]
        each = [future.result() for future in told]
    events, samples, cpu = (sum(column) for column in zip(*each, strict=True))
    wall = time.perf_counter() - began
    written = sum(file.stat().st_size for file in journal.glob("*.jsonl"))
    with (journal / "xlarge000001.000000.jsonl").open("xb") as file:
        file.write(_broken())
    return {
        "trials": size.trials,
        "events": events,
        "samples": samples,
        "journal GB": written / 1e9,
        "bytes an event": written / events,
        "writing, events/s of CPU": events / cpu,
        "writing, events/s of wall": events / wall,
        "writing, wall s": wall,
    }


def _tell(journal: Path, size: Size) -> tuple[int, int, float]:
    began = time.process_time()
    log = JournalLog(journal, reserve_bytes=0)
    events = runner.tell(log, tries(size), size)
    log.close()
    return events, 0, time.process_time() - began


def _collect(journal: Path, size: Size, host: int) -> tuple[int, int, float]:
    began = time.process_time()
    log = JournalLog(journal, reserve_bytes=0)
    collector = Collector(log, host)
    collector.run([one for one in tries(size) if one.host == host])
    log.close()
    return collector.events, collector.samples, time.process_time() - began


def _broken() -> bytes:
    """Lines that are no events: what a stray program, a bad disk and a foreign writer leave."""
    good = b'{"v":1,"type":"phase.started","source":"xlarge000001","seq":%d,"t_us":1764000000000000'
    return b"".join(
        [
            b"Traceback (most recent call last):\n",
            b"\x00" * 512 + b"\n",
            good % 0 + b',"mono_us":5,"data":{"phase":7}}\n',
            good % 1 + b',"mono_us":-5,"data":{"phase":"agent"}}\n',
            b'{"v":1,"type":"sample","source":"xlarge000001","seq":2,"t_us":1,"mono_us":1,"data":3}\n',
        ]
    )


def _load(folder: DataFolder) -> Figures:
    began, cpu = time.perf_counter(), time.process_time()
    with open_database(folder.store_file) as database, Loader(database) as loader:
        report = loader.load(JournalLog(folder.journal))
        assert report.duplicates == 0
        database.run("CHECKPOINT")
    wall = time.perf_counter() - began
    return {
        "loading, events/s of CPU": report.events / (time.process_time() - cpu),
        "loading, events/s of wall": report.events / wall,
        "loading, wall s": wall,
        "loading, peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "dead letters": report.dead_letters,
        "store GB": folder.store_file.stat().st_size / 1e9,
    }


def main() -> None:
    """Make it, and write ``results/large``."""
    parser = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2, help="processes that write at once")
    options = parser.parse_args()
    folder = ensure(options.scale, jobs=options.jobs)
    print(folder.root)
    figures: Mapping[str, float] = json.loads((folder.root / _BUILT).read_text())
    rows = [
        {"what": what, "value": f"{value:,.0f}" if value > 99 else f"{value:.2f}"}
        for what, value in figures.items()
    ]
    details = {"scale": options.scale, "kept in": "${BAROGRAPH_CACHE:-~/.cache/barograph}"}
    name = "large" if options.scale == 1 else "large-part"
    print(results_file.write(name, "bench.large", rows, details))


if __name__ == "__main__":
    main()
