"""The DuckDB file: opened by one process at a time, migrated, and never in between.

A new file is built and migrated under another name beside its place and then linked
there, so that whoever is killed meanwhile leaves nothing that looks like a store. A
migration and the number that says it was made are one transaction. What DuckDB cannot open
is told apart, because the remedies differ: a file that another process holds (wait), one
that a newer version wrote (update), one that is broken or something else (delete it: the
log rebuilds it), a disk that is full or read-only (mend that).

Durability is DuckDB's own: COMMIT returns after an fsync of its write-ahead log, and the
file is closed by a checkpoint. Nothing is lost with it anyway: every table is a fold of the log.
"""

import contextlib
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from weakref import WeakSet

import duckdb

from store.answers import Table
from store.catalogue import catalogue, loading
from store.errors import StoreInputError
from store.failures import opening_failure, running_failure

_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    # The newest formats that the pinned DuckDB writes: a tenth less time a sample.
    "storage_compatibility_version": "latest",
    # Nothing is downloaded at run time; json is part of the wheel.
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    # What is loaded comes from wheels whose hashes are locked. DuckDB's own signature check
    # reads 50 MB again in every command, 0.3 s; whoever can change those can change this file.
    "allow_unsigned_extensions": True,
    # The loader reads each batch through the same path; a cache by path would lie.
    "enable_external_file_cache": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a process grants DuckDB."""

    threads: int | None = None
    """None: as many as the machine has cores."""
    memory_limit: str = "1GiB"
    """A store is opened beside running trials, so it may not take the 80% that DuckDB would;
    what does not fit is spilled to the disk."""


DEFAULT_SETTINGS: Final = Settings()


class Database:
    """An open store. One connection: use ``cursor`` for a second thread."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        """Wrap an open connection; see ``open_database``."""
        self._connection = connection
        self._cursors: WeakSet[Database] = WeakSet()
        self.path = path

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See ``close``."""
        self.close()

    def ask(self, sql: str) -> Table:
        """Run one statement and return all it answers.

        Raises:
            StoreError: it failed; ``DataRefusedError`` when the values were to blame.

        """
        with self._failures():
            cursor = self._connection.execute(sql)
            described = cursor.description or []
            rows: list[tuple[object, ...]] = cursor.fetchall() if described else []
        return Table(tuple(str(column[0]) for column in described), rows)

    def stream(self, sql: str, at_once: int) -> Iterator[list[tuple[object, ...]]]:
        """Run one statement and yield what it answers, some rows at a time; raises as ``ask``."""
        with self._failures():
            cursor = self._connection.execute(sql)
            while rows := cursor.fetchmany(at_once):
                yield rows

    def run(self, sql: str) -> None:
        """Run statements whose answers do not matter; raises as ``ask`` does."""
        with self._failures():
            self._connection.execute(sql)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """All of the block or nothing of it."""
        self.run("BEGIN")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self.roll_back()
            raise

    def roll_back(self) -> None:
        """End what a failure left open: a commit that lacked memory, say.

        After a full disk DuckDB may have done so already, or be past it.
        """
        with contextlib.suppress(duckdb.Error):
            self._connection.execute("ROLLBACK")

    @property
    def cursors(self) -> "list[Database]":
        """Those made by ``cursor`` that are still in use."""
        return list(self._cursors)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """DuckDB's own object, for what this class does not say (functions, interrupts)."""
        return self._connection

    def cursor(self) -> "Database":
        """Another connection to the same open store, for another thread."""
        cursor = Database(self._connection.cursor(), self.path)
        self._cursors.add(cursor)
        return cursor

    def close(self) -> None:
        """Write a checkpoint and let the file go. Closing twice is no error.

        Its cursors are closed too: one that somebody forgot would keep the file open.
        """
        for cursor in self.cursors:
            cursor.close()
        with self._failures():
            self._connection.close()

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except duckdb.Error as error:
            raise running_failure(error, self.path) from error


def open_database(
    path: Path, *, settings: Settings = DEFAULT_SETTINGS, read_only: bool = False
) -> Database:
    """Open the store at ``path``; make it when it is not there, migrate it when it is older.

    Args:
        path: the file.
        settings: threads and memory.
        read_only: for answers from a file that may not be written; nothing is migrated.

    Raises:
        StoreBusyError: another process has it open.
        StoreInputError: no store, a broken one, or one that a newer version wrote.
        StoreRefusal: it cannot be written, or there is no room.

    """
    if not read_only:
        _make_if_missing(path, settings)
    database = Database(_connect(path, settings, read_only=read_only), path)
    try:
        _bring_up_to_date(database, read_only=read_only)
    except BaseException:
        database.close()
        raise
    return database


def memory_database(settings: Settings = DEFAULT_SETTINGS) -> Database:
    """A store without a file, for tests and for notebooks over a small log."""
    path = Path(":memory:")
    database = Database(_in_memory(settings), path)
    _bring_up_to_date(database, read_only=False)
    return database


def memory_connection(settings: Settings = DEFAULT_SETTINGS) -> Database:
    """DuckDB without a file and without a store in it: what a client asks another through."""
    return Database(_in_memory(settings), Path(":memory:"))


def scratch_database(path: Path, settings: Settings = DEFAULT_SETTINGS) -> Database:
    """A file for more than memory holds, without a store in it; the caller deletes it.

    Raises:
        StoreError: it cannot be made.

    """
    return Database(_connect(path, settings, read_only=False), path)


def _make_if_missing(path: Path, settings: Settings) -> None:
    """Build an empty store beside ``path`` and link it there, all at once."""
    try:
        if path.stat().st_size:
            return
        # Somebody touched it, or an earlier version died here: there is nothing in it.
        path.unlink()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise opening_failure(error, path) from error
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.unlink(missing_ok=True)
        with Database(_connect(fresh, settings, read_only=False), path) as database:
            _bring_up_to_date(database, read_only=False)
        with contextlib.suppress(FileExistsError):  # another process was faster
            path.hardlink_to(fresh)
    except OSError as error:
        raise opening_failure(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def _connect(path: Path, settings: Settings, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        opened = duckdb.connect(str(path), read_only=read_only, config=_config(settings))
    except duckdb.Error as error:
        raise opening_failure(error, path) from error
    return opened.execute(loading("quiet").sql)


def _in_memory(settings: Settings) -> duckdb.DuckDBPyConnection:
    opened = duckdb.connect(":memory:", config=_config(settings))
    return opened.execute(loading("quiet").sql)


def _config(settings: Settings) -> dict[str, str | bool | int | float | list[str]]:
    config = {**_CONFIG, "memory_limit": settings.memory_limit}
    if settings.threads is not None:
        config["threads"] = settings.threads
    return config


def _bring_up_to_date(database: Database, *, read_only: bool) -> None:
    migrations = list(catalogue("migrations").values())
    made = _migrations_made(database)
    if made > len(migrations):
        raise StoreInputError(
            f"a newer version of Barograph wrote this store (format {made}; this one knows "
            f"{len(migrations)})",
            where=database.path,
            remedy="use that version, or delete the file: it is rebuilt from the log",
        )
    if made == len(migrations):
        return
    if read_only:
        raise StoreInputError(
            "an older version wrote this store, and it may not be written now",
            where=database.path,
            remedy="open it once where it can be written, to migrate it",
        )
    for number, migration in enumerate(migrations[made:], start=made + 1):
        with database.transaction():
            database.run(migration.sql)
            database.run(loading("set_format").fill({"number": number}))


def _migrations_made(database: Database) -> int:
    tables = {str(row[0]) for row in database.ask(loading("tables").fill({})).rows}
    if not tables:
        return 0
    if "store_format" not in tables:
        raise StoreInputError(
            "this is a DuckDB file, but no store of Barograph",
            where=database.path,
            remedy="name another file, or move this one away",
        )
    ((made,),) = database.ask(loading("format").fill({})).rows
    return int(str(made))
