"""Traffic through a real broker while something fails, and the count at the end.

``Traffic`` is a writer of its own process; ``accounted`` ships what it wrote, loads the topic
into a store elsewhere, and holds everything against everything: what the writers were promised,
what the topic has, what the tables have. Nothing may be missing without an event that names it,
and nothing may be in the tables twice.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.codec import CodecError, decode
from barograph.daemons import is_held
from barograph.facts import EventsRefused, SamplesThinned
from barograph.folder import DataFolder
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.reading import KafkaLog
from barograph.log.port import START
from barograph.shipping.bounds import Bounds
from barograph.shipping.keeping import Shipping, share, shipping_of, wait_until_shipped
from barograph.writer import inherited_descriptors
from runner.fields import as_mapping
from tests.campaigning import REPOSITORY
from tests.promised import Promised

WITHIN_S: Final = 120.0
LONGEST_TICK_S: Final = 2.0
"""A tick of 0.1 s that came so late would have waited for somebody."""

Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class OnTopic:
    """What a topic has."""

    pairs: frozenset[Pair]
    repeated: int
    """Lines that say again what was said."""
    named: frozenset[Pair]
    """Identities that an event says are not there."""


class Traffic:
    """A data folder that is shipped to a topic, with a writer in a process of its own."""

    def __init__(self, root: Path, url: str, *, bounds: Bounds | None = None) -> None:
        """Name the log; nothing is written yet."""
        self.folder = DataFolder.create(root)
        self.url = url
        share(self.folder, url, bounds)

    @contextmanager
    def flowing(self, *more: str, rate: int = 1000) -> Generator[dict[str, object]]:
        """Events all the time while the block runs; afterwards, that every tick was in time.

        Yields:
            What the writer told of itself, once the block is over.

        """
        told: dict[str, object] = {}
        arguments = ["--dir", str(self.folder.root), "--rate", str(rate), *more]
        with subprocess.Popen(
            [sys.executable, "-m", "tests.faults.ticking", *arguments],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=inherited_descriptors(),
        ) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "ticking\n"
                yield told
            except BaseException:
                process.kill()
                raise
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=WITHIN_S)
        assert process.returncode == 0
        told |= as_mapping(json.loads(out)) or {}
        assert float(str(told["longest_s"])) < LONGEST_TICK_S, told

    def until(self, wanted: Callable[[Shipping], bool], *, within_s: float = WITHIN_S) -> Shipping:
        """How shipping goes, as soon as it goes as wanted."""
        deadline = time.monotonic() + within_s
        while True:
            found = shipping_of(self.folder)
            if found is not None and wanted(found):
                return found
            assert time.monotonic() < deadline, found
            time.sleep(0.05)

    def ship_all(self) -> None:
        """Wait until everything is acknowledged, starting what is needed."""
        deadline = time.monotonic() + WITHIN_S
        while (left := wait_until_shipped(self.folder, within_s=WITHIN_S)) is not None:
            # It gives up at an error, and the last one may be of a broker that is back by now.
            assert time.monotonic() < deadline, left


def started(*words: object) -> subprocess.Popen[str]:
    """A command of the product, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli", *map(str, words)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=inherited_descriptors(),
    )


def barograph(*words: object, code: int = 0) -> dict[str, object]:
    """A command of the product, and its answer."""
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli", *map(str, words), "--json"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * WITHIN_S,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return as_mapping(json.loads(done.stdout or "{}")) or {}


def on_topic(url: str) -> OnTopic:
    """Read it from its beginning, without the loader."""
    log = KafkaLog(Brokers.of(url, os.environ))
    pairs: set[Pair] = set()
    named: set[Pair] = set()
    lines = 0
    for chunk in log.read(START):
        for line in chunk.data.splitlines():
            try:
                event = decode(line)
            except CodecError:
                continue  # a dead letter: the audit counts those
            lines += 1
            pairs.add((event.source, event.seq))
            if isinstance(event.payload, SamplesThinned | EventsRefused):
                for run in event.payload.ranges:
                    named |= {(run.source, seq) for seq in range(run.first, run.last + 1)}
    log.close()
    return OnTopic(frozenset(pairs), lines - len(pairs), frozenset(named))


def accounted(traffic: Traffic, noted: Promised, store: Path) -> OnTopic:
    """Everything that was promised is on the topic or named, and in the tables once.

    Args:
        traffic: ended.
        noted: what its writers and shippers were promised.
        store: a data folder for the tables, which loads the topic and nothing else.

    """
    traffic.ship_all()
    _end_daemons(traffic.folder)
    promised = noted.close()
    assert len(promised) == len(set(promised))
    found = on_topic(traffic.url)
    missing = [pair for pair in promised if pair not in found.pairs and pair not in found.named]
    assert missing == []
    barograph("load", "--log", traffic.url, "--dir", store)
    audit = barograph("verify", "--dir", store)
    log = as_mapping(audit["log"]) or {}
    assert audit["faults"] == 0, audit
    assert log["events_in_log"] == log["events_in_tables"] == len(found.pairs)
    assert log["waiting"] == 0
    return found


def _end_daemons(folder: DataFolder) -> None:
    """End the folder's shipper and collector: until then they may still be promised something."""
    for lock in (folder.ship_lock, folder.collector_lock):
        if is_held(lock):
            os.kill(int(lock.read_text()), signal.SIGTERM)
