"""Values as SQL text, so that one query can run here and, later, on another's connection.

DuckDB's client for a served store takes SQL text and no parameters, and binding a
parameter in process makes duckdb import pandas wherever that is installed (0.6 s for a
command that answers in 10 ms). So values are quoted here, in one place, under a property
test that everything comes back as it went in.
"""

import math
from collections.abc import Mapping, Sequence

Value = None | bool | int | float | str | bytes | Sequence["Value"]


def literal(value: Value) -> str:
    """Write ``value`` as a DuckDB literal.

    Raises:
        ValueError: a number that is not finite; no question has one.

    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number(value)
        case str():
            return _text(value)
        case bytes():
            return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"
        case _:
            return "[" + ", ".join(literal(item) for item in value) + "]"


def literals(values: Mapping[str, Value]) -> dict[str, str]:
    """Quote every value of a mapping."""
    return {name: literal(value) for name, value in values.items()}


def _number(value: int | float) -> str:
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"not a finite number: {value}")
    return f"{value!r}::DOUBLE"


def _text(value: str) -> str:
    """Quote text; a NUL ends a statement for DuckDB's parser, so it is spelled as chr(0)."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"
