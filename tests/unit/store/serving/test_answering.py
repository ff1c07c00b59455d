"""Answers within bounds: of time, of rows, and of what the loader leaves."""

import threading
from collections.abc import Generator

import pytest

from store.catalogue import serving
from store.database import Database, Settings, memory_database
from store.errors import QueryTooLong, StoreInputError, StoreRefusal
from store.serving.answering import Answering, Limits
from store.serving.wording import unmarked

ENDLESS = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"
WIDE = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7"


@pytest.fixture
def database() -> Generator[Database]:
    with memory_database(Settings(threads=2, memory_limit="200MiB")) as opened:
        opened.run(serving("answers_database").sql)
        yield opened


def answered(database: Database, answering: Answering, question: str) -> list[tuple[object, ...]]:
    sql = answering.authorize("s", question)
    assert sql is not None
    return database.ask(sql).rows


def refused(answering: Answering, question: str) -> Exception:
    sql = answering.authorize("s", question)
    assert sql is not None
    assert sql.startswith("SELECT error(")
    said = unmarked(sql)
    assert said is not None
    return said


def test_a_question_is_answered_in_its_order(database: Database) -> None:
    answering = Answering(database, Limits())
    assert answered(database, answering, "SELECT 1 AS a, 'x' AS b;") == [(1, "x")]
    rows = answered(database, answering, "SELECT i FROM range(300000) t(i) ORDER BY i DESC")
    assert [row[0] for row in rows] == list(range(299999, -1, -1))
    assert answered(database, answering, "SELECT 1 -- a comment") == [(1,)]


@pytest.mark.parametrize("text", ["INSERT INTO main.sample VALUES (NULL)", "DROP TABLE x", ""])
def test_what_is_no_question_is_answered_with_nothing(text: str, database: Database) -> None:
    assert Answering(database, Limits()).authorize("s", text) is None


@pytest.mark.parametrize("question", [ENDLESS, WIDE])
def test_a_question_ends_when_its_time_is_over(question: str, database: Database) -> None:
    answering = Answering(database, Limits(query_s=0.2))
    error = refused(answering, question)
    assert isinstance(error, QueryTooLong | StoreRefusal)
    assert answered(database, answering, "SELECT 1") == [(1,)]
    assert not answering.busy


def test_a_question_that_needs_too_much_memory_is_refused(database: Database) -> None:
    database.run("SET max_temp_directory_size = '1MiB'")
    answering = Answering(database, Limits(query_s=60))
    error = refused(answering, "SELECT list(repeat('x', 1000) || i) FROM range(3000000) t(i)")
    assert isinstance(error, StoreRefusal)
    assert "memory" in str(error)
    assert answered(database, answering, "SELECT 1") == [(1,)]


def test_an_answer_of_too_many_rows_is_refused_and_forgotten(database: Database) -> None:
    answering = Answering(database, Limits(rows=10))
    assert "11 rows; at most 10" in str(refused(answering, "FROM range(11)"))
    assert len(answered(database, answering, "FROM range(10)")) == 10
    assert tables(database) == 1


def test_answers_are_forgotten_with_age(database: Database) -> None:
    answering = Answering(database, Limits())
    for _ in range(3):
        answered(database, answering, "SELECT 1")
    answering.tidy()
    assert tables(database) == 3
    answering.tidy(older_than_s=-1)
    assert tables(database) == 0


def test_what_cannot_be_answered_is_said_in_duckdbs_words(database: Database) -> None:
    answering = Answering(database, Limits())
    for question, words in [
        ("SELECT * FROM nothing", "nothing does not exist"),
        ("SELECT nothing FROM sample", '"nothing"'),
        ("SELECT 'x'::INTEGER", "Could not convert"),
        ('SELECT error(\'barograph:{"kind": "log"}\')', "barograph"),
    ]:
        error = refused(answering, question)
        assert isinstance(error, StoreInputError)
        assert words in str(error)


def test_readers_give_way_when_the_loader_needs_the_memory(database: Database) -> None:
    answering = Answering(database, Limits(query_s=60))
    answered(database, answering, "SELECT 1")
    found: list[Exception] = []
    later: list[str | None] = []
    reader = threading.Thread(target=lambda: found.append(refused(answering, ENDLESS)))
    reader.start()
    while not answering.busy:
        pass
    next_one = threading.Thread(target=lambda: later.append(answering.authorize("s", "SELECT 2")))
    with answering.kept_out():
        reader.join()
        assert "for loading" in str(found[0])
        assert tables(database) == 0
        next_one.start()
        next_one.join(0.1)
        assert later == []
    next_one.join()
    assert later[0] is not None
    assert database.ask(later[0]).rows == [(2,)]


def test_nothing_is_answered_once_it_is_closed(database: Database) -> None:
    answering = Answering(database, Limits())
    answered(database, answering, "SELECT 1")
    answering.close()
    other: list[Exception] = []
    thread = threading.Thread(target=lambda: other.append(refused(answering, "SELECT 1")))
    thread.start()
    thread.join()
    assert "closed" in str(other[0])


def test_clients_are_counted_by_their_sessions(database: Database) -> None:
    answering = Answering(database, Limits())
    for session in ("a", "b", "a"):
        answering.authorize(session, "SELECT 1")
    assert (answering.clients, answering.asked) == (2, 3)


def tables(database: Database) -> int:
    rows = database.ask("SELECT table_name FROM duckdb_tables() WHERE database_name = 'answers'")
    return len(rows.rows)
