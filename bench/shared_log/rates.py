"""Journal to Kafka to tables: rates of the real parts on a backlog, beside those of peers.

In turns, several times, each in a process of its own, and the broker beside them:

- *shipper*: ``barograph.shipping``, from the start of its process to its end, into a topic of
  its own: every record acknowledged by all replicas in sync (there is one). What a shipper
  takes that finds nothing to ship is measured too: its start and its end.
- *scan*: DuckDB alone reads the typed lines of the journal, every column of them, and keeps
  nothing: a bare typed ``read_ndjson``, which is the limit.
- *loader*: a new store is made, the topic loaded, and the store closed with its checkpoint.
- *confluent-kafka*, *quixstreams*: see ``bench.shared_log.peer``.

Start of the interpreter and imports are in none but the shipper's time. *others* is what ran
beside it on the machine, in cores, neither its process nor the broker: where that is much, two
cores were not there to be used, and the rate is another's.
"""

import json
import os
import resource
import statistics
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import duckdb

from barograph.folder import DataFolder
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from bench import results_file
from bench.loader import COLUMNS
from bench.shared_log import peers
from bench.shared_log.topic import Took, linked, run, ship, size_of, without
from store.database import Settings, open_database
from store.loader import Loader
from store.reader import Reader
from tests.services.kafka import Kafka

SCAN: Final = """
SELECT count(*), max(len(data)), max(COLUMNS(* EXCLUDE (data)))
FROM read_ndjson('{files}', columns = {columns})
"""
LOADERS: Final = {"loader": None, "loader, one DuckDB thread": 1}
SCANS: Final = {"scan, one thread": 1, "scan, two threads": 2}
PEERS: Final = {"confluent-kafka + json + Arrow": "confluent", "quixstreams": "quixstreams"}
_FULL: Final = 2_000_000
Times = dict[str, list[Took]]


class Rates:
    """The rounds of one run."""

    def __init__(self, kafka: Kafka, root: Path, count: int, peer_count: int) -> None:
        """Of the journal that is in ``root``."""
        self._kafka = kafka
        self._root = root
        self._count = count
        self._peer_count = peer_count
        self.times: Times = {}
        self.counts: dict[str, int] = {}
        self.sizes: dict[str, float] = {}

    def round(self, number: int) -> None:
        """Everything once."""
        url = f"{self._kafka.url}/round-{number}"
        folder = linked(self._root / "journal", self._root / f"round-{number}", url)
        self._note("shipper", self._count, ship(folder, self._kafka))
        self._note("shipper, nothing to ship", 0, ship(folder, self._kafka))
        for way in SCANS:
            self._note(way, self._count, self._measured(way, folder, url))
        for way in LOADERS:
            self._note(way, self._count, self._measured(way, folder, url))
        self.sizes = self._sizes(folder, f"round-{number}")
        for way, peer in PEERS.items():
            database = folder.root / "peer.duckdb"
            topic = f"round-{number}"
            done, took = peers.load(peer, self._kafka, topic, database, self._peer_count)
            self._note(way, done, took)
        without(folder.root)

    def _measured(self, way: str, folder: DataFolder, url: str) -> Took:
        """Do it once in a process of its own."""
        asked = ["--way", way, "--folder", str(folder.root), "--url", url]
        command = [sys.executable, "-m", "bench.shared_log", "rates", *asked]
        outer, out = run([*command, "--samples", str(self._count)], self._kafka)
        return replace(Took(**json.loads(out)), others=outer.others)

    def _note(self, way: str, count: int, took: Took) -> None:
        print(
            f"{way}: {took.wall_s:.2f} s, {took.cpu_s:.2f} s of CPU, others {took.others:.2f}",
            file=sys.stderr,
        )
        self.counts[way] = count
        self.times.setdefault(way, []).append(took)

    def _sizes(self, folder: DataFolder, topic: str) -> dict[str, float]:
        count = self._count
        return {
            "journal": size_of(folder.journal, "*.jsonl") / count,
            "topic": size_of(self._kafka.data, f"{topic}-*/*.log") / count,
            "table": folder.store_file.stat().st_size / count,
        }


def run_way(way: str, folder: DataFolder, url: str, count: int) -> None:
    """Do it once in this process, and print what it took."""
    folder.store_file.unlink(missing_ok=True)
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    if way in SCANS:
        files = folder.journal / "c*.jsonl"
        with duckdb.connect(config={"threads": SCANS[way]}) as connection:
            found = connection.execute(SCAN.format(files=files, columns=COLUMNS)).fetchone()
    else:
        settings = Settings(threads=LOADERS[way])
        log = KafkaLog(Brokers.of(url, {}))
        with open_database(folder.store_file, settings=settings) as database:
            with Loader(database) as loader:
                report = loader.load(log)
            found = (Reader(database).counts().samples, report.duplicates)
        log.close()
    took = Took(
        wall_s=time.perf_counter() - wall_s,
        cpu_s=time.process_time() - cpu_s,
        rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    )
    assert found is not None
    assert found[0] == count, found
    print(json.dumps(asdict(took)))


def report(rates: Rates, count: int) -> str:
    """Write and return it: medians, because the machine may be shared."""
    walls = {
        way: statistics.median(one.wall_s for one in times) for way, times in rates.times.items()
    }
    rows = [
        {
            "way": way,
            "samples/s": round(rates.counts[way] / walls[way]),
            "best": round(rates.counts[way] / min(one.wall_s for one in times)),
            "s": round(walls[way], 2),
            "CPU s a million": round(
                statistics.median(one.cpu_s for one in times) * 1e6 / (rates.counts[way] or 1e6), 2
            ),
            "MB": round(max(one.rss_mb for one in times)) or "",
            "others": round(statistics.median(one.others for one in times), 2),
        }
        for way, times in rates.times.items()
    ]
    rate = {way: rates.counts[way] / wall for way, wall in walls.items()}
    idle_s = walls["shipper, nothing to ship"]
    details = {
        "samples": count,
        "rounds": len(rates.times["loader"]),
        "shipper without its start and end, samples/s": round(count / (walls["shipper"] - idle_s)),
        "shipper, asked": ">= 200000 samples/s",
        "loader, asked": ">= 300000 samples/s",
        "loader against a scan with one thread": f"{rate['loader'] / rate['scan, one thread']:.2f}"
        " (asked: >= 0.35)",
        "loader against a scan with two": f"{rate['loader'] / rate['scan, two threads']:.2f}",
        **{
            f"loader against {peer}": f"{rate['loader'] / rate[peer]:.2f}"
            + (" (asked: >= 6)" if peer.startswith("confluent") else "")
            for peer in PEERS
        },
        "bytes a sample in the journal": f"{rates.sizes['journal']:.1f} (asked: <= 350)",
        "bytes a sample in the topic": f"{rates.sizes['topic']:.1f} (asked: <= 120)",
        "bytes a sample in the store": f"{rates.sizes['table']:.1f}",
        "load of the machine at the end": round(os.getloadavg()[0], 2),
    }
    name = "shared_log" if count >= _FULL else "shared_log-part"
    return results_file.write(name, "bench.shared_log", rows, details)
