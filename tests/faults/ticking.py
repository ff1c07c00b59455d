"""A writer that ticks like a collector, as a process: ``python -m tests.faults.ticking``.

Every tenth of a second it writes its samples, every second something that is no sample, and has
the journal shipped meanwhile. Told to end (SIGTERM) it says how it went as one line of JSON:
ticks, the longest time between two of them, and samples that the disk had no room for.
"""

import argparse
import json
import random
import signal
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from barograph.clock import US_PER_S, SystemClock
from barograph.envelope import Belongs
from barograph.facts import PhaseStarted, Sample
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.shipping.keeping import shipped
from barograph.writer import Said, Writer

TICK_S: Final = 0.1
_TARGETS: Final = 10
_PHASE_EVERY: Final = 10
_SEGMENT_BYTES: Final = 1 << 20


class _Clock:
    """The system's, which somebody may set back."""

    def __init__(self) -> None:
        self.back_us = 0
        self._system = SystemClock()

    def wall_us(self) -> int:
        return self._system.wall_us() - self.back_us

    def mono_us(self) -> int:
        return self._system.mono_us()


def _samples(tick: int, count: int) -> list[Said]:
    return [
        Said(
            Sample(usage_bytes=tick * 4096 + n, peak_bytes=(tick * 7919 + n) % 1_000_003),
            Belongs(sweep="s", trial="t", try_no=1, target=f"t-{n % _TARGETS}"),
        )
        for n in range(count)
    ]


def main() -> None:
    """Tick until told to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True, type=Path)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--phase-bytes", type=int, default=0)
    parser.add_argument("--back-after-ticks", type=int)
    parser.add_argument("--alone", action="store_true", help="somebody else ships")
    asked = parser.parse_args()
    folder = DataFolder.create(asked.dir)
    log = JournalLog(folder.journal, segment_bytes=_SEGMENT_BYTES)
    clock = _Clock()
    writer = Writer(log, source=new_source("c"), clock=clock)
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: over.set())
    with nullcontext() if asked.alone else shipped(folder):
        print("ticking", flush=True)  # noqa: T201 - whoever started it waits for this
        began_s = last_s = time.monotonic()
        ticks, longest_s = 0, 0.0
        while not over.wait(max(0.0, began_s + ticks * TICK_S - time.monotonic())):
            said = _samples(ticks, round(asked.rate * TICK_S))
            if ticks % _PHASE_EVERY == 0:
                # Nothing that lz4 could make small.
                padding = random.randbytes(asked.phase_bytes // 2).hex()
                said.append(Said(PhaseStarted(phase="agent", extra={"padding": padding})))
            if ticks == asked.back_after_ticks:
                clock.back_us = 3600 * US_PER_S
            writer.write_many(said)
            ticks += 1
            longest_s = max(longest_s, time.monotonic() - last_s)
            last_s = time.monotonic()
    log.close()
    json.dump(
        {"ticks": ticks, "longest_s": longest_s, "dropped": writer.samples_dropped}, sys.stdout
    )


if __name__ == "__main__":
    main()
