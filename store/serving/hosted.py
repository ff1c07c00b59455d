"""The store while it is served: opened, shut off from everything else, loaded, closed.

The order at the beginning matters. The loader's files in memory are made first, because the
only paths that DuckDB may still read afterwards are theirs; then the extensions are loaded, the
way to the outside is closed, the settings are locked, and only then does Quack listen.

It can be closed and opened again in one process, for ``load --rebuild`` and after a disk was
full. DuckDB holds the file for a moment longer than its last connection, so closing waits.
"""

import contextlib
import secrets
import socket
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from duckdb.func import SPECIAL
from duckdb.sqltypes import VARCHAR

from barograph.log.port import Log
from store.catalogue import serving
from store.database import Database, Settings, open_database
from store.errors import StoreError
from store.loader import Loader, LoadReport
from store.serving.answering import Answering, Limits
from store.serving.breadth import Breadth
from store.serving.extensions import load_extensions
from store.serving.keeping import Follower, Keeping

HOST: Final = "127.0.0.1"
MOST_SPILLED: Final = "8GiB"
"""What questions and loads may put on the disk when memory does not do. DuckDB's own default
is nine tenths of the disk, which the running sweep needs more."""
_AUTHORIZE: Final = "barograph_authorize"
_FUNCTIONS: Final[list[object]] = []
"""Keeps what DuckDB was given to call. It forgets a function when the connection is closed that
made it, while threads of Quack may still be about to call it: a crash, unless it lives on."""
_TRIES: Final = 20
_CLOSED_WITHIN_S: Final = 10.0


class Listener(Protocol):
    """Hears what changes in the tables."""

    def committed(self, report: LoadReport) -> None:
        """A batch is in them."""
        ...

    def mark(self) -> None:
        """They changed in another way."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a store is served."""

    port: int = 0
    """0: any that is free."""
    limits: Limits = field(default_factory=Limits)
    settings: Settings = field(default_factory=Settings)
    follow: bool = True
    """Load by itself; otherwise only when asked to."""
    idle_s: float | None = None
    """End after so long without a request; None: only when told to."""


class Hosted:
    """One opening of the store file, with everything that stands on it."""

    def __init__(
        self,
        path: Path,
        options: Options,
        follower: Follower | None,
        listener: Listener,
    ) -> None:
        """Open and serve.

        Args:
            path: the store file; made and migrated where needed.
            options: port and bounds.
            follower: keeps derived tables up with what is loaded.
            listener: hears of every transaction, and whether the follower changed something.

        Raises:
            StoreError: as ``open_database``.

        """
        self.token = secrets.token_hex(24)
        self._path = path
        self._listener = listener
        self._database = open_database(path, settings=options.settings)
        self._beside = self._database.cursor()
        self.keeping = Keeping(self._beside, follower, listener.mark)
        self._inode = path.stat().st_ino
        self._breadth = Breadth(self._database)
        self.loader = Loader(self._database, committed=self._committed, full=self._breadth.widen)
        try:
            self.answering, self.port = self._serve(options)
        except BaseException:
            self.loader.close()
            self._database.close()
            raise

    @property
    def is_gone(self) -> bool:
        """Whether the file was deleted (or replaced) under us, as people are told to do."""
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True

    @contextlib.contextmanager
    def cursor(self) -> Generator[Database]:
        """A connection for another thread, which has much to ask."""
        # Held all the time: threads that end wait for what they run, and questions for them.
        with self._breadth.held(), self._database.cursor() as cursor:
            yield cursor

    def tidy(self) -> None:
        """Let go what is not in use, now and then."""
        self.answering.tidy()
        self._breadth.narrow()

    def load(self, log: Log) -> None:
        """Load what is new; the listener hears how much.

        Raises:
            LogError, StoreError: as ``Loader.load``.

        """
        self.loader.load(log)

    def mend(self) -> None:
        """End what a failure for lack of memory left open."""
        for database in (self._database, self._beside, *self._beside.cursors):
            database.roll_back()

    def close(self) -> None:
        """Stop to serve, write a checkpoint, and wait until the file is let go.

        Raises:
            StoreError: it is not let go; only the end of the process closes it then, and to open
                it again would wait for ever.

        """
        self._stop_serving()
        self.answering.close()
        self.loader.close()
        self._database.close()
        until_s = time.monotonic() + _CLOSED_WITHIN_S
        while _is_open(self._path):
            if time.monotonic() > until_s:
                raise StoreError("the store could not be closed", where=self._path)
            time.sleep(0.005)

    def _stop_serving(self) -> None:
        """Have Quack listen no more; where memory is short even that needs some tries."""
        stop = serving("stop_serving").fill({"address": _address(self.port)})
        for _ in range(_TRIES):
            try:
                self._database.ask(stop)
            except StoreError:
                self.answering.end_all()
                time.sleep(0.05)
            else:
                return

    def _committed(self, report: LoadReport, trials: frozenset[str] | None) -> None:
        # What was loaded can be seen before it is judged.
        self._listener.committed(report)
        self.keeping.told(trials)
        self.keeping.judge(at_once=False)

    def _serve(self, options: Options) -> tuple[Answering, int]:
        database = self._database
        load_extensions(database)
        database.run(serving("answers_database").sql)
        answering = Answering(database, options.limits)

        def authorize(session: str, text: str) -> str | None:
            with self._breadth.used() as may:
                return answering.authorize(session, text) if may else None

        _FUNCTIONS.append(authorize)
        connection = database.connection
        connection.create_function(  # pyright: ignore[reportUnknownMemberType] # numpy's types
            _AUTHORIZE,
            authorize,
            [VARCHAR, VARCHAR],
            VARCHAR,
            side_effects=True,
            null_handling=SPECIAL,
        )
        restrain = serving("restrain").fill(
            {
                "paths": self.loader.paths,
                "most_spilled": MOST_SPILLED,
                "function": _AUTHORIZE,
            }
        )
        database.run(restrain)
        return answering, self._listen(options.port)

    def _listen(self, wanted: int) -> int:
        """Have Quack listen; the port that it got."""
        for attempt in range(_TRIES):
            port = wanted or _free_port()
            sql = serving("serve").fill({"address": _address(port), "token": self.token})
            try:
                self._database.ask(sql)
            except StoreError:
                # A free port may be taken by the time it is used; one that was named may be
                # that of the server before us, which is just letting it go.
                if attempt + 1 == _TRIES:
                    raise
                time.sleep(0.05)
            else:
                return port
        raise AssertionError(wanted)


def _address(port: int) -> str:
    return f"quack:{HOST}:{port}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_open(path: Path) -> bool:
    """Whether this process has the file open."""
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if link.readlink() == path:
                return True
    return False
