"""No room under the journal, none under the store: what must be said is, nothing goes quietly."""

import time
from pathlib import Path

import pytest

from barograph.clock import SystemClock
from barograph.errors import ExitCode
from tests import needs
from tests.disks import fill, resize, small_disk
from tests.faults.traffic import Traffic, accounted, barograph
from tests.promised import Promised
from tests.services.kafka import Kafka

pytestmark = pytest.mark.slow


def test_under_the_journal(tmp_path: Path, noted: Promised) -> None:
    """While no broker answers the disk fills up; when one does, what it has makes room."""
    needs.need_root()
    with (
        small_disk(tmp_path / "disk", "48m") as disk,
        Kafka(tmp_path / "kafka") as broker,
    ):
        traffic = Traffic(disk / "data", broker.url)
        with traffic.flowing(rate=4000) as told:
            traffic.until(lambda now: now.complete_t_us is not None)
            broker.kill()
            filler = fill(disk)
            time.sleep(4)
            broker.start()
            back_t_us = SystemClock().wall_us()
            # Not that nothing waits: under traffic something nearly always does.
            traffic.until(lambda now: now.error is None and (now.complete_t_us or 0) > back_t_us)
            filler.unlink()
            time.sleep(2)
        found = accounted(traffic, noted, tmp_path / "store")
        dropped = int(str(told["dropped"]))
        assert dropped > 0
        rows = barograph("status", "--dir", tmp_path / "store")
        assert rows
        assert found.named == frozenset(), "what had no room never had a seq"


def test_under_the_store(tmp_path: Path, kafka: Kafka, noted: Promised) -> None:
    needs.need_root()
    traffic = Traffic(tmp_path / "data", f"{kafka.url}/store-on-a-full-disk")
    with small_disk(tmp_path / "disk", "64m") as disk:
        store = disk / "store"
        with traffic.flowing(rate=8000):
            barograph("load", "--log", traffic.url, "--dir", store)
            fill(disk)
            time.sleep(3)
            for _ in range(2):
                barograph("load", "--dir", store, code=ExitCode.ENVIRONMENT)
        resize(disk, "400m")
        accounted(traffic, noted, store)
