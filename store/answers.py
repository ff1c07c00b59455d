"""Asking: SQL text in, named columns and plain rows out.

``Answers`` is all that the reader needs of a database, so that it can stand on an open
file as well as on a served store. Rows become frozen dataclasses by name, because a query
whose columns have been moved should not change what a field means.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Table:
    """What one statement answered."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]

    def records(self) -> Iterable[Mapping[str, object]]:
        """The rows by column name."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def to(self, row: type[Row]) -> list[Row]:
        """The rows as ``row``, whose fields are exactly the columns."""
        return [made(row, record) for record in self.records()]


def made(row: type[Row], record: Mapping[str, object]) -> Row:
    """A dataclass from its fields by name, which the query's test holds to their types."""
    return cast("Callable[..., Row]", row)(**record)


class Answers(Protocol):
    """Something that answers one SELECT statement."""

    def ask(self, sql: str) -> Table:
        """Run the statement.

        Raises:
            StoreError: it could not be answered.

        """
        ...
