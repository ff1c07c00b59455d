"""From the return of ``append`` to a row that a client is given: how long does an event take?

A marker is an event of a source of its own, written at moments that keep no step with the
loader. Whether it can be queried is asked whenever the server's watermark has moved, so that
watching costs a query a batch and not a hundred a second; the watermark itself is asked a
hundred times a second over the control socket. What is found is thus late by 10 ms at most.
"""

import random
import time
from typing import Final

from barograph.facts import HostOomKill
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.writer import Writer
from store.serving.client import Served

_POLL_S: Final = 0.01
_GIVE_UP_S: Final = 60.0


class Markers:
    """Writes markers into a served folder and waits for each."""

    def __init__(self, folder: DataFolder, served: Served) -> None:
        """Begin a source."""
        self._served = served
        self._log = JournalLog(folder.journal)
        self._writer = Writer(self._log, source=new_source("m"))
        self._dice = random.Random(1)
        self._said = 0

    def waits_s(self, seconds: float) -> list[float]:
        """Write and await markers for so long; how long each took."""
        until = time.monotonic() + seconds
        waits: list[float] = []
        while time.monotonic() < until:
            time.sleep(self._dice.uniform(0.05, 0.45))
            waits.append(self._one())
        return waits

    def close(self) -> None:
        """End the source."""
        self._log.close()

    def _one(self) -> float:
        self._said += 1
        seen = self._served.watermark()
        self._writer.write(HostOomKill(victim_pid=self._said, victim_comm="marker"))
        began = time.monotonic()
        sql = (
            "SELECT count(*) FROM host_oom_kill WHERE victim_pid = "  # noqa: S608 - ours
            f"{self._said} AND source = '{self._writer.source}'"
        )
        while time.monotonic() - began < _GIVE_UP_S:
            watermark = self._served.watermark()
            if watermark != seen:
                seen = watermark
                if self._served.ask(sql).rows[0][0]:
                    return time.monotonic() - began
            time.sleep(_POLL_S)
        raise TimeoutError("a marker never came")
