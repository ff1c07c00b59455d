"""What is missing of each source, and what explains it.

The table ``gap`` is a plain fold: seqs below a source's highest that no stream had. Two
kinds of facts explain one: a thinning that names the range, and a dead letter whose line
still gave away its identity. What remains was lost, or comes late.
"""

from collections import defaultdict
from collections.abc import Iterable

from store.answers import Answers
from store.catalogue import query
from store.intervals import Run, common, minus, normal
from store.story import GapRow

Ranges = dict[str, list[Run]]
"""Source -> a normal list of runs of seqs."""


def explained(answers: Answers) -> list[GapRow]:
    """All gaps, cut up by what explains them, in order of source and seq."""
    missing = _ranges(answers, "gaps")
    thinned = _ranges(answers, "thinned")
    dead = _ranges(answers, "dead_identities")
    return [row for source in sorted(missing) for row in cut(source, missing, thinned, dead)]


def cut(source: str, missing: Ranges, thinned: Ranges, dead: Ranges) -> list[GapRow]:
    """The gaps of one source by explanation."""
    gaps = missing.get(source, [])
    given_up = thinned.get(source, [])
    unreadable = minus(dead.get(source, []), given_up)
    rest = minus(minus(gaps, given_up), unreadable)
    parts: list[tuple[Run, str | None]] = [
        *((run, "thinned") for run in common(gaps, given_up)),
        *((run, "dead_letter") for run in common(gaps, unreadable)),
        *((run, None) for run in rest),
    ]
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
