"""The way of a question: a DuckDB of our own that passes it to the server's, over HTTP.

Values arrive as the types that they had. The server is known by a name (``ATTACH``), and asked
by that name, which is quicker than by address; its tables are never read through the
attachment, which would pull them over whole. There is one thread in this DuckDB, so that rows
arrive in the order in which they were sent.
"""

import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Final, TypeVar, cast

import duckdb

from store.answers import Table
from store.catalogue import serving
from store.database import Database, Settings, memory_connection
from store.errors import StoreError, StoreInputError, UnreachableError
from store.serving.extensions import load_extensions
from store.serving.hosted import HOST
from store.serving.wording import unmarked

Answer = TypeVar("Answer")
Fetch = Callable[[duckdb.DuckDBPyConnection], Answer]

_ARROW: Final = "to_arrow_table"
_DENIED: Final = "Authorization failed"
_DENIALS: Final = 3
_PAUSE_S: Final = 0.05
_LOOK_EVERY_S: Final = 10.0
_GOODBYE_S: Final = 2.0
"""It takes milliseconds; the end of a process does not wait for it at all."""


class LostError(Exception):
    """The way is broken; with another server it may go better. For this package's clients."""


class _DeniedError(Exception):
    """The server does not even say why. Never leaves here."""


class Quack:
    """Questions to one server after another. Thread-safe: a connection a question at a time."""

    def __init__(self) -> None:
        """Know no server yet."""
        self._lock = threading.Lock()
        self._base = memory_connection(Settings(threads=1))
        self._idle: list[Database] = []
        self._closed = False
        self._server = 0
        """Counts the servers; the present one is called ``served<number>``."""
        try:
            load_extensions(self._base)
            self._base.connection.execute(serving("direct").sql)
        except BaseException:
            self._base.close()
            raise

    def connect(self, port: int, token: str, answers: Callable[[], bool]) -> None:
        """Ask this server from now on.

        Args:
            port: of it.
            token: that lets read.
            answers: whether the server still does, asked in another way, while it is waited for.

        Raises:
            LostError: it does not answer, or wants another token.

        """
        with self._lock:
            number = self._server + 1
            sql = serving("connect").fill(
                {"address": f"quack:{HOST}:{port}", "token": token, "number": number}
            )
            try:
                _elsewhere(lambda: self._base.connection.execute(sql), answers)
            except duckdb.Error as error:
                raise LostError(_first_line(error)) from error
            self._server = number

    def ask(self, sql: str, fetch: Fetch[Answer], answers: Callable[[], bool]) -> Answer:
        """Have a question answered.

        Args:
            sql: the question.
            fetch: takes the answer.
            answers: as for ``connect``.

        Raises:
            LostError: the server could not be reached, or ended.
            BarographError: what it answered instead.

        """
        for _ in range(_DENIALS):
            try:
                return _elsewhere(lambda: self._ask(sql, fetch), answers)
            except _DeniedError:
                # No reason comes with it. It may have been that the server had no memory to
                # look at the question; that passes.
                time.sleep(_PAUSE_S)
        raise StoreInputError("one SELECT statement is answered, and nothing else")

    def _ask(self, sql: str, fetch: Fetch[Answer]) -> Answer:
        question = serving("ask").fill({"server": f"served{self._server}", "question": sql})
        with self._cursor() as cursor:
            try:
                return fetch(cursor.connection.execute(question))
            except duckdb.Error as error:
                raise _what_was_said(error) from error

    def close(self) -> None:
        """Let all connections go.

        DuckDB says goodbye to the server and waits for its answer: for a day, hearing no signal,
        where the server lives and does nothing. So that is waited for elsewhere, and not for long.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._idle.clear()
        leaving = threading.Thread(target=self._leave, name="leave", daemon=True)
        leaving.start()
        leaving.join(_GOODBYE_S)

    def _leave(self) -> None:
        with suppress(StoreError):  # whatever it has to say, nobody asks any more
            self._base.close()

    @contextmanager
    def _cursor(self) -> Generator[Database]:
        """A connection that nobody else uses at the moment."""
        with self._lock:
            if self._closed:
                raise StoreError("this connection to the store was closed")
            cursor = self._idle.pop() if self._idle else self._base.cursor()
        try:
            yield cursor
        finally:
            with self._lock:
                if not self._closed:
                    self._idle.append(cursor)


def _elsewhere(work: Callable[[], Answer], answers: Callable[[], bool]) -> Answer:
    """Do something in another thread, and look after the server while it takes long.

    DuckDB waits for a server for a day, and meanwhile its thread hears neither Ctrl-C nor anybody.

    Raises:
        LostError: the server does not answer any more; the thread is left to itself.

    """
    done: Future[Answer] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            done.set_exception(error)

    threading.Thread(target=run, name="quack", daemon=True).start()
    while not wait([done], _LOOK_EVERY_S).done:
        if not answers():
            raise LostError("it does not answer any more")
    return done.result()


def rows(done: duckdb.DuckDBPyConnection) -> Table:
    """Fetch plain rows."""
    columns = tuple(str(column[0]) for column in done.description or [])
    fetched: list[tuple[object, ...]] = done.fetchall()
    return Table(columns, fetched)


def arrow(done: duckdb.DuckDBPyConnection) -> object:
    """Fetch a ``pyarrow.Table``."""
    # By name, because its type is one of pyarrow's, which need not be installed.
    fetch = cast("Callable[[], object]", getattr(done, _ARROW))
    return fetch()


def _what_was_said(error: duckdb.Error) -> Exception:
    """The server's own sentence, or that it could not be reached."""
    words = str(error)
    if (said := unmarked(words)) is not None:
        return LostError(said.problem) if isinstance(said, UnreachableError) else said
    if _DENIED in words:
        return _DeniedError()
    return LostError(_first_line(error))


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().partition("\n")[0]
