"""How far the loader is with each source, as runs of seqs: the reason why loading is exact.

``(source, seq)`` is the identity of an event, and a source's seqs have no gaps. So what was
loaded of a source is one number, ``next_seq``, and the few runs below it that are missing.
A batch whose seqs all go on from there is new without a look at any row; only where runs
meet what is known, or each other, must duplicates be found one by one.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from store.answers import Table
from store.catalogue import loading
from store.database import Database
from store.gaps import Ranges, by_source
from store.intervals import Run, common, minus, normal, overlap, union


class Arrived(NamedTuple):
    """Events of one source with seqs from ``first`` to ``last``: all of them if dense."""

    source: str
    first: int
    last: int
    events: int

    @property
    def dense(self) -> bool:
        """Whether every seq of the run is there exactly once."""
        return self.events == self.last - self.first + 1


def arrived(table: Table) -> list[Arrived]:
    """Rows of (source, first, last, events)."""
    return [
        Arrived(str(source), int(str(first)), int(str(last)), int(str(events)))
        for source, first, last, events in table.rows
    ]


@dataclass(frozen=True, slots=True)
class Progress:
    """What was loaded of some sources, before a batch and with it."""

    next_seqs: dict[str, int]
    gaps: Ranges

    @classmethod
    def of(cls, database: Database, sources: Sequence[str]) -> "Progress":
        """Read it from the store."""
        asked = {"sources": list(sources)}
        steps = database.ask(loading("progress").fill(asked)).rows
        gaps = database.ask(loading("gaps_of").fill(asked)).rows
        return cls(
            {str(source): int(str(seq)) for source, seq in steps},
            by_source((str(name), int(str(first)), int(str(last))) for name, first, last in gaps),
        )

    def are_new(self, runs: Iterable[Arrived]) -> bool:
        """Whether all events of the runs are new, and none of them is there twice."""
        found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for run in runs:
            if not run.dense:
                return False
            found[run.source].append((run.first, run.last))
        return not any(
            overlap(seqs) or common(normal(seqs), self._loaded(source))
            for source, seqs in found.items()
        )

    def with_runs(self, runs: Iterable[Arrived]) -> "Progress":
        """The progress when the events of the runs are in, all of which are new."""
        found = by_source((run.source, run.first, run.last) for run in runs)
        next_seqs = {
            source: max(self.next_seqs.get(source, 0), seqs[-1].last + 1)
            for source, seqs in found.items()
        }
        gaps = {
            source: minus(self._open(source, next_seqs[source]), seqs)
            for source, seqs in found.items()
        }
        return Progress(next_seqs, gaps)

    def without(self, gone: Ranges) -> "Progress":
        """The progress if some events had never come; sources that lose all are not in it."""
        left = {
            source: runs
            for source in self.next_seqs
            if (runs := minus(self._loaded(source), gone.get(source, [])))
        }
        next_seqs = {source: runs[-1].last + 1 for source, runs in left.items()}
        gaps = {source: minus([Run(0, runs[-1].last)], runs) for source, runs in left.items()}
        return Progress(next_seqs, gaps)

    def write(self, database: Database, before: "Progress") -> None:
        """Put it into the store, where it differs from ``before``."""
        sources = list(self.next_seqs)
        next_seqs = [self.next_seqs[source] for source in sources]
        sql = loading("set_progress").fill({"sources": sources, "next_seqs": next_seqs})
        database.run(sql)
        if all(self.gaps.get(source, []) == before.gaps.get(source, []) for source in sources):
            return
        rows = [(source, run) for source in sources for run in self.gaps.get(source, [])]
        sql = loading("set_gaps").fill(
            {
                "sources": sources,
                "owners": [source for source, _ in rows],
                "firsts": [run.first for _, run in rows],
                "lasts": [run.last for _, run in rows],
            }
        )
        database.run(sql)

    def _loaded(self, source: str) -> list[Run]:
        seqs = self.next_seqs.get(source, 0)
        return minus([Run(0, seqs - 1)] if seqs else [], self.gaps.get(source, []))

    def _open(self, source: str, up_to: int) -> list[Run]:
        """What would be missing if nothing new had come and the source were at ``up_to``."""
        seqs = self.next_seqs.get(source, 0)
        ahead = [Run(seqs, up_to - 1)] if up_to > seqs else []
        return union(self.gaps.get(source, []), ahead)
