"""The collector's loop: one thread, one place to wait, every part told when it is due.

An iteration waits until a descriptor stirs or the next deadline comes, serves what stirred,
then whatever is due: counters to read again, kills to tell, the tick. Nothing in it waits for
a disk, a client or the network; ``Behind`` has a thread for the disk.
"""

import contextlib
import os
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from barograph.clock import US_PER_S, Clock
from barograph.errors import BarographError
from barograph.facts import ClockStepped, TickMissed
from barograph.folder import DataFolder
from barograph.log.port import Log
from barograph.writer import Said
from collector.behind import Behind
from collector.cadence import Cadence, Tick, WallWatch
from collector.machine import Machine
from collector.probes.port import Gap
from collector.protocol import Finish, Request, Status, Stop, Watch
from collector.recorder import Recorder
from collector.recovery import Past, told_kills
from collector.server import Answer, Connection, Server
from collector.wakeups import Wakeups
from collector.watchlist import Watchlist

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a collector behaves."""

    interval_s: float = 1.0
    """Time between two ticks."""
    linger_s: float = 10.0
    """How long it stays when it has no target and no client."""


class Service:
    """One collector, from start to end."""

    def __init__(
        self,
        folder: DataFolder,
        log: Log,
        recorder: Recorder,
        clock: Clock,
        options: Options,
        gaps: Sequence[Gap] = (),
    ) -> None:
        """Set everything up; ``run`` does the work.

        Args:
            folder: the data folder; its lock is held by the caller.
            log: read once, for what earlier collectors told about kills.
            recorder: where facts go.
            clock: of this process.
            options: see there.
            gaps: what else is lacking; may grow while it works.

        """
        self.wakeups = Wakeups()
        self._clock = clock
        self._recorder = recorder
        self._options = options
        self._gaps = gaps
        self._behind = Behind()
        self.watchlist = Watchlist(recorder, clock, self.wakeups, self._behind)
        self._kills = self.watchlist.kills
        self._machine = Machine(folder.root, recorder, clock)
        self._cadence = Cadence(
            start_us=clock.mono_us(), interval_us=round(options.interval_s * US_PER_S)
        )
        self._wall = WallWatch()
        self._ticks = 0
        self._stopping = False
        self._idle_since_us: int | None = None
        self._server = Server(
            folder.collector_socket,
            self.wakeups,
            handle=self._handle,
            closed=self.watchlist.orphan,
        )
        self.wakeups.add(self._behind.wake_fd, select.EPOLLIN, self._behind.hand_back)
        if self._kills.log.fd is not None:
            self.wakeups.add(self._kills.log.fd, select.EPOLLIN, self._kills.log_stirred)
        self._behind.submit(lambda: self._read_past(log))

    def run(self) -> None:
        """Work until told to stop or idle for ``linger_s``; then write what is outstanding."""
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        self._recorder.say_gaps([*self._machine.gaps, *self._kills.gaps])
        more = False
        try:
            while not self._stopping:
                timeout_us = 0 if more else self._next_us() - self._clock.mono_us()
                self.wakeups.wait(timeout_us)
                more = self._server.serve()
                self._serve_deadlines()
        finally:
            self._end()

    def _next_us(self) -> int:
        times = [self._cadence.deadline_us, self._kills.deadline_us()]
        ending_us = self.watchlist.deadline_us()
        return min(times if ending_us is None else [*times, ending_us])

    def _serve_deadlines(self) -> None:
        self._kills.reread()
        if self._clock.mono_us() >= self._kills.deadline_us():
            self._kills.settle()
        self.watchlist.flush()
        tick = self._cadence.due(self._clock.mono_us())
        if tick is not None:
            self._tick(tick)

    def _tick(self, tick: Tick) -> None:
        self._ticks += 1
        said: list[Said] = []
        if tick.missed:
            first = tick.number - tick.missed
            missed = TickMissed(first_tick=first, ticks=tick.missed, late_us=tick.late_us)
            said.append(Said(missed))
        step_us = self._wall.step_us(**self._both_clocks())
        if step_us is not None:
            said.append(Said(ClockStepped(step_us=step_us)))
        said += self.watchlist.tick()
        said += self._machine.tick(tick, targets=len(self.watchlist.targets))
        self._recorder.record(said)
        self.watchlist.flush()
        self._recorder.say_gaps([*self._gaps, *self._kills.gaps])
        self._server.listen_again()
        self._stopping = self._stopping or self._has_idled()

    def _both_clocks(self) -> dict[str, int]:
        """Both clocks at one moment: the closest of three tries, as we may be preempted."""
        tries: list[tuple[int, int, int]] = []
        for _ in range(3):
            before_us, wall_us = self._clock.mono_us(), self._clock.wall_us()
            tries.append((self._clock.mono_us() - before_us, wall_us, before_us))
        _, wall_us, mono_us = min(tries)
        return {"wall_us": wall_us, "mono_us": mono_us}

    def _has_idled(self) -> bool:
        now_us = self._clock.mono_us()
        if self.watchlist.targets or self._server.connections or not self._behind.is_idle:
            self._idle_since_us = None
            return False
        if self._idle_since_us is None:
            self._idle_since_us = now_us
        return now_us - self._idle_since_us >= self._options.linger_s * US_PER_S

    def _handle(self, request: Request, connection: Connection) -> None:
        match request:
            case Watch():
                self.watchlist.watch(request, connection.number)
                connection.answer({"ok": True})
            case Finish():
                self.watchlist.finish(request.target, request.reason, connection.answer)
            case Status():
                connection.answer(self._status())
            case Stop():
                connection.answer({"ok": True})
                self._stopping = True

    def _status(self) -> Answer:
        return {
            "ok": True,
            "source": self._recorder.source,
            "pid": os.getpid(),
            "ticks": self._ticks,
            "targets": sorted(self.watchlist.targets),
            "connections": len(self._server.connections),
            "events_written": self._recorder.written,
            "samples_dropped": self._recorder.samples_dropped,
            "outstanding": self._recorder.outstanding,
        }

    def _read_past(self, log: Log) -> Callable[[], None]:
        """In the thread: what earlier collectors told; nothing, when that is unreadable."""
        past: Past = {}
        with contextlib.suppress(BarographError):
            past = told_kills(log)
        return lambda: self._kills.know_past(past)

    def _stop(self, _number: int, _frame: object) -> None:
        self._stopping = True

    def _end(self) -> None:
        self._server.close()
        self.watchlist.close()
        self._recorder.record(self._kills.take(hurry=True))
        self._recorder.record(self._machine.last())
        self._behind.close()
        self._kills.shut()
        self._machine.close()
        self.wakeups.close()
