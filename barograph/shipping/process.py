"""The shipper as a process: one a data folder, which ends when nothing is left to do.

It is started by whoever writes to a folder that names a shared log (``keeping``), and stays
while something waits to be acknowledged, however long the brokers are away.
"""

import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from barograph.clock import US_PER_S, SystemClock
from barograph.daemons import locked
from barograph.errors import BusyError, NotFoundError
from barograph.facts import SamplesThinned, ShipperSelf
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import refuse_if_nobody_listens
from barograph.log.kafka.sending import Sender
from barograph.log.kafka.topics import ensure_topic, identity_of_topic
from barograph.log.port import LogError
from barograph.shipping.bounds import Bounds
from barograph.shipping.marks import Marks
from barograph.shipping.shipper import Counts, Shipper
from barograph.shipping.upkeep import Upkeep
from barograph.writer import Writer

LINGER_S: Final = 30.0
_TELL_EVERY_S: Final = 10.0
_LONGEST_SLEEP_S: Final = 0.25
_KEEP_UP_EVERY_S: Final = 1.0
_KEEP_UP_FOR_S: Final = 5.0
_STATM: Final = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How it goes, for whoever looks on."""

    waiting_bytes: int
    error: str | None


def ship(
    folder: DataFolder,
    *,
    linger_s: float = LINGER_S,
    on_step: Callable[[Told], None] = lambda _: None,
) -> Told:
    """Ship until nothing waits and nothing was written for a while, or a signal comes.

    Args:
        folder: whose journal.
        linger_s: how long nothing has to be written.
        on_step: hears how it goes, several times a second.

    Returns:
        How it was left.

    Raises:
        NotFoundError: the folder names no shared log.
        BusyError: another shipper has the folder.
        InputError: the environment's settings for Kafka are wrong.

    """
    url = folder.shared_log_url
    if url is None:
        raise NotFoundError(
            "this data folder names no shared log",
            where=folder.root,
            remedy="give it one with --log kafka:HOST:PORT",
        )
    held = locked(folder.ship_lock)
    if isinstance(held, str):
        raise BusyError(f"process {held} ships this folder already", where=folder.root)
    with held:
        return _Process(folder, Brokers.of(url, os.environ)).run(linger_s=linger_s, on_step=on_step)


class _Process:
    def __init__(self, folder: DataFolder, brokers: Brokers) -> None:
        self._folder, self._brokers = folder, brokers
        self._log = JournalLog(folder.journal)
        self._writer = Writer(self._log, source=new_source("h"))
        found = Marks.read(folder.ship_marks)
        marks = found or Marks(topic="", log=brokers.url)
        marks.log, marks.failures, marks.error = brokers.url, 0, None
        self._shipper = Shipper(
            folder.journal,
            marks,
            folder.ship_marks,
            self._connect,
            self._writer.write,
            SystemClock(),
        )
        self._upkeep = Upkeep(folder.journal, self._thinned)
        self._upkeep_s = 0.0
        self._ending = False
        self._told_s = time.monotonic()
        self._cpu_us = _cpu_us()

    def run(self, *, linger_s: float, on_step: Callable[[Told], None]) -> Told:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end)
        shipper = self._shipper
        busy_s = time.monotonic()
        # Somebody may delete the folder: then there is nothing left to ship.
        while not self._ending and self._folder.ship_lock.exists():
            pause_s = shipper.step()
            now = Told(waiting_bytes=shipper.waiting_bytes, error=shipper.marks.error)
            on_step(now)
            if now.waiting_bytes or now.error or pause_s == 0:
                busy_s = time.monotonic()
            elif time.monotonic() > busy_s + linger_s:
                break
            self._tell(shipper.counts)
            self._sleep(pause_s)
        shipper.close()
        self._log.close()
        return Told(waiting_bytes=shipper.waiting_bytes, error=shipper.marks.error)

    def _connect(self) -> tuple[Sender, str]:
        # The client tries for ten seconds where nobody listens, and the journal needs its upkeep.
        refuse_if_nobody_listens(self._brokers, "ship")
        ensure_topic(self._brokers)
        return Sender(self._brokers), identity_of_topic(self._brokers)

    def _end(self, _number: int, _frame: FrameType | None) -> None:
        self._ending = True

    def _sleep(self, pause_s: float) -> None:
        until_s = time.monotonic() + pause_s
        self._keep_up()
        while not self._ending and (left_s := until_s - time.monotonic()) > 0:
            time.sleep(min(left_s, _LONGEST_SLEEP_S))
            self._keep_up()

    def _keep_up(self) -> None:
        """Keep the journal within its bounds, a file at a time."""
        if time.monotonic() < self._upkeep_s:
            return
        marks, until_s = self._shipper.marks, time.monotonic() + _KEEP_UP_FOR_S
        try:
            while (
                not self._ending
                and self._upkeep.step(marks, Bounds.of(self._folder))
                and time.monotonic() < until_s
            ):
                marks.write(self._folder.ship_marks)
        except LogError as error:
            marks.error = marks.error or str(error)
        self._upkeep_s = time.monotonic() + _KEEP_UP_EVERY_S

    def _thinned(self, said: SamplesThinned) -> None:
        self._writer.write(said)
        self._log.sync()

    def _tell(self, counts: Counts) -> None:
        """Say how it goes, unless nothing but the last such saying was shipped."""
        now_s = time.monotonic()
        news = counts.failures or counts.sources - {self._writer.source}
        if now_s < self._told_s + _TELL_EVERY_S or not news:
            return
        marks, cpu_us = self._shipper.marks, _cpu_us()
        lag_us = None
        if marks.complete_t_us is not None:
            lag_us = max(0, SystemClock().wall_us() - marks.complete_t_us)
        said = ShipperSelf(
            log=marks.log,
            interval_us=round((now_s - self._told_s) * US_PER_S),
            acknowledged_records=counts.records,
            acknowledged_bytes=counts.size_bytes,
            waiting_bytes=self._shipper.waiting_bytes,
            lag_us=lag_us,
            failures=counts.failures,
            last_error=marks.error,
            cpu_us=cpu_us - self._cpu_us,
            rss_bytes=_rss_bytes(),
        )
        try:
            self._writer.write(said)
        except LogError:
            return  # a full disk: there is more important news
        self._told_s, self._cpu_us, self._shipper.counts = now_s, cpu_us, Counts()


def _cpu_us() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round((used.ru_utime + used.ru_stime) * US_PER_S)


def _rss_bytes() -> int | None:
    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
