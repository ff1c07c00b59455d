"""The cache of sparks: the memory of every ended try in small, so that a list can show it.

A page of the list may hold any fifty tries of a sweep, one a day apart from the next. Samples
lie in the store in order of time, so to read those of such a page is to read nearly all that
there are. So the slices that are drawn are kept, in ``try_spark``, once a try has ended. It is
a derived table like ``judged_try``: dropped and made again at will, no part of an audit. Kills
are not in it. They are marks, which may not depend on how coarse slices are.

Tries are taken from ``judged_try``, some at a time in order of time: each step reads the
samples of its stretch of time and no others, so that the first pass over a large store reads
every sample about once, in memory that does not grow with the store. Samples can come after
their try has ended (a collector's stream is behind its runner's). They are found by their
number, because samples are only ever added: whatever a sample was added to since the last step
is made again. Where some are deleted all the same (``store.pruning``), all sparks are.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from store.catalogue import catalogue, sparks
from store.database import Database

if TYPE_CHECKING:
    from store.literals import Value

SLICES: Final = 48
"""Of each try's time. With another number than the rows have, they are to be made again: a
migration that empties the table."""
AT_ONCE: Final = 1_000
"""Tries of one step. Fewer would read what runs beside them more often."""
_TABLES: Final = "0012_sparks"
_VERDICTS: Final = "0008_verdicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step did."""

    made: int
    dropped: int
    """They were not right any more; as many are made again, in this step or a later one."""
    more: bool
    """Whether there may be more to do."""


class Sparks:
    """Keeps them in one open store. Nobody else may write them meanwhile."""

    def __init__(self, database: Database) -> None:
        """Nothing is done yet; ``database`` is a connection that only one thread uses."""
        self._database = database
        self._looked_at: int | None = None
        """Up to which sample the sparks are right; as noted in the table, or further."""

    def step(self, *, most: int = AT_ONCE) -> Step:
        """Drop what is not right any more and make up to ``most`` that are not there.

        Raises:
            StoreError: the store could not be asked or written; nothing was changed.

        """
        database = self._database
        for table in (_VERDICTS, _TABLES):
            # Somebody may have dropped it: that is allowed.
            database.run(catalogue("migrations")[table].sql)
        with database.transaction():
            samples, dropped = self._forget()
            database.run(sparks("due").fill({"most": most}))
            due = self._make()
            if dropped or due:
                database.run(sparks("set_upto").fill({"samples": samples}))
        self._looked_at = samples
        return Step(made=due, dropped=dropped, more=due == most)

    def _forget(self) -> tuple[int, int]:
        """Drop what is outdated; up to which sample that is, and how many were dropped."""
        database = self._database
        kept, noted = _numbers(database, sparks("upto").fill({}))
        (newest,) = _numbers(database, sparks("newest").fill({}))
        looked_at = self._looked_at or noted
        if newest < looked_at:
            # Samples were pruned, and a checkpoint numbered those that are left anew.
            database.run(sparks("empty").fill({}))
            return newest, kept
        if not kept:
            return newest, 0
        since: dict[str, Value] = {"looked_at": looked_at}
        database.run(sparks("late").fill(since))
        (samples,) = _numbers(database, sparks("newest_late").fill(since))
        dropped = [
            _numbers(database, sparks(name).fill({}))[0] for name in ("forget_late", "forget_moved")
        ]
        return samples, sum(dropped)

    def _make(self) -> int:
        ((due, low_us, high_us),) = self._database.ask(sparks("span").fill({})).rows
        if due:
            values: dict[str, Value] = {
                "slices": SLICES,
                "low_us": int(str(low_us)),
                "high_us": int(str(high_us)),
            }
            self._database.run(sparks("make").fill(values))
        return int(str(due))


def _numbers(database: Database, sql: str) -> tuple[int, ...]:
    """The only row of an answer, of numbers."""
    (row,) = database.ask(sql).rows
    return tuple(int(str(number)) for number in row)
