"""A store opens, or says in a sentence why not and what to do about it."""

import os
from pathlib import Path

import duckdb
import pytest

from barograph.errors import ExitCode
from store.catalogue import catalogue, loading
from store.database import Database, Settings, open_database
from store.errors import StoreError, StoreInputError, StoreRefusal
from store.failures import DataRefusedError
from store.reader import Reader
from tests.stores import chunk, dump, golden_lines, load

ONE = Settings(threads=1)


def test_a_new_store_is_made_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with open_database(path, settings=ONE) as database:
        load(database, chunk(golden_lines()))
        before = dump(database)
    assert [one.name for one in tmp_path.iterdir()] == ["a.duckdb"]
    with open_database(path, settings=ONE) as database:
        assert dump(database) == before


def test_a_file_with_nothing_in_it_is_no_store_yet(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    path.touch()
    with open_database(path, settings=ONE) as database:
        assert Reader(database).counts().events == 0


def test_it_can_be_read_where_it_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with open_database(path, settings=ONE) as database:
        load(database, chunk(golden_lines()))
    with open_database(path, settings=ONE, read_only=True) as database:
        assert Reader(database).counts().events == len(golden_lines())
        with pytest.raises(StoreError, match="read-only"):
            database.run("DELETE FROM sample")


def test_a_cursor_sees_what_was_committed(tmp_path: Path) -> None:
    with open_database(tmp_path / "a.duckdb", settings=ONE) as database:
        with database.cursor() as cursor:
            load(database, chunk(golden_lines()))
            assert Reader(cursor).counts().events == len(golden_lines())
        assert Reader(database).counts().events == len(golden_lines())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"hello", "this file is no store"),
        (os.urandom(100_000), "this file is no store"),
        (b'{"v":1}\n' * 5000, "this file is no store"),
    ],
    ids=["short", "noise", "a journal"],
)
def test_a_file_that_is_something_else_is_named(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(content)
    with pytest.raises(StoreInputError, match=sentence) as caught:
        open_database(path, settings=ONE)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code is ExitCode.INPUT
    assert path.read_bytes() == content


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreInputError, match="a folder, not a store"):
        open_database(tmp_path, settings=ONE)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreInputError, match="folder of this store does not exist"):
        open_database(tmp_path / "none" / "a.duckdb", settings=ONE)


def test_a_file_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StoreError):
        open_database(tmp_path / "file" / "a.duckdb", settings=ONE)


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE mine AS SELECT 1 AS a")
    with pytest.raises(StoreInputError, match="no store of Barograph"):
        open_database(path, settings=ONE)
    with duckdb.connect(str(path)) as other:
        assert other.execute("FROM mine").fetchall() == [(1,)]


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with open_database(path, settings=ONE) as database:
        database.run("UPDATE store_format SET number = 999")
    before = path.read_bytes()
    with pytest.raises(StoreInputError, match="a newer version of Barograph wrote this store"):
        open_database(path, settings=ONE)
    assert path.read_bytes() == before


def test_an_older_store_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    *older, _newest = catalogue("migrations").values()
    with duckdb.connect(path, config={"storage_compatibility_version": "latest"}) as connection:
        old = Database(connection, path)
        for number, migration in enumerate(older, start=1):
            old.run(migration.sql)
            old.run(loading("set_format").fill({"number": number}))
    with pytest.raises(StoreInputError, match="may not be written now"):
        open_database(path, settings=ONE, read_only=True)
    with open_database(path, settings=ONE) as database:
        load(database, chunk(golden_lines()))
        assert len(Reader(database).tries()) == 3


@pytest.mark.parametrize("at", [0, 4096, 5000, 9000])
def test_a_broken_store_says_that_it_can_be_rebuilt(tmp_path: Path, at: int) -> None:
    path = tmp_path / "a.duckdb"
    with open_database(path, settings=ONE) as database:
        load(database, chunk(golden_lines()))
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + b"x" * 4000 + whole[at + 4000 :])
    with pytest.raises(StoreInputError, match="rebuilt from the log"):
        open_database(path, settings=ONE)


def test_a_store_that_was_cut_off_says_so_too(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    open_database(path, settings=ONE).close()
    path.write_bytes(path.read_bytes()[:8000])
    with pytest.raises(StoreInputError, match="rebuilt from the log"):
        open_database(path, settings=ONE)


def test_values_that_do_not_fit_are_told_from_a_statement_that_is_wrong(tmp_path: Path) -> None:
    with open_database(tmp_path / "a.duckdb", settings=ONE) as database:
        with pytest.raises(DataRefusedError):
            database.ask("SELECT 'x'::BIGINT")
        with pytest.raises(StoreError, match="the store failed") as caught:
            database.ask("SELEC 1")
        assert not isinstance(caught.value, DataRefusedError)


def test_a_question_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    small = Settings(threads=1, memory_limit="30MB")
    with open_database(tmp_path / "a.duckdb", settings=small) as database:
        with pytest.raises(StoreRefusal, match=r"memory|no room"):
            database.ask("SELECT string_agg(i::VARCHAR) FROM range(20000000) AS t(i)")
        assert database.ask("SELECT 1").rows == [(1,)]


def test_what_fails_in_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    with open_database(tmp_path / "a.duckdb", settings=ONE) as database:
        with pytest.raises(DataRefusedError):
            _write_and_fail(database)
        assert Reader(database).positions() == {}


def _write_and_fail(database: Database) -> None:
    with database.transaction():
        database.run("INSERT INTO log_position VALUES ('s', 1)")
        database.run("SELECT 'x'::BIGINT")
