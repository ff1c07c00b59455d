"""A journal that is written, shipped and read back, with every (source, seq) counted."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from barograph.codec import decode
from barograph.envelope import Belongs
from barograph.facts import PhaseStarted, Sample
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import SEGMENT_BYTES, JournalLog
from barograph.log.port import START, Log
from barograph.shipping.keeping import share, shipping_of
from barograph.writer import Said, Writer

Counted = dict[tuple[str, int], int]
BELONGS = Belongs(sweep="s", trial="t", try_no=1, target="t-1")


class Journal:
    """A data folder with writers of its own."""

    def __init__(
        self, root: Path, url: str, *, writers: int = 2, segment_bytes: int = SEGMENT_BYTES
    ) -> None:
        """Begin it, shipped to ``url``."""
        self.folder = DataFolder.create(root)
        share(self.folder, url)
        self.log = JournalLog(self.folder.journal, segment_bytes=segment_bytes)
        self._writers = [Writer(self.log, source=new_source("c")) for _ in range(writers)]

    def write(self, samples: int, *, size: int = 0) -> None:
        """So many samples by every writer, and a phase, which may be large."""
        for writer in self._writers:
            writer.write_many([Said(Sample(usage_bytes=n), BELONGS) for n in range(samples)])
            writer.write(PhaseStarted(phase="agent", extra={"padding": "x" * size}), BELONGS)

    def ship(self, *more: str) -> subprocess.Popen[str]:
        """A shipper of this folder, which ends soon after everything is acknowledged."""
        command = [sys.executable, "-m", "barograph.shipping", "--dir", str(self.folder.root)]
        return subprocess.Popen(
            [*command, "--linger-s", "0.3", *more], stderr=subprocess.PIPE, text=True
        )

    @contextmanager
    def staying(self) -> Generator[subprocess.Popen[str]]:
        """A shipper that has the folder and stays; killed at the end of the block."""
        with self.ship("--linger-s", "600") as shipper:
            try:
                deadline = time.monotonic() + 60
                while not self._is_shipped_by(shipper.pid):
                    assert time.monotonic() < deadline, "it does not begin"
                    time.sleep(0.02)
                yield shipper
            finally:
                shipper.kill()

    def _is_shipped_by(self, pid: int) -> bool:
        found = shipping_of(self.folder)
        return found is not None and found.pid == pid

    def ship_all(self) -> None:
        """Ship until everything is acknowledged."""
        with self.ship() as shipper:
            _, err = shipper.communicate(timeout=120)
            assert (shipper.returncode, err) == (0, "")

    @property
    def said(self) -> Counted:
        """Every identity in the journal, the shipper's own among them."""
        return counted(self.log)


def counted(log: Log) -> Counted:
    """Identity -> how often the log has it."""
    found: Counter[tuple[str, int]] = Counter()
    for chunk in log.read(START):
        for line in chunk.data.splitlines():
            event = decode(line)
            found[event.source, event.seq] += 1
    return dict(found)
