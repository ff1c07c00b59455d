"""A sweep that runs now: so many trials at once, a sample a second of each, through writers.

``python -m bench.synthetic.live DIR``: a process of its own, as the collector and the runner
are, so that a bench of what serves and shows the store does not feed it with its own time.
Trials are those of the large sweep with other attempts; one that ends makes room for the
next. It stops after ``--seconds``, or when its standard input is closed, whichever comes
first, and prints how many samples it wrote and how late its ticks were.
"""

import argparse
import heapq
import json
import select
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from barograph.envelope import Belongs
from barograph.folder import DataFolder
from barograph.ids import new_source, trial_id
from barograph.log.journal import JournalLog
from barograph.writer import Said, Writer
from bench.synthetic.collector import Collector
from bench.synthetic.plan import SWEEP, US, Size, Try, dice_of, planned
from bench.synthetic.runner import story
from bench.synthetic.wording import campaign, plan_of
from runner.ownership import owned

_AFTER: Final = 1_000
"""Added to attempts, so that a trial is none of the sweep that was there before."""


class LiveCollector(Collector):
    """A collector whose ticks are now."""

    def __init__(self, log: JournalLog, writer: Writer) -> None:
        """Write through ``writer``."""
        super().__init__(log, 0)
        self._writer = writer

    def _hand_over(self, said: Sequence[Said]) -> None:
        # The writer's own clock stamps the monotonic time.
        self._writer.write_many([item._replace(mono_us=None) for item in said])


class Live:
    """A runner and its collector, a tick a second."""

    def __init__(self, folder: Path, trials: int) -> None:
        """Begin the sweep, or go on with the one that is in the folder."""
        log = JournalLog(DataFolder.create(folder).journal)
        self._log = log
        self._runner = Writer(log, source=new_source("r"))
        self.collector = LiveCollector(log, Writer(log, source=new_source("c")))
        self._due: list[tuple[int, int, Said]] = []
        self._number = 0
        self._plan = _endless()
        size = Size(hosts=1, slots=trials)
        about = Belongs(sweep=SWEEP)
        fresh = not any(log.folder.glob("*.jsonl"))
        if fresh:
            self._runner.write(plan_of(size), about)
        self._runner.write(campaign(size, size.trials, resumed=not fresh), about)
        self.collector.begin(0, time.time_ns() // 1_000)
        self._free = [(0, slot) for slot in range(trials)]

    def tick(self, number: int, now: int) -> None:
        """Everything of one second."""
        while self._free and self._free[0][0] <= now:
            _, slot = heapq.heappop(self._free)
            self._start(slot, now)
        while self._due and self._due[0][0] <= now:
            said = [heapq.heappop(self._due)[2] for _ in range(min(256, len(self._due)))]
            self._runner.write_many(said)
        for one in self.collector.tick(now):
            heapq.heappush(self._free, (now + 2 * US, one.slot))
        self.collector.about_itself(number, now)
        self.collector.flush()

    def close(self) -> None:
        """Bring all to the disk."""
        self._log.close()

    def _start(self, slot: int, now: int) -> None:
        one = next(self._plan)
        # Its first second in the sandbox is this one.
        one = replace(one, slot=slot, host=0, start_us=now - 2 * US + slot * 37)
        for said in story(one):
            heapq.heappush(self._due, (said.t_us or 0, self._number, said))
            self._number += 1
        self.collector.watch(one)


def _endless() -> Iterator[Try]:
    """Trials of the plan, shuffled, round after round."""
    pool = [one for one in planned(Size(tasks=40)) if one.seconds]
    dice_of("live").shuffle(pool)
    round_no = 0
    while True:
        round_no += 1
        for one in pool:
            attempt = one.attempt + _AFTER * round_no
            name = trial_id(
                sweep=SWEEP,
                condition=one.condition,
                agent=one.agent,
                task=one.task.name,
                attempt=attempt,
            )
            yield replace(one, trial=name, attempt=attempt)


def main() -> None:
    """Tick until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=600)
    options = parser.parse_args()
    with owned(DataFolder.create(options.folder)):
        _tick(Live(options.folder, options.trials), options.seconds)


def _tick(live: Live, seconds: int) -> None:
    first = time.time_ns() // 1_000_000_000 + 1
    late_s = 0.0
    ticks = 0
    while ticks < seconds:
        wait_s = first + ticks - time.time()
        closed, _, _ = select.select([sys.stdin], [], [], max(0.0, wait_s))
        if closed:
            break
        late_s = max(late_s, time.time() - first - ticks)
        live.tick(ticks, (first + ticks) * US)
        ticks += 1
    live.close()
    wrote = {"ticks": ticks, "samples": live.collector.samples, "latest_tick_s": round(late_s, 3)}
    print(json.dumps(wrote))


if __name__ == "__main__":
    main()
