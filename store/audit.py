"""Do the tables hold what the log says: every event once, and nothing else?

The audit trusts nothing of the loader but the codec. It reads the whole log again, line by
line, in Python; asks the tables what they hold; and compares identities, contents, gaps
and dead letters. What it cannot see is a lost tail: events that a writer was promised and
that left no trace. Only whoever kept the acknowledgements can show that (tests do).

Contents are compared event by event; of samples, which are too many for that, the sum and
the number of values of every metric, for each source.
"""

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from barograph.log.port import Log
from store.answers import Answers
from store.gaps import Ranges, cut
from store.intervals import count, minus
from store.reader import Reader
from store.story import GapRow
from store.tallies import Identity, LogTally, TableTally, doubled_contents, tally_log, tally_tables

_MOST_NAMED: Final = 1000
"""Identities that a report names of each kind; their number is always whole."""


@runtime_checkable
class _HasTornTails(Protocol):
    def torn_tails(self) -> dict[str, tuple[int, int]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SeqRun:
    """Events of one source, first and last included."""

    source: str
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TornTail:
    """A last line without its end: its writer is in the middle of it, or died there."""

    stream: str
    offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What an audit found. Lists name at most 1,000 of a kind; ``faults`` counts them all."""

    sources: int
    events_in_log: int
    """Different events, without those that wait to be loaded."""
    events_in_tables: int
    waiting: int
    """Lines of the log behind the store's position: not loaded yet, and no fault."""
    repeated_in_log: int
    """Lines that say again what was said; dropped by the loader, and no fault."""
    pruned_in_log: int
    """Lines that were pruned and that the log still has; not in the tables, and no fault."""
    missing: list[SeqRun]
    """In the log, not in the tables."""
    extra: list[SeqRun]
    """In the tables, not in the log."""
    doubled: list[Identity]
    """More than once in the tables."""
    conflicting: list[Identity]
    """In the log twice, with different contents: two writers had one name."""
    different: list[str]
    """Events, or sums of samples, whose contents in log and tables are not the same."""
    gaps_unexplained: list[GapRow]
    """Seqs that no stream had, and that nothing explains."""
    gaps_explained: int
    """Seqs that were given up, pruned or left out on purpose, or whose line is a dead letter."""
    gaps_misnoted: list[str]
    """Sources whose gaps the store notes otherwise than the log has them."""
    dead_letters: int
    dead_letters_misnoted: list[str]
    """Pieces of the log that are no events and not noted, or noted and not there."""
    torn_tails: list[TornTail]
    """No fault: nobody was promised a line that was never finished."""

    @property
    def faults(self) -> int:
        """How much does not add up; 0 is right."""
        runs = [*self.missing, *self.extra]
        return (
            count((run.first, run.last) for run in runs)
            + count((gap.first, gap.last) for gap in self.gaps_unexplained)
            + len(self.doubled)
            + len(self.conflicting)
            + len(self.different)
            + len(self.gaps_misnoted)
            + len(self.dead_letters_misnoted)
        )

    @property
    def ok(self) -> bool:
        """Whether every event of the log is in the tables once, and nothing else is."""
        return self.faults == 0


def audit(log: Log, answers: Answers) -> AuditReport:
    """Compare the whole log with the tables.

    Args:
        log: read from its beginning, once, and twice if it repeats events.
        answers: the store; loaded up to now, or what waits is counted as such.

    Raises:
        LogError: the log cannot be read.
        StoreError: the store cannot be asked.

    """
    reader = Reader(answers)
    said = tally_log(log, reader.positions())
    held = tally_tables(answers)
    sources = sorted({*said.seqs, *held.seqs})
    gaps = [row for source in sources for row in cut(source, said.gaps, said.explained)]
    return AuditReport(
        sources=len(said.seqs),
        events_in_log=sum(count(runs) for runs in said.seqs.values()),
        events_in_tables=held.events,
        waiting=said.waiting,
        repeated_in_log=said.repeated,
        pruned_in_log=said.pruned,
        missing=_difference(said.seqs, held.seqs),
        extra=_difference(held.seqs, said.seqs),
        doubled=held.doubled[:_MOST_NAMED],
        conflicting=doubled_contents(log, said)[:_MOST_NAMED],
        different=_different(said, held)[:_MOST_NAMED],
        gaps_unexplained=[gap for gap in gaps if gap.explained_by is None][:_MOST_NAMED],
        gaps_explained=count((gap.first, gap.last) for gap in gaps if gap.explained_by),
        gaps_misnoted=[
            source for source in sources if said.gaps.get(source, []) != held.gaps.get(source, [])
        ],
        dead_letters=len(held.letters),
        dead_letters_misnoted=sorted(map(str, said.letters ^ held.letters))[:_MOST_NAMED],
        torn_tails=_torn(log),
    )


def _difference(left: Ranges, right: Ranges) -> list[SeqRun]:
    return [
        SeqRun(source=source, first=run.first, last=run.last)
        for source in sorted(left)
        for run in minus(left[source], right.get(source, []))
    ][:_MOST_NAMED]


def _different(said: LogTally, held: TableTally) -> list[str]:
    """Events in both with other contents, and sources with other sums of samples."""
    events = [
        f"{identity.source} {identity.seq}"
        for identity, digest in said.contents.items()
        if held.contents.get(identity, digest) != digest
    ]
    # Where events are missing or doubled, the sums differ for that reason.
    uneven = {identity.source for identity in held.doubled}
    sums = [
        f"samples of {source}"
        for source in sorted(said.sums.keys() & held.sums.keys() - uneven)
        if said.sums[source] != held.sums[source] and said.seqs.get(source) == held.seqs.get(source)
    ]
    return sorted(events) + sums


def _torn(log: Log) -> list[TornTail]:
    if not isinstance(log, _HasTornTails):
        return []
    return [
        TornTail(stream=stream, offset=offset, size_bytes=size)
        for stream, (offset, size) in sorted(log.torn_tails().items())
    ]
