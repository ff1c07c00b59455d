"""Runs in the guest: one writer that appends without end and tells what was acknowledged.

Each seq is printed after ``append`` returned for it, one a line. Batches are of one to forty
events, so that lines end anywhere in a block. Arguments: the journal's folder.
"""

import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from barograph.envelope import Belongs, Event
from barograph.facts import PhaseStarted
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.writer import Said, Writer

MEAN_PAUSE_S = 0.05
LARGE_SHARE = 0.1
LARGE_EVENTS = 6000


def acknowledge(events: Sequence[Event]) -> None:
    """Print the last seq of a batch: it stands for all before it."""
    sys.stdout.write(f"{events[-1].seq}\n")
    sys.stdout.flush()


def main(folder: Path) -> None:
    """Write until the power is cut."""
    draw = random.Random(1)
    writer = Writer(JournalLog(folder), source=new_source("t"), acknowledged=acknowledge)
    belongs = Belongs(sweep="s", trial="t", try_no=1, target="t-1")
    while True:
        events = LARGE_EVENTS if draw.random() < LARGE_SHARE else draw.randint(1, 40)
        batch = [Said(PhaseStarted(phase="agent"), belongs)] * events
        writer.write_many(batch)
        time.sleep(draw.expovariate(1 / MEAN_PAUSE_S))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
