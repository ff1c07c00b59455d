"""A client with the read token, and DuckDB's own client, can do no more than ask.

It speaks to the server as any program could: through the attached database, whose inserts
do not go through the text of a question, and through raw questions. Afterwards the tables are
what they were, nothing was written, and the server lives.
"""

import contextlib
from collections.abc import Generator
from pathlib import Path

import duckdb
import pytest

from barograph.folder import DataFolder
from store.database import Settings, memory_connection
from store.errors import QueryTooLong, StoreError, StoreInputError, StoreRefusal
from store.literals import literal
from store.serving.client import Served
from store.serving.extensions import load_extensions
from store.serving.files import read_token

ATTACHED = [
    "INSERT INTO r.main.log_position VALUES ('x', 1)",
    "INSERT INTO r.main.log_position SELECT 'x' || i, 1 FROM range(100000) t(i)",
    "COPY r.main.log_position FROM '{csv}'",
    "CREATE TABLE r.main.x (i INTEGER)",
    "CREATE TABLE r.main.x AS SELECT 1 AS i",
    "CREATE VIEW r.main.x AS SELECT 1 AS i",
    "CREATE SCHEMA r.x",
    "DROP TABLE r.main.sample",
    "DROP VIEW r.main.evidence",
    "ALTER TABLE r.main.sample ADD COLUMN x INTEGER",
    "DELETE FROM r.main.sample",
    "UPDATE r.main.sample SET seq = 1",
    "CHECKPOINT r",
]
QUESTIONS = [
    "DROP TABLE sample",
    "SELECT 1; DROP TABLE sample",
    "INSERT INTO log_position VALUES ('x', 1)",
    "COPY sample TO '{out}'",
    "COPY (SELECT 1) TO '{out}'",
    "EXPORT DATABASE '{out}'",
    "ATTACH '{out}' AS x",
    "CREATE TABLE answers.mine AS SELECT 1",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET GLOBAL quack_authorization_function = 'quack_nop_authorization'",
    "RESET GLOBAL quack_authorization_function",
    "CALL quack_stop('quack:127.0.0.1:1')",
    "SELECT * FROM quack_server_list()",
    "SELECT * FROM quack_active_connections()",
    "SELECT barograph_authorize('s', 'DROP TABLE sample')",
    "SELECT content FROM read_text('{csv}')",
    "SELECT * FROM '{csv}'",
    'SELECT * FROM "{csv}"',
    "SELECT * FROM '/proc/self/fd/3'",
    "SELECT * FROM '/proc/self/environ'",
    "SELECT * FROM glob('/*')",
    "FROM text",
    "FROM sys",
    "FROM answers.a0",
    "SELECT getenv('HOME')",
    "LOAD httpfs",
    "INSTALL spatial",
    "USE answers",
    "BEGIN TRANSACTION",
]


@pytest.fixture
def hostile(served: Served, folder: DataFolder) -> Generator[duckdb.DuckDBPyConnection]:
    with memory_connection(Settings()) as client:
        load_extensions(client)
        token = read_token(folder.serve_token)
        port = served.status().port
        client.run(f"ATTACH 'quack:127.0.0.1:{port}' AS r (TOKEN '{token}')")
        yield client.connection


def state(served: Served) -> list[tuple[object, ...]]:
    tables = served.ask(
        "SELECT table_name, sql FROM duckdb_tables() WHERE database_name <> 'answers' ORDER BY ALL"
    )
    return [*tables.rows, *served.ask("SELECT * FROM log_position ORDER BY ALL").rows]


def test_nothing_that_a_client_tries_changes_anything(
    served: Served, hostile: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    places = {"csv": str(tmp_path / "in.csv"), "out": str(tmp_path / "out")}
    (tmp_path / "in.csv").write_text("x,1\n")
    before, beside = state(served), sorted(tmp_path.iterdir())
    for text in ATTACHED:
        with pytest.raises(duckdb.Error):
            hostile.execute(text.format(**places)).fetchall()
    for text in QUESTIONS:
        asked = f"FROM quack_query_by_name('r', {literal(text.format(**places))})"
        with pytest.raises(duckdb.Error):
            hostile.execute(asked).fetchall()
    assert state(served) == before
    assert sorted(tmp_path.iterdir()) == beside


def test_in_a_transaction_of_the_client_neither(
    served: Served, hostile: duckdb.DuckDBPyConnection
) -> None:
    before = state(served)
    for end in ("COMMIT", "ROLLBACK"):
        hostile.execute("BEGIN")
        with pytest.raises(duckdb.Error):
            hostile.execute(ATTACHED[0])
        with contextlib.suppress(duckdb.Error):
            hostile.execute(end)
    assert state(served) == before


def test_another_token_opens_nothing(served: Served, folder: DataFolder) -> None:
    port = served.status().port
    with memory_connection(Settings()) as client:
        load_extensions(client)
        for token in ("0000", "x" * 48, read_token(folder.write_token)):
            with pytest.raises(StoreError):
                client.run(f"ATTACH 'quack:127.0.0.1:{port}' AS r (TOKEN '{token}')")


def test_what_lets_in_is_for_its_owner_alone(served: Served, folder: DataFolder) -> None:
    for path in (folder.serve_token, folder.write_token, folder.serve_address, folder.serve_socket):
        assert path.stat().st_mode & 0o777 == 0o600
    assert len(read_token(folder.serve_token)) >= 32
    assert read_token(folder.serve_token) != read_token(folder.write_token)


def test_a_question_is_bounded(served: Served) -> None:
    watermark = served.watermark()
    with pytest.raises(StoreRefusal, match="rows"):
        served.ask("FROM range(2000000)")
    with pytest.raises((QueryTooLong, StoreRefusal)):
        served.ask("SELECT list(repeat('x', 1000) || i) FROM range(5000000) t(i)")
    with pytest.raises(QueryTooLong, match="10 s"):
        served.ask(
            "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r"
        )
    assert served.ask("SELECT 1").rows == [(1,)]
    assert served.watermark() == watermark


def test_names_of_others_answers_lead_nowhere(served: Served) -> None:
    served.ask("SELECT 'secret' AS word")
    for number in range(5):
        for name in (f"answers.a{number}", f"answers.main.a{number}", f'"answers".a{number}'):
            with pytest.raises(StoreInputError):
                served.ask(f"FROM {name}")
