"""What is measured is moved by: a broker, a journal of full samples, and the real shipper."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from barograph.shipping.keeping import share
from bench.large import ensure
from tests.services.kafka import Kafka

ROOT: Final = Path(__file__).parents[2]
_TICKS_S: Final = os.sysconf("SC_CLK_TCK")
_SAMPLE: Final = b'{"v":1,"type":"sample",'
_SEQ: Final = re.compile(rb'"seq":\d+,')


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What something cost."""

    wall_s: float
    cpu_s: float
    rss_mb: float = 0.0
    others: float = 0.0
    """Cores that were busy with anything else meanwhile."""


@contextmanager
def broker(folder: Path) -> Generator[Kafka]:
    """One that is started in ``folder``, and killed at the end of the block."""
    with Kafka(folder) as kafka:
        yield kafka


def write_backlog(journal: Path, count: int, scale: float) -> None:
    """So many full samples of the large sweep's hosts (``bench.large``) as a journal.

    Their lines are as they were but for the seq: what stood between them is left out.
    """
    kept = ensure(scale).journal
    journal.mkdir()
    seqs: dict[str, int] = {}
    left = count
    for file in sorted(kept.glob("clarge*.jsonl"), key=lambda file: file.name.split(".")[::-1]):
        source = file.name.partition(".")[0]
        with file.open("rb") as lines, (journal / file.name).open("wb") as out:
            for line in lines:
                if left and line.startswith(_SAMPLE):
                    seq = seqs.get(source, 0)
                    out.write(_SEQ.sub(b'"seq":%d,' % seq, line, count=1))
                    seqs[source] = seq + 1
                    left -= 1
        if not left:
            return
    raise ValueError(f"the sweep has not so many samples: {left} are missing")


def linked(journal: Path, root: Path, url: str) -> DataFolder:
    """A data folder with the files of ``journal``, none of them shipped to ``url`` yet."""
    folder = DataFolder.create(root)
    for file in journal.glob("*.jsonl"):
        (folder.journal / file.name).hardlink_to(file)
    share(folder, url)
    return folder


def ship(folder: DataFolder, kafka: Kafka) -> Took:
    """The shipper, from the start of its process until it ended with nothing left to do."""
    command = [sys.executable, "-m", "barograph.shipping", "--dir", str(folder.root)]
    return run([*command, "--linger-s", "0"], kafka)[0]


def run(command: Sequence[str], kafka: Kafka) -> tuple[Took, str]:
    """A process of its own beside the broker, and what it printed."""
    before, broker_before = resource.getrusage(resource.RUSAGE_CHILDREN), cpu_s(kafka.pid)
    busy_before, began_s = _busy_s(), time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    wall_s = time.perf_counter() - began_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ours_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    known_s = ours_s + cpu_s(kafka.pid) - broker_before
    others = max(0.0, _busy_s() - busy_before - known_s) / wall_s
    return Took(wall_s=wall_s, cpu_s=ours_s, others=others), done.stdout


def cpu_s(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_S


def _busy_s() -> float:
    """CPU time of everything on the machine so far."""
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, irq, soft, stolen = map(int, fields[:8])
    return (user + nice + system + irq + soft + stolen) / _TICKS_S


def size_of(folder: Path, pattern: str) -> int:
    """Bytes of the files that match."""
    return sum(file.stat().st_size for file in folder.glob(pattern))


def without(folder: Path) -> None:
    """Remove what is no longer needed: a round leaves a gigabyte."""
    shutil.rmtree(folder, ignore_errors=True)
