"""The thread that loads: by itself every quarter of a second, and whenever somebody asks.

Whoever asks for a load gets a *ticket* and waits for it. A ticket is served by a load that
began after it was drawn, so everything that was in the log at that moment is in the tables.

What goes wrong is kept for those who wait and for ``status``, and tried again, more and more
slowly. Of two failures something can be done: when memory is short, readers give way
(``Answering.kept_out``); after any other failure of the store it is opened again, because
DuckDB refuses everything after, say, a full disk, until it is.

Derived tables are brought up between loads (``store.serving.keeping``), before whoever waits
for a load is told that it is done.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from barograph.clock import Clock
from barograph.errors import BarographError, EnvironmentRefusal
from barograph.log.port import Log
from store.errors import StoreError, StoreRefusal
from store.failures import is_left_over, lacks_memory
from store.loader import LoadReport
from store.serving.hosted import Hosted, Listener

EVERY_S: Final = 0.25
_SLOWEST_S: Final = 5.0
_RATE_OVER_S: Final = 10.0
_ROOM_TRIES: Final = 3
_TIDY_EVERY_S: Final = 1.0
_NOTHING: Final = LoadReport()


@dataclass(slots=True)
class Pulse:
    """How the loading goes; read by other threads, a field at a time."""

    watermark: int
    batches: int = 0
    last_error: str | None = None
    complete_s: float | None = None
    """Monotonic time at which the last load began that ended well."""
    rebuilt_from: LoadReport = _NOTHING
    """``total`` when the tables were last made anew."""
    total: LoadReport = _NOTHING
    """Everything that this process loaded."""


class Following:
    """Owns the open store, because only its thread may close and open it."""

    def __init__(self, log: Log, opening: Callable[[Listener], Hosted], clock: Clock) -> None:
        """Open the store.

        Args:
            log: read from where the store's positions say.
            opening: opens the store; given who is to hear of transactions.
            clock: the first watermark is its time, so that watermarks grow over restarts.

        Raises:
            StoreError: it cannot be opened.

        """
        self._log = log
        self._opening = opening
        self.pulse = Pulse(watermark=clock.wall_us())
        self._changed = threading.Condition()
        self._drawn = 0
        self._served = 0
        self._failures: dict[int, BarographError] = {}
        self._delete: Callable[[], None] | None = None
        self._ending = False
        self.broken: BarographError | None = None
        """Why the store could not be opened again: nothing can be served any more."""
        self._loaded: deque[tuple[float, int]] = deque()
        self._unfollowed = True
        """Nobody has told the follower yet to look at everything."""
        self._tidied_s = 0.0
        self.hosted = opening(self)
        self._thread: threading.Thread | None = None

    def start(self, *, follow: bool) -> None:
        """Begin to load; by itself only with ``follow``."""
        self._thread = threading.Thread(target=self._run, args=[follow], name="follow", daemon=True)
        self._thread.start()

    def draw(self, *, delete: Callable[[], None] | None = None) -> int:
        """Ask for a load of what is in the log now.

        Args:
            delete: removes the store file; the tables are made anew from the whole log.

        Returns:
            The ticket for ``wait``.

        """
        with self._changed:
            self._drawn += 1
            self._delete = delete or self._delete
            self._changed.notify_all()
            return self._drawn

    def wait(self, ticket: int, timeout_s: float) -> bool:
        """Whether the load is done, waiting for it so long at most.

        Raises:
            LogError, StoreError: it failed.

        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._served >= ticket or self.broken is not None, timeout_s
            )
            failure = self.broken or self._failures.get(ticket)
            if failure is not None:
                raise failure
            return self._served >= ticket

    def committed(self, report: LoadReport) -> None:
        """Hear that a batch is in the tables."""
        pulse = self.pulse
        pulse.total += report
        pulse.batches += 1
        if report.events or report.dead_letters:
            pulse.watermark += 1
        now_s = time.monotonic()
        self._loaded.append((now_s, report.events))
        while self._loaded[0][0] < now_s - _RATE_OVER_S:
            self._loaded.popleft()

    def mark(self) -> None:
        """Say that tables changed in another way than by loading."""
        self.pulse.watermark += 1

    def events_per_s(self) -> float:
        """New events over the last ten seconds."""
        since_s = time.monotonic() - _RATE_OVER_S
        return sum(events for at_s, events in list(self._loaded) if at_s > since_s) / _RATE_OVER_S

    def lag_s(self) -> float | None:
        """How far behind the log the tables may be; None before the first load is done."""
        complete_s = self.pulse.complete_s
        return None if complete_s is None else time.monotonic() - complete_s

    def close(self) -> None:
        """End the thread after the batch at hand, and close the store."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        if self.broken is None:
            self.hosted.close()

    def _run(self, follow: bool) -> None:  # noqa: FBT001 - a thread's only argument
        try:
            self._rounds(follow=follow)
        except Exception as error:  # noqa: BLE001 - a defect; nobody may wait for it for ever
            said = f"loading ended by a bug of ours ({type(error).__name__}: {error})"
            with self._changed:
                self.broken = StoreError(said)
                self.broken.__cause__ = error
                self._changed.notify_all()

    def _rounds(self, *, follow: bool) -> None:
        pause_s = 0.0
        while self.broken is None and (ticket := self._next(pause_s)) is not None:
            failure = None
            if follow or ticket > self._served:
                began_s = time.monotonic()
                failure = self._attempt()
                if failure is None:
                    self.pulse.complete_s = began_s
                self._tell(ticket, failure)
            self._tidy()
            pause_s = EVERY_S if failure is None else min(2 * pause_s + EVERY_S, _SLOWEST_S)

    def _next(self, pause_s: float) -> int | None:
        """Wait until it is time, or somebody asks; the newest ticket, or None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending or self._drawn > self._served, pause_s)
            return None if self._ending else self._drawn

    def _tidy(self) -> None:
        """What nobody waits for."""
        now_s = time.monotonic()
        if self.broken is not None:
            return
        if now_s - self._tidied_s > _TIDY_EVERY_S:
            self._tidied_s = now_s
            self.hosted.tidy()
        try:
            self.hosted.keeping.spark()
        except StoreError as error:
            # Pages do without. Whatever is wrong with the store, the next load meets it too.
            self.hosted.mend()
            self.pulse.last_error = str(error)

    def _tell(self, ticket: int, failure: BarographError | None) -> None:
        self.pulse.last_error = None if failure is None else str(failure)
        with self._changed:
            if failure is not None:
                self._failures |= dict.fromkeys(range(self._served + 1, ticket + 1), failure)
            # Whoever drew it has heard of it by now, or will never ask.
            self._failures = {at: why for at, why in self._failures.items() if at > ticket - 1000}
            self._served = ticket
            self._changed.notify_all()

    def _attempt(self) -> BarographError | None:
        """Load once; what went wrong."""
        with self._changed:
            delete, self._delete = self._delete, None
        try:
            if delete is not None or self.hosted.is_gone:
                self._reopen(delete)
            self._load_past_left_overs()
        except StoreError as error:
            if not lacks_memory(error.__cause__):
                self._reopen_after(error)
            return error
        except BarographError as error:
            return error
        return None

    def _load_past_left_overs(self) -> None:
        """Load; where a failure of before is in the way, with the store opened again."""
        try:
            self._load()
        except StoreError as error:
            if not is_left_over(error.__cause__):
                raise
            self._reopen(None)
            self._load()

    def _load(self) -> None:
        if self._had_room():
            return
        with self.hosted.answering.kept_out():
            for _ in range(_ROOM_TRIES):
                if self._had_room():
                    return
                time.sleep(EVERY_S)
            self._load_and_follow()

    def _had_room(self) -> bool:
        """Load, unless memory lacks for it."""
        try:
            self._load_and_follow()
        except StoreError as error:
            if not lacks_memory(error.__cause__):
                raise
            self.hosted.mend()
            return False
        return True

    def _load_and_follow(self) -> None:
        # Until all goes well: a batch may be in the tables and its trials not judged.
        unfollowed, self._unfollowed = self._unfollowed, True
        self.hosted.load(self._log)
        keeping = self.hosted.keeping
        if unfollowed:
            keeping.told(None)
        keeping.judge(at_once=unfollowed or self._drawn > self._served)
        self._unfollowed = False

    def _reopen(self, delete: Callable[[], None] | None) -> None:
        self.hosted.close()
        if delete is not None:
            delete()
        self.hosted = self._opening(self)
        self._unfollowed = True
        self.pulse.rebuilt_from = self.pulse.total
        self.mark()

    def _reopen_after(self, error: StoreError) -> None:
        try:
            self._reopen(None)
        except BarographError as again:
            self.broken = _both(error, again)
            self.broken.__cause__ = error


def _both(first: StoreError, second: BarographError) -> StoreError:
    """What to tell of a failure, and of the next on the way out of it."""
    if isinstance(first, EnvironmentRefusal):
        # The disk or memory: what could not be done for it afterwards says nothing more.
        return StoreRefusal(first.problem, where=first.where, remedy=first.remedy)
    return StoreError(f"{second.problem} (after: {first})", where=second.where)
