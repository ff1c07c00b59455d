"""How many threads DuckDB has: all that it was granted while there is work for them, else one.

A server that only follows a log runs some thirty statements a second, each about a few rows.
Whoever runs a statement in DuckDB offers its parts to all threads, and if another was faster to
take one, looks again and again, as fast as it can, whether that is done. For a statement of a
few milliseconds this is a third of all the time, and takes no work from anybody. So while nobody
asks and little comes there is one thread. Whoever asks, and a batch that is full, has the others
back before anything is run.

Threads that end are waited for, in a lock of DuckDB's that every statement passes at its end. A
question is judged in whatever thread DuckDB runs the function for it, and runs statements itself:
in a thread that is to end it would wait for itself. So threads end only while no question is at
hand. One that comes in that moment (a millisecond, after some seconds without any) waits a
little; if that does not help, its thread may be the one, it is not looked at, and its client asks
again.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final

from store.catalogue import serving
from store.database import Database
from store.errors import StoreError

QUIET_S: Final = 2.0
"""A page that is open asks every second, and keeps the threads."""
_PATIENCE_S: Final = 0.05


class Breadth:
    """Sets the number for one open store, which begins with all. Thread-safe."""

    def __init__(
        self, database: Database, *, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Stand on an open store.

        Args:
            database: granted as many threads as it has now; a connection of its own is made.
            clock_s: never goes back.

        """
        self._database = database.cursor()
        self._clock_s = clock_s
        self._changed = threading.Condition()
        ((granted,),) = self._database.ask(serving("threads").sql).rows
        self._granted = int(str(granted))
        self._is_wide = True
        self._is_narrowing = False
        self._users = 0
        self._wanted_s = clock_s()

    def widen(self) -> None:
        """Have all threads, for a while at least. Not for a thread of DuckDB's."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_narrowing)
            self._widen()

    @contextmanager
    def held(self) -> Generator[None]:
        """Have all threads for the length of a block. Not for a thread of DuckDB's."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_narrowing)
            self._begin()
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def used(self) -> Generator[bool]:
        """Have all threads for the length of a block, in any thread.

        Gives False where they are just ending, and may be waiting for this one: then the block
        may not run any statement.
        """
        with self._changed:
            may = self._changed.wait_for(lambda: not self._is_narrowing, _PATIENCE_S)
            if may:
                self._begin()
        try:
            yield may
        finally:
            if may:
                self._end()

    def narrow(self) -> None:
        """Have one thread, if nobody wanted more for a while."""
        with self._changed:
            quiet_s = self._clock_s() - self._wanted_s
            if self._users or not self._is_wide or quiet_s <= QUIET_S:
                return
            self._is_narrowing = True
        done = self._set(1)
        with self._changed:
            self._is_wide = not done
            self._is_narrowing = False
            self._changed.notify_all()

    def _begin(self) -> None:
        self._users += 1
        self._widen()

    def _end(self) -> None:
        with self._changed:
            self._users -= 1
            self._wanted_s = self._clock_s()

    def _widen(self) -> None:
        # New threads are only begun here, and nothing is waited for.
        self._is_wide = self._is_wide or self._set(self._granted)
        self._wanted_s = self._clock_s()

    def _set(self, threads: int) -> bool:
        # Without it all goes on, with any number; it is tried again.
        with suppress(StoreError):
            self._database.run(serving("set_threads").fill({"threads": threads}))
            return True
        return False
