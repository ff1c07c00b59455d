"""What may be asked of a served store, and everything that may not."""

import pytest

from store.catalogue import catalogue
from store.database import Database
from store.errors import StoreInputError
from store.serving.gate import LONGEST_QUESTION, Gate, NotAQuestionError
from tests.stores import empty_store

QUESTIONS = [
    "SELECT 1",
    "select 1;",
    " /* a ; in a comment */ select ';' -- ; and another",
    "FROM sample",
    "TABLE sample",
    "VALUES (1), (2)",
    "(SELECT 1) UNION ALL SELECT 2 EXCEPT SELECT 3",
    "WITH a AS MATERIALIZED (FROM sample) SELECT count(*) FROM a",
    "WITH RECURSIVE r AS (SELECT 1 i UNION ALL SELECT i + 1 FROM r WHERE i < 3) FROM r",
    "SELECT * EXCLUDE (source) REPLACE (1 AS seq) FROM sample QUALIFY row_number() OVER () = 1",
    "SELECT list_transform([1], lambda x: x + 1), [x for x in [1, 2]], {'a': 1}.a",
    "SELECT * FROM sample USING SAMPLE 10%",
    "SELECT CASE WHEN true THEN 1 END, CAST('1' AS INTEGER[]), date '2020-01-01', INTERVAL 1 DAY",
    "FROM sample PIVOT (count(*) FOR trial IN ('a', 'b'))",
    "SELECT * FROM sample a ASOF JOIN sample b USING (t_us), LATERAL (SELECT unnest([1]))",
    "SELECT count(DISTINCT seq) FILTER (seq > 1), grouping(v) FROM sample s(v) GROUP BY CUBE (v)",
    "SELECT column_name FROM information_schema.columns",
    "SELECT * FROM duckdb_tables(), range(3), generate_series(1, 2), json_each('[1]')",
    "SELECT random(), uuid(), error('x')",
    "SELECT trial COLLATE nocase FROM main.sample ORDER BY ALL DESC LIMIT 10% OFFSET 1",
]
NO_QUESTIONS = [
    "",
    " ",
    ";",
    "-- nothing",
    "/* nothing */",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE sample",
    "SELECT 1;; DROP TABLE sample",
    "SELECT 1 /* ; */ ; DROP TABLE sample --",
    "select 1\x00; drop table sample",
    "INSERT INTO sample VALUES (NULL)",
    "insert into main.sample VALUES (NULL)",
    "/**/INSERT INTO sample VALUES (NULL)",
    "(((INSERT INTO sample VALUES (NULL)",
    "UPDATE sample SET seq = 1",
    "DELETE FROM sample",
    "TRUNCATE sample",
    "DROP TABLE sample",
    "CREATE TABLE x AS SELECT 1",
    "CREATE OR REPLACE MACRO f() AS TABLE FROM read_text('/etc/passwd')",
    "ALTER TABLE sample ADD COLUMN x INTEGER",
    "COPY sample TO '/tmp/x'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "COPY sample FROM '/etc/passwd'",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "ATTACH '/tmp/x.duckdb' AS x",
    "DETACH answers",
    "USE answers",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '1TB'",
    "RESET memory_limit",
    "SET VARIABLE x = 1",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CALL quack_stop('quack:localhost:1')",
    "CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    "BEGIN TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "PREPARE x AS SELECT 1",
    "EXECUTE x",
    "EXPLAIN SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "PIVOT sample ON trial",
    "MERGE INTO sample USING (SELECT 1) ON true WHEN NOT MATCHED THEN INSERT VALUES (1)",
    "CREATE SECRET s (TYPE quack, TOKEN 'x')",
    "COMMENT ON TABLE sample IS 'x'",
]
ACTS = [
    # (what is asked, what the sentence names)
    ("SELECT * FROM read_text('/etc/passwd')", "read_text()"),
    ("SELECT * FROM READ_CSV('/etc/passwd')", "read_csv()"),
    ("SELECT * FROM \"read_blob\"('/etc/passwd')", "read_blob()"),
    ("SELECT * FROM main.read_text('/etc/passwd')", "read_text()"),
    ("SELECT * FROM system.main.read_text('/etc/passwd')", "read_text()"),
    ("SELECT * FROM system.main.range(3)", "range()"),
    ("SELECT * FROM glob('/etc/*')", "glob()"),
    ("SELECT * FROM parquet_scan('x')", "parquet_scan()"),
    ("SELECT * FROM sniff_csv('x')", "sniff_csv()"),
    ("SELECT * FROM query('DROP TABLE sample')", "query()"),
    ("SELECT * FROM query_table('sample')", "query_table()"),
    ("SELECT * FROM json_execute_serialized_sql('{}')", "json_execute_serialized_sql()"),
    ("SELECT * FROM quack_stop('quack:localhost:1')", "quack_stop()"),
    ("SELECT * FROM quack_serve('quack:0.0.0.0:1', token => 'abcd')", "quack_serve()"),
    ("SELECT * FROM quack_query('quack:localhost:1', 'x')", "quack_query()"),
    ("SELECT 1 WHERE 1 IN (SELECT 1 FROM quack_stop('quack:localhost:1'))", "quack_stop()"),
    ("SELECT (SELECT content FROM read_text('/etc/passwd'))", "read_text()"),
    ("WITH a AS (FROM read_text('/etc/passwd')) SELECT 1", "read_text()"),
    ("SELECT 1 UNION ALL (SELECT 1 FROM read_text('x'))", "read_text()"),
    ("SELECT 1 ORDER BY (SELECT 1 FROM read_text('x'))", "read_text()"),
    ("SELECT 1 LIMIT (SELECT 1 FROM read_text('x'))", "read_text()"),
    ("SELECT list_transform([1], lambda x: (SELECT 1 FROM read_text('x')))", "read_text()"),
    ("SELECT sum(1) OVER (ORDER BY (SELECT 1 FROM read_text('x')))", "read_text()"),
    ("SELECT * REPLACE ((SELECT 1 FROM read_text('x')) AS seq) FROM sample", "read_text()"),
    ("FROM sample a JOIN sample b ON EXISTS (FROM read_text('x'))", "read_text()"),
    ("FROM (VALUES ((SELECT 1 FROM read_text('x')))) v(a)", "read_text()"),
    ("FROM sample PIVOT (count(*) FOR trial IN (SELECT content FROM read_text('x')))", ""),
    ("SELECT * FROM range((SELECT 1 FROM read_text('x')))", "read_text()"),
    ("SELECT * FROM duckdb_secrets()", "duckdb_secrets()"),
    ("SELECT * FROM duckdb_settings()", "duckdb_settings()"),
    ("SELECT * FROM duckdb_logs()", "duckdb_logs()"),
    ("SELECT * FROM checkpoint()", "checkpoint()"),
    ("SELECT * FROM force_checkpoint()", "force_checkpoint()"),
    ("SELECT * FROM enable_logging()", "enable_logging()"),
    ("SELECT * FROM pragma_database_size()", "pragma_database_size()"),
    ("SELECT * FROM histogram('answers.a1', 'x')", "histogram()"),
    ("SELECT sleep_ms(100000)", "sleep_ms()"),
    ("SELECT SLEEP_MS(100000)", "sleep_ms()"),
    ("SELECT (100000).sleep_ms()", "sleep_ms()"),
    ("SELECT write_log('x')", "write_log()"),
    ("SELECT barograph_authorize('s', 'DROP TABLE sample')", "barograph_authorize()"),
    ("SELECT quack_check_token('a', 'b', 'c')", "quack_check_token()"),
    ("SELECT nextval('x')", "nextval()"),
    ("SELECT setseed(0.5)", "setseed()"),
    ("FROM answers.a1", "answers"),
    ("FROM ANSWERS.a1", "answers"),
    ("FROM answers.main.a1", "answers"),
    ('FROM "answers"."main"."a1"', "answers"),
    ("FROM temp.incoming", "temp"),
    ("FROM system.information_schema.tables", "system"),
    ("DESCRIBE sample", "show ref"),
    ("SHOW TABLES", "show ref"),
    ("SELECT * FROM (SUMMARIZE sample)", "show ref"),
    ("SELECT $1", "parameter"),
    ("WITH a AS (INSERT INTO sample VALUES (1) RETURNING *) SELECT * FROM a", "SELECT"),
    ("WITH a AS (DELETE FROM sample RETURNING *) SELECT * FROM a", "SELECT"),
    ("SELECT * FROM (INSERT INTO sample VALUES (1))", ""),
    ("selec 1", ""),
    ("SELECT 1 FROM", ""),
]


@pytest.fixture(scope="module")
def database() -> Database:
    return empty_store()


@pytest.fixture(scope="module")
def gate(database: Database) -> Gate:
    return Gate(database)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_passes(question: str, gate: Gate, database: Database) -> None:
    gate.check(database, question)


@pytest.mark.parametrize("name", sorted(catalogue("queries")))
def test_the_named_questions_pass(name: str, gate: Gate, database: Database) -> None:
    statement = catalogue("queries")[name]
    lists = {name for name in statement.values if f"IN ${name}" in statement.sql}
    values = {name: ["x"] if name in lists else 1 for name in statement.values}
    gate.check(database, statement.fill(values))


@pytest.mark.parametrize("text", NO_QUESTIONS)
def test_what_is_no_question_is_not_even_answered(
    text: str, gate: Gate, database: Database
) -> None:
    with pytest.raises(NotAQuestionError):
        gate.check(database, text)


@pytest.mark.parametrize(("text", "named"), ACTS)
def test_a_question_that_acts_is_refused(
    text: str, named: str, gate: Gate, database: Database
) -> None:
    with pytest.raises(StoreInputError) as refused:
        gate.check(database, text)
    assert named in str(refused.value)


def test_odd_spaces_and_letters_hide_nothing(gate: Gate, database: Database) -> None:
    for space in "\t\n\r\f\v\u00a0\u2003\u3000\ufeff":
        for text in (f"DROP{space}TABLE sample", f"SELECT 1;{space}DROP TABLE sample"):
            with pytest.raises(StoreInputError):
                gate.check(database, text)
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in "SELECT")
    for text in (f"{wide} 1", "SELECT * FROM read_te\u0445t('x')", "FROM \uff52ead_text('x')"):
        with pytest.raises(StoreInputError):
            gate.check(database, text)


def test_depth_and_length_are_no_way_around(gate: Gate, database: Database) -> None:
    gate.check(database, "(" * 1000 + "SELECT 1" + ")" * 1000)
    deep = "SELECT " + "(" * 50_000 + "1" + ")" * 50_000
    nested = "SELECT " + "(SELECT " * 300 + "content FROM read_text('x')" + ")" * 300
    with pytest.raises(StoreInputError):
        gate.check(database, deep)
    with pytest.raises(StoreInputError):
        gate.check(database, nested)
    with pytest.raises(NotAQuestionError, match="characters"):
        gate.check(database, "SELECT '" + "x" * LONGEST_QUESTION + "'")
