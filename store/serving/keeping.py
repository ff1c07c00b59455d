"""When derived tables are brought up with what was loaded: often, but never at the loader's cost.

To judge what a batch touched takes as long for one trial as for a hundred, a tenth of a second
even in a small store, because whole tables are looked through for their rows and the views of
evidence are planned anew. A sweep of short trials ends some in every batch. So what was touched
is collected, and judged every second at most, and so seldom that it takes a fiftieth of the time,
but every five seconds at least. Who asked for a load and waits for it finds everything judged.
Sparks are made after that, a step at a time; nobody waits for them, because a page reads the
samples of a try that has none yet.

What was touched is forgotten only when it was judged. A failure in between leaves it for the
next time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from store.database import Database
from store.sparks import Sparks

Follower = Callable[[Database, frozenset[str] | None], bool]
"""Called with a connection and the trials that batches told something of (None: of any).
Returns whether it changed a table."""


@dataclass(kw_only=True)
class _Pace:
    """Lets something be done so often that it takes a bounded share of the time."""

    rest: float
    """Of the time that it took, how many times as long it rests."""
    least_s: float
    most_s: float
    next_s: float = 0.0

    def rested(self, began_s: float, now_s: float, least_s: float | None = None) -> None:
        """Note that it was done; ``least_s`` is for this time only."""
        wanted_s = self.rest * (now_s - began_s)
        least_s = self.least_s if least_s is None else least_s
        self.next_s = now_s + min(max(least_s, wanted_s), self.most_s)


class Keeping:
    """Verdicts and sparks of one opening of the store. One thread at a time may call it."""

    def __init__(
        self,
        database: Database,
        follower: Follower | None,
        mark: Callable[[], None],
        *,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is kept up yet.

        Args:
            database: a connection that nobody else uses.
            follower: judges; None: there are no verdicts, and so no sparks.
            mark: hears that a table changed.
            clock_s: never goes back.

        """
        self._database = database
        self._follower = follower
        self._mark = mark
        self._clock_s = clock_s
        self._touched: set[str] | None = None
        """None: any."""
        self._sparks = Sparks(database)
        self._changed = True
        """Something was loaded since sparks were last looked at."""
        self._judging = _Pace(rest=49, least_s=1.0, most_s=5.0)
        self._sparking = _Pace(rest=4, least_s=30.0, most_s=60.0)

    def told(self, trials: frozenset[str] | None) -> None:
        """Hear of a batch, and of the trials that anything but a sample was told of.

        Args:
            trials: None: it is not known what was told of.

        """
        self._changed = True
        if trials is None:
            self._touched = None
        elif self._touched is not None:
            self._touched |= trials

    def judge(self, *, at_once: bool) -> None:
        """Judge what was touched, if it is time or ``at_once``.

        Raises:
            StoreError: as the follower.

        """
        began_s = self._clock_s()
        touched = self._touched
        if self._follower is None or touched == set():
            return
        if not at_once and began_s < self._judging.next_s:
            return
        if self._follower(self._database, None if touched is None else frozenset(touched)):
            self._mark()
        self._touched = set()
        self._judging.rested(began_s, self._clock_s())

    def spark(self) -> None:
        """Do a step of the sparks, if it is time.

        Raises:
            StoreError: as ``Sparks.step``; it is tried again a while later.

        """
        began_s = self._clock_s()
        if self._follower is None or not self._changed or began_s < self._sparking.next_s:
            return
        # In case it fails.
        self._sparking.next_s = began_s + self._sparking.most_s
        step = self._sparks.step()
        if step.dropped:
            # Those that are made say what samples said; these said something else.
            self._mark()
        self._changed = step.more
        self._sparking.rested(began_s, self._clock_s(), 0.0 if step.more else None)
