"""A broker that is away while trials run: nothing is lost, nothing doubled, nobody waits.

Trials run, a sample a second of each (``bench.synthetic.live``), with a shipper and a server that
follows the topic. The broker is killed after some seconds and started again ten minutes
later; the trials end a little after that. Then every (source, seq) that the journal has is
looked for in the tables, and the audit compares the topic with the tables.
"""

import os
import time
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.log.port import START
from barograph.shipping.keeping import share, shipped, shipping_of, wait_until_shipped
from bench import results_file
from bench.feeding import Feeding, rss_mb
from bench.shared_log.live import following
from store.intervals import count, minus
from store.serving.client import Served
from store.tallies import tally_log, tally_tables
from tests.services.kafka import Kafka

_FULL_S: Final = 600
_BEFORE_S: Final = 15.0
_AFTER_S: Final = 10.0
_LOOK_EVERY_S: Final = 5.0
_CAUGHT_UP_WITHIN_S: Final = 600.0


def report(kafka: Kafka, root: Path, rate: int, seconds: int) -> str:
    """Measure, write and return it."""
    folder = DataFolder.create(root / "data")
    share(folder, kafka.url)
    feeding = Feeding(folder, trials=rate)
    with shipped(folder):
        with feeding, following(folder) as served:
            time.sleep(_BEFORE_S)
            kafka.kill()
            away = _while_away(folder, served, seconds)
            began_s = time.monotonic()
            kafka.start()
            started_s = time.monotonic() - began_s
            _wait_until_shipped(folder)
            caught_up_s = time.monotonic() - began_s
            time.sleep(_AFTER_S)
        _wait_until_shipped(folder)
        with following(folder) as served:
            row, bad = _counted(folder, served)
    details = {
        "samples/s asked for": rate,
        "s without a broker": seconds,
        "samples that were fed": feeding.samples,
        "latest tick of the feeder, s": feeding.latest_tick_s,
        **away,
        "s from the broker's start until it answered": round(started_s, 1),
        "s from its start until all was acknowledged": round(caught_up_s, 1),
        "load of the machine at the end": round(os.getloadavg()[0], 2),
    }
    name = "shared_log_away" if seconds >= _FULL_S else "shared_log_away-part"
    said = results_file.write(name, "bench.shared_log", [row], details)
    assert not bad, said
    return said


def _wait_until_shipped(folder: DataFolder) -> None:
    """Whatever the shipper says meanwhile: it may not know yet that the broker is back."""
    until_s = time.monotonic() + _CAUGHT_UP_WITHIN_S
    while (left := wait_until_shipped(folder, within_s=_LOOK_EVERY_S)) is not None:
        assert time.monotonic() < until_s, left
        time.sleep(0.1)


def _while_away(folder: DataFolder, served: Served, seconds: int) -> dict[str, object]:
    """Look now and then at what waits, and whether questions are answered."""
    until_s = time.monotonic() + seconds
    most_mb, slowest_s, error = 0.0, 0.0, None
    while (left_s := until_s - time.monotonic()) > 0:
        time.sleep(min(_LOOK_EVERY_S, left_s))
        asked_s = time.monotonic()
        served.reader().counts()
        slowest_s = max(slowest_s, time.monotonic() - asked_s)
        now = shipping_of(folder)
        assert now is not None
        error = now.error or error
        if now.pid is not None:
            most_mb = max(most_mb, rss_mb(now.pid))
    found = shipping_of(folder)
    assert found is not None
    return {
        "what was said meanwhile": error,
        "MB that waited in the end": round(found.waiting_bytes / 1e6),
        "MB of the shipper at most": round(most_mb),
        "ms of the slowest answer of the server": round(1000 * slowest_s),
    }


def _counted(folder: DataFolder, served: Served) -> tuple[dict[str, object], int]:
    """Every identity of the journal, looked for in the tables; and how many are not right."""
    served.load()
    audited = served.audit()
    log = JournalLog(folder.journal)
    said = tally_log(log, _ends(log))
    held = tally_tables(served)
    runs = {source: (said.seqs.get(source, []), held.seqs.get(source, [])) for source in said.seqs}
    missing = sum(count(minus(ours, theirs)) for ours, theirs in runs.values())
    extra = sum(count(minus(theirs, ours)) for ours, theirs in runs.values())
    row: dict[str, object] = {
        "events in the journal": sum(count(ours) for ours, _ in runs.values()),
        "missing in the tables": missing,
        "doubled in the tables": len(held.doubled),
        "in the tables alone": extra + len(held.seqs.keys() - said.seqs.keys()),
        "faults of the audit": audited.faults,
        "sent twice and dropped": audited.repeated_in_log,
    }
    wrong = ("missing in the tables", "doubled in the tables", "in the tables alone")
    return row, audited.faults + sum(int(str(row[name])) for name in wrong)


def _ends(log: JournalLog) -> dict[str, int]:
    """Behind the last line of each file."""
    return {chunk.stream: chunk.end for chunk in log.read(START)}
