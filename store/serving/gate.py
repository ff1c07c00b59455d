"""What a client may ask: one SELECT statement over the store's own tables, and nothing else.

The judge is DuckDB's own parser. ``json_serialize_sql`` gives the syntax tree of a text that
is nothing but SELECT statements and refuses every other, so a comment, a second statement or
an odd character cannot hide anything: what is judged is what will be run. The tree is then
held to *allow* lists. A statement that the lists do not know is refused, because DuckDB grows
new ones (an INSERT inside WITH, say) and a list of what is forbidden would not.

A SELECT can still act: table functions read files, fetch from other servers, run SQL from a
string or stop this server; some scalar functions sleep or write. So only table functions that
compute or list are let through, and no scalar function that DuckDB itself calls volatile, save
the harmless ones. Tables are named without a database, so that nobody reads another client's
answers. Files and settings are out of reach even so: the server has switched them off
(``store/sql/serving/restrain.sql``).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from store.catalogue import serving
from store.database import Database
from store.errors import StoreError, StoreInputError, StoreRefusal

LONGEST_QUESTION: Final = 1 << 20
"""Characters. The longest of ours names a few thousand sources."""

_NODES: Final = frozenset(
    {
        # Statements and their parts.
        *("SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"),
        *("LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "DISTINCT_MODIFIER"),
        *("ORDER_DEFAULT", "ASCENDING", "DESCENDING"),
        # What may stand behind FROM.
        *("BASE_TABLE", "SUBQUERY", "JOIN", "EXPRESSION_LIST", "EMPTY", "PIVOT"),
        "TABLE_FUNCTION",
    }
)
_TYPE: Final = "_TYPE_INFO"
"""How the name of a node ends that describes the type of a cast."""
_EXPRESSIONS: Final = frozenset(
    {
        *("AGGREGATE", "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON"),
        *("CONJUNCTION", "CONSTANT", "FUNCTION", "LAMBDA", "LAMBDA_REF", "OPERATOR"),
        *("POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE", "WINDOW"),
    }
)
_TABLE_FUNCTIONS: Final = frozenset(
    {
        *("unnest", "range", "generate_series", "repeat", "json_each", "json_tree"),
        *("duckdb_columns", "duckdb_constraints", "duckdb_functions", "duckdb_indexes"),
        *("duckdb_keywords", "duckdb_schemas", "duckdb_tables", "duckdb_types", "duckdb_views"),
    }
)
_HARMLESS: Final = frozenset(
    {
        *("error", "random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid"),
        *("current_query", "current_query_id", "current_transaction_id"),
        "current_connection_id",
    }
)
"""Volatile, but all that they touch is their own result."""
_SERVING: Final = ("quack", "barograph")
"""How the names of functions begin that serve, ours among them."""
_SCHEMAS: Final = frozenset({"", "main", "information_schema", "pg_catalog"})

_ONLY: Final = "one SELECT statement is answered, and nothing else"


class NotAQuestionError(StoreInputError):
    """The text is no SELECT statement at all; it must not even be answered with a sentence.

    Quack asks for leave in the same way before it appends rows, with a text that begins with
    INSERT, and takes *any* text in return as leave. See ``store.serving.answering``.
    """


class Gate:
    """Judges questions, by the functions that one database has."""

    def __init__(self, database: Database) -> None:
        """Ask the database which of its functions act."""
        names = {str(name) for (name,) in database.ask(serving("volatile_functions").sql).rows}
        self._acting = frozenset(names) - _HARMLESS

    def check(self, database: Database, text: str) -> None:
        """Let a question pass.

        Args:
            database: whose parser is asked; the calling thread's own cursor.
            text: what the client sent.

        Raises:
            NotAQuestionError: anything but SELECT statements.
            StoreInputError: not one of them, or one that does more than ask.

        """
        if len(text) > LONGEST_QUESTION:
            raise NotAQuestionError(f"a question has at most {LONGEST_QUESTION:,} characters")
        if "\0" in text:
            # DuckDB's parser ends there; whether everything else does is nothing to rely on.
            raise NotAQuestionError("a question has no NUL")
        for node in _nodes(_statement(database, text)):
            self._check(node)

    def _check(self, node: Mapping[str, object]) -> None:
        kind = node.get("type")
        if "class" in node:
            _demand(node["class"] in _EXPRESSIONS, f"{_shown(node['class'])} has no place here")
            if node["class"] == "FUNCTION":
                self._check_function(node)
        elif isinstance(kind, str):
            _demand(kind in _NODES or kind.endswith(_TYPE), f"{_shown(kind)} has no place here")
            if kind == "TABLE_FUNCTION":
                _check_table_function(node)
            elif kind == "BASE_TABLE":
                _check_table(node)

    def _check_function(self, node: Mapping[str, object]) -> None:
        name = _word(node, "function_name")
        _demand(
            name not in self._acting and not name.startswith(_SERVING),
            f"{name}() does more than compute",
        )


def _statement(database: Database, text: str) -> Mapping[str, object]:
    """The syntax tree of the one statement that the text is."""
    try:
        ((answer,),) = database.ask(serving("syntax_tree").fill({"text": text})).rows
        tree = cast("dict[str, object]", json.loads(str(answer)))
    except (StoreError, ValueError, RecursionError) as error:
        if isinstance(error, StoreRefusal) and not _begins_otherwise(text):
            raise  # even this needs memory
        raise NotAQuestionError("this text cannot be parsed") from error
    if tree.get("error"):
        if tree.get("error_type") == "parser" and not _begins_otherwise(text):
            raise StoreInputError(f"not a SELECT statement: {tree.get('error_message')}")
        raise NotAQuestionError(_ONLY)
    statements = cast("list[dict[str, object]]", tree.get("statements", []))
    if len(statements) != 1:
        raise NotAQuestionError(_ONLY)
    return statements[0]


def _begins_otherwise(text: str) -> bool:
    """Whether even a mistyped statement of this beginning is no question."""
    return text.lstrip("( \t\r\n")[:4].lower() not in {"sele", "from", "with", "valu", "tabl"}


def _check_table_function(node: Mapping[str, object]) -> None:
    called = cast("Mapping[str, object]", node.get("function") or {})
    name = _word(called, "function_name")
    _demand(
        name in _TABLE_FUNCTIONS and not _word(called, "schema") and not _word(called, "catalog"),
        f"{name}() is not among the table functions that may be called",
    )


def _check_table(node: Mapping[str, object]) -> None:
    schema, database = _word(node, "schema_name"), _word(node, "catalog_name")
    _demand(schema in _SCHEMAS and not database, f"{database or schema} is not part of the store")


def _word(node: Mapping[str, object], key: str) -> str:
    return str(node.get(key) or "").lower()


def _shown(value: object) -> str:
    return str(value).lower().replace("_", " ")


def _demand(fine: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like assert
    if not fine:
        raise StoreInputError(otherwise, remedy=_ONLY)


def _nodes(tree: object) -> Iterator[Mapping[str, object]]:
    """All objects of a syntax tree; without recursion, because clients choose its depth."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            node = cast("dict[str, object]", part)
            yield node
            waiting.extend(node.values())
        elif isinstance(part, list):
            waiting.extend(cast("list[object]", part))
