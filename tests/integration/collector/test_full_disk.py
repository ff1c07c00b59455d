"""A disk that fills up while the collector works: it ticks on, kills are still written."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.facts import Sample, SamplesThinned, SandboxDestroyed
from barograph.log.reserve import RESERVE_BYTES
from tests.cells import MIB, cell, eat, need_memory_cgroup
from tests.integration.collector.watching import Watching, until, watching
from tests.needs import need_root

CEILING = 24 * MIB


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Eight MiB, half of which the journal reserves."""
    need_root()
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """Use up every byte that is left."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


def ticks(watcher: Watching) -> int:
    return watcher.client.status().ticks


def test_a_full_disk_costs_samples_only(small_disk: Path) -> None:
    need_memory_cgroup()
    data = small_disk / "data"
    with watching(data, interval_s=0.1) as watcher, cell(limit_bytes=CEILING) as target:
        watcher.watch("t", target)
        until(lambda: bool(watcher.payloads(Sample, "t")), "no sample was written")
        ballast = fill(small_disk)
        before = ticks(watcher)
        time.sleep(4)
        assert ticks(watcher) >= before + 20
        reserve = (watcher.folder.journal / ".reserve").stat().st_size
        assert reserve >= RESERVE_BYTES - (64 << 10)  # samples do not live on it
        pid = target.run(eat(200 * MIB))[0]
        until(lambda: watcher.victims("t") == [pid], "the kill was not written")
        ballast.unlink()
        written = len(watcher.payloads(Sample, "t"))
        until(lambda: len(watcher.payloads(Sample, "t")) > written, "samples do not come back")
        final = watcher.client.finish("t")
        assert final["oom_kill_total"] == 1
        [end] = watcher.payloads(SandboxDestroyed, "t")
        assert end.oom_kill_total == 1
        assert sum(fact.dropped or 0 for fact in watcher.payloads(SamplesThinned)) >= 20
        watcher.check_sequences()
