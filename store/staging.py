"""Laying out the lines that are no plain samples, until every one of them is understood.

Lines go to DuckDB as text and come back as shapes. Shapes that are not plain send their
lines to the codec, one by one; what comes out is laid out again, and now nothing is left to
ask. In a log of today's writers the first round is the only one, and no line is decoded.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import cast

from store.batch import Batch, Other
from store.catalogue import loading
from store.database import Database
from store.feed import Feed
from store.progress import Arrived
from store.settling import settle, suspicious
from store.shapes import ENUMERATIONS, Shape, ShapeBook, known_types


@dataclass(frozen=True, slots=True)
class Staged:
    """What the table ``incoming`` holds now."""

    order: list[int] = field(default_factory=list[int])
    """Ordinal in the table -> index in the batch."""
    types: list[str] = field(default_factory=list[str])
    """Known types among the lines."""
    unknown: bool = False
    """Whether there are lines of types or versions not known."""
    runs: list[Arrived] = field(default_factory=list[Arrived])
    """The identity of every line."""
    trials: frozenset[str] = frozenset()
    """What the lines tell of."""


class Stage:
    """The table ``incoming`` of one connection, and what was learned about shapes."""

    def __init__(self, database: Database) -> None:
        """Nothing is laid out yet."""
        self._database = database
        self._book = ShapeBook()
        self._feed = Feed()

    @property
    def path(self) -> str:
        """The file that DuckDB is made to read."""
        return self._feed.path

    def lay_out(self, batch: Batch) -> Staged:
        """Put the batch's other lines into ``incoming``; the batch is settled where needed.

        Raises:
            DataRefusedError: DuckDB cannot read a line that looked right.
            StoreError: anything else.

        """
        if any(not other.settled and suspicious(other.line) for other in batch.others):
            settle(batch, lambda _, other: suspicious(other.line), samples=False)
        while True:
            order = self._write(batch.others)
            if not order:
                return Staged()
            odd = self._odd_lines(batch.others, order)
            if not odd:
                break
            settle(batch, partial(_among, odd), samples=False)
        # One question of the lines: live, a statement costs more than what it is about.
        rows = self._database.ask(loading("identities").fill({})).rows
        types = {(kind, bool(known)) for _, _, kind, known, _ in rows}
        return Staged(
            order,
            types=sorted(str(kind) for kind, known in types if known),
            unknown=any(not known for _, known in types),
            runs=[
                Arrived(str(source), int(str(seq)), int(str(seq)), 1) for source, seq, *_ in rows
            ],
            trials=frozenset(str(trial) for *_, trial in rows if trial is not None),
        )

    def close(self) -> None:
        """Let the memory go."""
        self._feed.close()

    def _write(self, others: list[Other]) -> list[int]:
        """Lay the lines out, the settled ones first."""
        order = sorted(range(len(others)), key=lambda index: not others[index].settled)
        self._feed.clear()
        # At once: two writes a line would take longer than what DuckDB does with it.
        self._feed.write(b"".join(others[index].line + b"\n" for index in order))
        if order:
            sql = loading("stage").fill(
                {
                    "lines": self._feed.seal(),
                    "count": len(order),
                    "settled": sum(other.settled for other in others),
                    "known": known_types(),
                    "enumerations": list(ENUMERATIONS),
                }
            )
            self._database.run(sql)
        return order

    def _odd_lines(self, others: list[Other], order: list[int]) -> frozenset[int]:
        odd: set[int] = set()
        for kind, v, structure, enumerated, lines in self._database.ask(
            loading("shapes").fill({})
        ).rows:
            shape = Shape(
                None if kind is None else str(kind),
                None if v is None else int(str(v)),
                str(structure),
                None if enumerated is None else str(enumerated),
            )
            indices = [order[int(ordinal)] for ordinal in _numbers(lines)]
            if not self._book.is_plain(shape, others[indices[0]].line):
                odd.update(indices)
        return frozenset(odd)


def _among(odd: frozenset[int], index: int, _other: Other) -> bool:
    return index in odd


def _numbers(value: object) -> list[int]:
    return [int(str(number)) for number in cast("list[object]", value)]
