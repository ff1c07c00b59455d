"""What is missing of each source, and what explains it.

The table ``gap`` is a plain fold: seqs below a source's highest that no stream had. Five kinds
of facts explain one: a thinning that names the range, a line that no broker took, what was
pruned, what a copy of a sweep left out, and a dead letter whose line still gave away its identity.
What remains was lost, or comes late.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from store.answers import Answers
from store.catalogue import query
from store.intervals import Run, common, minus, normal
from store.story import GapRow

Ranges = dict[str, list[Run]]
"""Source -> a normal list of runs of seqs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Seqs of which it is known why a stream may not have them."""

    thinned: Ranges = field(default_factory=dict[str, list[Run]])
    refused: Ranges = field(default_factory=dict[str, list[Run]])
    pruned: Ranges = field(default_factory=dict[str, list[Run]])
    left_out: Ranges = field(default_factory=dict[str, list[Run]])
    dead: Ranges = field(default_factory=dict[str, list[Run]])


def explained(answers: Answers) -> list[GapRow]:
    """All gaps, cut up by what explains them, in order of source and seq."""
    missing = _ranges(answers, "gaps")
    known = Explained(
        thinned=_ranges(answers, "thinned"),
        refused=_ranges(answers, "refused"),
        pruned=_ranges(answers, "pruned"),
        left_out=_ranges(answers, "left_out"),
        dead=_ranges(answers, "dead_identities"),
    )
    return [row for source in sorted(missing) for row in cut(source, missing, known)]


def cut(source: str, missing: Ranges, known: Explained) -> list[GapRow]:
    """The gaps of one source by explanation; where there are two, by the first of them."""
    rest = missing.get(source, [])
    parts: list[tuple[Run, str | None]] = []
    for by, ranges in (
        ("thinned", known.thinned),
        ("refused", known.refused),
        ("pruned", known.pruned),
        ("left_out", known.left_out),
        ("dead_letter", known.dead),
    ):
        runs = ranges.get(source, [])
        parts += [(run, by) for run in common(rest, runs)]
        rest = minus(rest, runs)
    parts += [(run, None) for run in rest]
    return [
        GapRow(source=source, first=run.first, last=run.last, explained_by=by)
        for run, by in sorted(parts, key=lambda part: part[0])
    ]


def by_source(rows: Iterable[tuple[str, int, int]]) -> Ranges:
    """Runs by source, normal."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for source, first, last in rows:
        found[source].append((first, last))
    return {source: normal(runs) for source, runs in found.items()}


def _ranges(answers: Answers, name: str) -> Ranges:
    rows = answers.ask(query(name).fill({})).rows
    # An identity is a run of one.
    return by_source((str(row[0]), int(str(row[1])), int(str(row[-1]))) for row in rows)
