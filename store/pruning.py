"""What may not be in any table: the tables are a fold of the log *minus* what was pruned.

Prunings are events like all others, so they come in any order: before the lines that they are
about, in one batch with them, after them, or with the lines gone from the log. In each case
the tables must be the same in the end. So a line with a pruned identity is dropped, as if the
log did not have it; and a pruning that comes late deletes what was loaded, in the transaction
that loads it, and takes back how far the loader is with those sources.

A pruning is never pruned itself: who lost it would have to believe the gap.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, TypedDict, cast

from barograph.facts import FACTS, LogPruned
from store.answers import Answers
from store.batch import Batch
from store.catalogue import catalogue, loading, projection_name, query, sparks
from store.database import Database
from store.gaps import Ranges, by_source
from store.intervals import Run, common, holds, minus, union
from store.progress import Arrived, Progress
from store.staging import Staged

if TYPE_CHECKING:
    from store.literals import Value

_TABLES: Final = (
    *(projection_name(kind) for kind in FACTS if kind != LogPruned.type),
    *("unknown_event", "unknown_field", "dead_letter"),
)
_SPARKS: Final = "0012_sparks"


class _Range(TypedDict):
    source: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """What is pruned, by all prunings of some log."""

    named: Ranges
    """By the prunings."""
    said: Ranges
    """The prunings themselves."""
    runs: Ranges
    """Source -> what of it is pruned."""

    @classmethod
    def of(cls, named: Ranges, said: Ranges) -> Self:
        """Put prunings together."""
        runs = {
            source: rest
            for source, found in named.items()
            if (rest := minus(found, said.get(source, [])))
        }
        return cls(named, said, runs)

    def and_also(self, other: "Pruned") -> "Pruned":
        """Both."""
        if not other.said:
            return self
        return Pruned.of(_both(self.named, other.named), _both(self.said, other.said))

    def has(self, source: str | None, seq: int | None) -> bool:
        """Whether an identity is pruned."""
        runs = () if source is None else self.runs.get(source, ())
        return bool(runs) and seq is not None and holds(runs, seq)

    def meets(self, runs: Iterable[Arrived]) -> bool:
        """Whether anything of some runs is pruned."""
        return bool(self.runs) and any(
            common([Run(run.first, run.last)], self.runs[run.source])
            for run in runs
            if run.source in self.runs
        )

    def about(self, sources: Iterable[str]) -> Ranges:
        """What is pruned of some sources."""
        return {source: self.runs[source] for source in sources if source in self.runs}


def pruned_by(answers: Answers) -> Pruned:
    """What is pruned by the prunings in a store's tables."""
    rows = answers.ask(query("pruned").fill({})).rows
    said = answers.ask(query("pruned_by").fill({})).rows
    return Pruned.of(
        by_source((str(row[0]), int(str(row[1])), int(str(row[2]))) for row in rows),
        by_source((str(row[0]), int(str(row[1])), int(str(row[1]))) for row in said),
    )


class Prunings:
    """Keeps one store free of what is pruned."""

    def __init__(self, database: Database) -> None:
        """Work through the loader's connection."""
        self._database = database
        self._known: Pruned | None = None

    def known(self) -> Pruned:
        """By all prunings in the tables."""
        if self._known is None:
            self._known = pruned_by(self._database)
        return self._known

    def staged(self, staged: Staged) -> Pruned:
        """By the prunings among the lines that are laid out."""
        if LogPruned.type not in staged.types:
            return _NONE
        ranges: list[tuple[str, int, int]] = []
        said: list[tuple[str, int, int]] = []
        for source, seq, named in self._database.ask(loading("staged_prunings").fill({})).rows:
            said.append((str(source), int(str(seq)), int(str(seq))))
            found = cast("Sequence[_Range]", named or ())
            ranges += [(one["source"], one["first"], one["last"]) for one in found]
        return Pruned.of(by_source(ranges), by_source(said))

    def take_out(self, batch: Batch, pruned: Pruned) -> None:
        """Drop broken lines that give away a pruned identity."""
        if pruned.runs and batch.dead:
            batch.dead = [one for one in batch.dead if not pruned.has(one.source, one.seq)]

    def delete(self, fresh: Pruned, pruned: Pruned) -> None:
        """Delete what was loaded before it was pruned; within the transaction that is open.

        Args:
            fresh: the prunings that come now.
            pruned: they, and all that were known.

        """
        doomed = pruned.about(fresh.named)
        if not doomed:
            return
        rows = [(source, run) for source, runs in doomed.items() for run in runs]
        values: dict[str, Value] = {
            "owners": [source for source, _ in rows],
            "firsts": [run.first for _, run in rows],
            "lasts": [run.last for _, run in rows],
        }
        self._database.run(loading("doomed").fill(values))
        delete = loading("delete_doomed").sql
        for table in _TABLES:
            self._database.run(delete.replace("a_table", table))
        # Somebody may have dropped them: that is allowed.
        self._database.run(catalogue("migrations")[_SPARKS].sql)
        self._database.run(sparks("empty").sql)
        self._take_back(doomed)

    def learned(self, pruned: Pruned) -> None:
        """Remember, once the transaction is through."""
        self._known = pruned

    def _take_back(self, doomed: Ranges) -> None:
        """Have the loader as far with these sources as if it had never met what goes."""
        before = Progress.of(self._database, sorted(doomed))
        after = before.without(doomed)
        if gone := sorted(before.next_seqs.keys() - after.next_seqs.keys()):
            self._database.run(loading("forget_sources").fill({"sources": gone}))
        if after.next_seqs:
            after.write(self._database, before)


_NONE: Final = Pruned({}, {}, {})


def _both(left: Ranges, right: Ranges) -> Ranges:
    return {
        source: union(left.get(source, []), right.get(source, []))
        for source in left.keys() | right.keys()
    }
