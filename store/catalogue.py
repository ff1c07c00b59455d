"""The SQL of this package, by name.

Statements are files, because SQL in files can be read, linted and tried by hand, and a
diff of a question is then a diff of one file. A file begins with comment lines that say
in a sentence what it answers; ``$name`` stands for a value, which is filled in quoted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from store.literals import Value, literal

_PLACE: Final = re.compile(r"\$([a-z_]+)")
_KINDS: Final = (
    *("migrations", "projections", "queries", "loading", "judging", "sparks", "serving"),
    *("copying", "exported"),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One named piece of SQL."""

    name: str
    says: str
    """The sentence at the top of the file."""
    sql: str

    @property
    def values(self) -> frozenset[str]:
        """Names of the values that the statement wants."""
        return frozenset(_PLACE.findall(self.sql))

    def fill(self, values: Mapping[str, Value]) -> str:
        """The SQL text with its values quoted in place.

        Raises:
            KeyError: a value is missing, or one too many was given: a defect of the caller.

        """
        if unasked := values.keys() - self.values:
            raise KeyError(f"{self.name} does not take {sorted(unasked)}")
        return _PLACE.sub(lambda match: literal(values[match[1]]), self.sql)


@cache
def catalogue(kind: str) -> dict[str, Statement]:
    """All statements of a kind, a folder below ``store/sql``.

    Returns:
        File name without ``.sql`` -> statement, in the order of the names.

    """
    if kind not in _KINDS:
        raise KeyError(kind)
    found = {
        entry.name.removesuffix(".sql"): entry.read_text(encoding="utf-8")
        for entry in (files("store") / "sql" / kind).iterdir()
        if entry.name.endswith(".sql")
    }
    return {name: _parsed(name, found[name]) for name in sorted(found)}


def query(name: str) -> Statement:
    """A named question."""
    return catalogue("queries")[name]


def loading(name: str) -> Statement:
    """A statement of the loader."""
    return catalogue("loading")[name]


def judging(name: str) -> Statement:
    """A statement of the cache of verdicts."""
    return catalogue("judging")[name]


def sparks(name: str) -> Statement:
    """A statement of the cache of memory in small."""
    return catalogue("sparks")[name]


def serving(name: str) -> Statement:
    """A statement of the store's server or its client."""
    return catalogue("serving")[name]


def copying(name: str) -> Statement:
    """A statement of who writes or reads a copy of a sweep."""
    return catalogue("copying")[name]


def projection_name(event_type: str) -> str:
    """``trial.finished`` is projected by ``trial_finished.sql`` into the table of that name."""
    return event_type.replace(".", "_")


def _parsed(name: str, text: str) -> Statement:
    lines = text.splitlines()
    comment: list[str] = []
    while lines and lines[0].startswith("--"):
        comment.append(lines.pop(0).removeprefix("--").strip())
    return Statement(name=name, says=" ".join(comment), sql="\n".join(lines).strip().rstrip(";"))
