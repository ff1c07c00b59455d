"""Answering clients within bounds of time, memory and rows.

DuckDB has no limit of time for a statement, and Quack runs what clients send on connections
that nobody else can reach. So a question is not run by Quack. Before it runs anything, Quack
asks a function for leave (``quack_authorization_function``); ours judges the text
(``store.serving.gate``), runs it itself on a connection that a timer can interrupt, keeps the
answer in a table in memory, and gives Quack the fetching of that table to run instead.

What the function returns is run in place of the question, so a refusal is a statement that
raises a sentence. That holds for questions alone: before it *appends* rows Quack asks the same
function with a text that begins with INSERT, takes any text as leave, and only NULL as a no.
Whatever is no question therefore gets NULL.

Memory has one bound for the whole process. When the loader runs into it, it comes first:
``kept_out`` ends what readers run, forgets what they have not fetched, and lets nobody in.
"""

import contextlib
import itertools
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import duckdb

from store.catalogue import serving
from store.database import Database
from store.errors import (
    QueryTooLong,
    StoreError,
    StoreInputError,
    StoreRefusal,
    UnreachableError,
)
from store.failures import lacks_memory
from store.serving.gate import Gate, NotAQuestionError
from store.serving.wording import marked

KEPT_S: Final = 5.0
"""An answer is fetched at once; what is older was fetched, or its client has gone."""
MOST_ROWS: Final = 1_000_000
_ASKED_LATELY_S: Final = 60.0
_LOOK_EVERY_S: Final = 0.05
_ENDED_WITHIN_S: Final = 5.0
_INPUT: Final = (
    duckdb.ProgrammingError,
    duckdb.DataError,
    duckdb.NotSupportedError,
    duckdb.IntegrityError,
)
"""DuckDB's classes for a question that cannot be answered as it was put."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one question may take."""

    query_s: float = 10.0
    rows: int = MOST_ROWS


@dataclass(slots=True)
class _Running:
    """One question that is being answered."""

    cursor: duckdb.DuckDBPyConnection
    until_s: float
    too_long: StoreError
    ended_for: StoreError | None = None
    """Why it is to end, once it is."""

    def is_over(self, now_s: float) -> bool:
        """Whether it is to end now."""
        if self.ended_for is None and now_s >= self.until_s:
            self.ended_for = self.too_long
        return self.ended_for is not None


class Answering:
    """The function that Quack asks, and the answers that wait to be fetched."""

    def __init__(self, database: Database, limits: Limits) -> None:
        """Stand on an open store with the database ``answers`` attached."""
        self._database = database
        self._limits = limits
        self._gate = Gate(database)
        # Also held while a question is interrupted, so that its successor is not.
        self._lock = threading.Condition()
        self._numbers = itertools.count()
        self._idle: list[Database] = []
        self._running: dict[int, _Running] = {}
        self._kept: dict[int, float] = {}
        self._sessions: dict[str, float] = {}
        self._closed = False
        self._keep_out = False
        self.asked = 0
        """Questions so far."""
        self.last_asked_s = time.monotonic()
        threading.Thread(target=self._watch, name="limits", daemon=True).start()

    def authorize(self, session: str, text: str) -> str | None:
        """Answer a question; called by Quack, in threads of DuckDB, several at once.

        Returns:
            The statement that Quack is to run, or None where it must not do anything.

        """
        with self._lock:
            self.asked += 1
            self._sessions[session] = self.last_asked_s = time.monotonic()
        try:
            with self._cursor() as cursor:
                self._gate.check(cursor, text)
                return serving("fetch_answer").fill({"number": self._answer(cursor, text)})
        except NotAQuestionError:
            return None
        except StoreError as error:
            # Of what fails because the store was closed meanwhile, nothing is the client's doing.
            said = _closing() if self._closed else error
            return serving("refuse").fill({"words": marked(said)})

    @property
    def clients(self) -> int:
        """Connections that asked something in the last minute."""
        since_s = time.monotonic() - _ASKED_LATELY_S
        with self._lock:
            self._sessions = {name: at for name, at in self._sessions.items() if at > since_s}
            return len(self._sessions)

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return bool(self._running)

    def tidy(self, *, older_than_s: float = KEPT_S) -> None:
        """Forget answers that were fetched; what cannot be forgotten now is left for later."""
        before_s = time.monotonic() - older_than_s
        with self._lock:
            old = [number for number, at_s in self._kept.items() if at_s < before_s]
        for number in old:
            with contextlib.suppress(StoreError):
                self._drop(self._database, number)

    @contextmanager
    def kept_out(self) -> Generator[None]:
        """End what runs, forget what waits, and let new questions wait while the block runs."""
        self._keep_out = True
        try:
            self.end_all(
                StoreRefusal(
                    "the store needed the memory for loading",
                    remedy="ask again, or for less at once",
                )
            )
            self.tidy(older_than_s=-1)
            yield
        finally:
            with self._lock:
                self._keep_out = False
                self._lock.notify_all()

    def close(self) -> None:
        """End what runs and let all connections go."""
        with self._lock:
            # First, so that no question begins behind those that are ended.
            self._closed = True
            self._lock.notify_all()
        self.end_all()
        with self._lock:
            idle, self._idle = self._idle, []
        for cursor in idle:
            cursor.close()

    def end_all(self, reason: StoreError | None = None) -> None:
        """End what runs, and wait until it has ended.

        Args:
            reason: what its clients hear; None: that the store is being closed.

        """
        with self._lock:
            for one in self._running.values():
                one.ended_for = one.ended_for or reason or _closing()
            self._lock.wait_for(lambda: not self._running, _ENDED_WITHIN_S)

    def _watch(self) -> None:
        """Interrupt what is over, again and again: an interrupt before it began does nothing."""
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._running or self._closed)
                if not self._running:
                    return
                now_s = time.monotonic()
                for one in self._running.values():
                    if one.is_over(now_s):
                        one.cursor.interrupt()
            time.sleep(_LOOK_EVERY_S)

    @contextmanager
    def _cursor(self) -> Generator[Database]:
        """A connection that nobody else uses; threads of DuckDB come and go, so none owns one."""
        with self._lock:
            self._lock.wait_for(lambda: self._closed or not self._keep_out, self._limits.query_s)
            if self._closed:
                raise _closing()
            if self._keep_out:
                raise StoreRefusal("the store needs the memory for loading", remedy="ask again")
            cursor = self._idle.pop() if self._idle else self._database.cursor()
        try:
            yield cursor
        except BaseException:
            cursor.roll_back()  # a failure for lack of memory may have left something open
            raise
        finally:
            with self._lock:
                self._idle.append(cursor)

    def _answer(self, cursor: Database, text: str) -> int:
        """Run the question; the number of its answer."""
        number = next(self._numbers)
        limit_s = self._limits.query_s
        running = _Running(
            cursor.connection,
            time.monotonic() + limit_s,
            QueryTooLong(
                f"the question took longer than {limit_s:g} s", remedy="ask for less at once"
            ),
        )
        with self._lock:
            if self._closed:
                raise _closing()
            self._running[number] = running
            self._lock.notify_all()
        keep = serving("keep_answer").fill({"number": number})
        try:
            counted = running.cursor.execute(f"{keep}\n{text}").fetchone()
        except duckdb.Error as error:
            raise running.ended_for or _failure(error) from error
        finally:
            with self._lock:
                del self._running[number]
                self._kept[number] = time.monotonic()
                self._lock.notify_all()
        if counted is not None and counted[0] > self._limits.rows:
            self._drop(cursor, number)
            raise StoreRefusal(
                f"the answer has {counted[0]:,} rows; at most {self._limits.rows:,} are sent",
                remedy="add a LIMIT, or aggregate",
            )
        return number

    def _drop(self, database: Database, number: int) -> None:
        database.run(serving("drop_answer").fill({"number": number}))
        with self._lock:
            self._kept.pop(number, None)


def _closing() -> StoreError:
    """For clients, the same as a server that does not answer: they ask the next one."""
    return UnreachableError("the store is being closed")


def _failure(error: duckdb.Error) -> StoreError:
    words = str(error).strip().partition("\n")[0]
    if lacks_memory(error):
        return StoreRefusal(
            "the question needs more memory than the store is granted",
            remedy="ask for less at once, or grant more with 'barograph serve --memory'",
        )
    if isinstance(error, _INPUT):
        return StoreInputError(f"this cannot be answered: {words}")
    return StoreError(f"the store failed ({json.dumps(words, ensure_ascii=False)})")
