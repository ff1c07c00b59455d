"""Following live: what it costs to be up to date, and how late a row is.

Trials run, a sample a second of each, in a process of their own (``bench.synthetic.live``); the
shipper copies their journal, and a server follows the topic, with verdicts and sparks, as
``barograph serve`` does. In turns: nobody asks it anything, and its CPU time and the shipper's
are taken; then markers (``bench.marking``) give the time from an event to a row that a client
gets. The markers go the same way: journal, shipper, topic, server.
"""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from barograph.shipping.keeping import share, shipped, shipping_of
from bench import results_file
from bench.feeding import Feeding, p50, p95, quantile, rss_mb
from bench.marking import Markers
from bench.shared_log.topic import cpu_s
from store.serving.client import Served, connect
from tests.services.kafka import Kafka

_SETTLED_S: Final = 20.0


@dataclass(slots=True)
class _Turns:
    """What the turns gave."""

    waits_s: list[float] = field(default_factory=list[float])
    server: list[float] = field(default_factory=list[float])
    """Cores."""
    shipper: list[float] = field(default_factory=list[float])
    samples_per_s: list[float] = field(default_factory=list[float])


@contextmanager
def following(folder: DataFolder) -> Generator[Served]:
    """A client of a server of the folder that follows its log; both end with the block."""
    command = [sys.executable, "-m", "ui.cli", "serve", "--dir", str(folder.root), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline(), "it does not serve"
            with connect(folder) as served:
                yield served
        finally:
            server.terminate()


def report(kafka: Kafka, root: Path, rate: int, seconds: int, turns: int) -> str:
    """Measure, write and return it."""
    folder = DataFolder.create(root / "data")
    share(folder, kafka.url)
    found = _Turns()
    feeding = Feeding(folder, trials=rate)
    with feeding, shipped(folder):
        _wait_until_begun(folder)
        with following(folder) as served:
            time.sleep(_SETTLED_S)
            markers = Markers(folder, served)
            for _ in range(turns):
                _quiet(folder, served, seconds, found)
                found.waits_s += markers.waits_s(seconds)
            server_mb = rss_mb(served.status().pid)
            markers.close()
    details = {
        "samples/s asked for": rate,
        "samples/s in the tables, each turn": _listed(found.samples_per_s, 0),
        "samples that were fed": feeding.samples,
        "latest tick of the feeder, s": feeding.latest_tick_s,
        "cores of the server, each turn": _listed(found.server, 3) + " (asked: <= 0.1)",
        "cores of the shipper, each turn": _listed(found.shipper, 3),
        "MB of the server at the end": round(server_mb),
        "load of the machine at the end": round(os.getloadavg()[0], 2),
    }
    waits = found.waits_s
    row = {
        "what": "event to row",
        "n": len(waits),
        "ms, p50": round(1000 * p50(waits)),
        "ms, p95": round(1000 * p95(waits)),
        "ms, p99": round(1000 * quantile(waits, 0.99)),
        "ms, most": round(1000 * max(waits)),
        "asked": "<= 1500 ms at p99",
    }
    return results_file.write("shared_log_live", "bench.shared_log", [row], details)


def _quiet(folder: DataFolder, served: Served, seconds: int, found: _Turns) -> None:
    """Leave the server alone for so long, and see what it used."""
    server, shipper = served.status().pid, _shipper(folder)
    samples = served.reader().counts().samples
    before, shipped_before, began_s = cpu_s(server), cpu_s(shipper), time.monotonic()
    time.sleep(seconds)
    took_s = time.monotonic() - began_s
    found.server.append((cpu_s(server) - before) / took_s)
    found.shipper.append((cpu_s(shipper) - shipped_before) / took_s)
    found.samples_per_s.append((served.reader().counts().samples - samples) / took_s)


def _wait_until_begun(folder: DataFolder) -> None:
    until_s = time.monotonic() + 60
    while (now := shipping_of(folder)) is None or now.complete_t_us is None:
        assert time.monotonic() < until_s, "nothing is shipped"
        time.sleep(0.1)


def _shipper(folder: DataFolder) -> int:
    found = shipping_of(folder)
    assert found is not None
    assert found.pid is not None
    return found.pid


def _listed(values: Sequence[float], digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)
