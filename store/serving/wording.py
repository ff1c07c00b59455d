"""An error on its way from the server to whoever asked: what it says survives, and its kind.

Over the control socket an error is an object of an answer. Through Quack only DuckDB's own
exceptions come, with a text; so the object is put into that text behind a mark.
"""

import json
import re
from collections.abc import Mapping
from typing import Final, cast

from barograph.errors import BarographError, InputError
from barograph.log.port import LogError
from store.errors import (
    QueryTooLong,
    ServedError,
    StoreBusyError,
    StoreError,
    StoreInputError,
    StoreNotFoundError,
    StoreRefusal,
    UnreachableError,
)

_KINDS: Final[tuple[tuple[str, type[BarographError]], ...]] = (
    # A class before those that it derives from.
    ("too_long", QueryTooLong),
    ("unreachable", UnreachableError),
    ("served", ServedError),
    ("busy", StoreBusyError),
    ("input", StoreInputError),
    ("refusal", StoreRefusal),
    ("not_found", StoreNotFoundError),
    ("store", StoreError),
    ("log", LogError),
    ("wrong", InputError),
)
_CLASSES: Final[dict[str, type[BarographError]]] = dict(_KINDS)
_MARK: Final = "barograph:"
_MARKED: Final = re.compile(_MARK + r"(\{.*\})")


def told(error: BarographError) -> dict[str, object]:
    """The error as an object of JSON."""
    kind = next((kind for kind, cls in _KINDS if isinstance(error, cls)), "store")
    fields: dict[str, object] = {
        "kind": kind,
        "problem": error.problem,
        "where": error.where,
        "field": error.field,
        "remedy": error.remedy,
    }
    if isinstance(error.value, str | int | float | bool | None):
        fields["value"] = error.value
    return fields


def heard(fields: Mapping[str, object]) -> BarographError:
    """The error that an object tells of."""
    cls = _CLASSES.get(str(fields.get("kind")), StoreError)
    problem = str(fields.get("problem"))
    where, field, remedy = (_text(fields.get(name)) for name in ("where", "field", "remedy"))
    if "value" in fields:
        return cls(problem, where=where, field=field, remedy=remedy, value=fields["value"])
    return cls(problem, where=where, field=field, remedy=remedy)


def marked(error: BarographError) -> str:
    """The error as a text that ``unmarked`` finds in a longer one."""
    return _MARK + json.dumps(told(error))


def unmarked(words: str) -> BarographError | None:
    """The error that a text of DuckDB's holds, if it is one of ours."""
    found = _MARKED.search(words)
    if found is None:
        return None
    try:
        fields: object = json.loads(found[1])
    except ValueError:
        return None
    return heard(cast("dict[str, object]", fields)) if isinstance(fields, dict) else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
