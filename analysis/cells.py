"""From verdicts to counts: the cell table that every question on rates starts from.

A cell is (sweep, model, agent, task, condition). Its counts are disjoint and add up to n,
so that no treatment can lose a trial or count one twice; excluded trials stand beside n.
What a suspect counts as is decided where the table is read (``verdicts.outcomes``).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from analysis.errors import RowsError
from analysis.rows import JudgedTrial
from analysis.verdicts.outcomes import INFRA_CLASSES, TREATMENTS, Treatment
from analysis.verdicts.vocabulary import CountsAs

_COUNTED: Final[Mapping[CountsAs, str]] = {
    "pass": "passed",
    "infra_error": "infra",
    "fail": "fail",
    "timeout": "timeout",
    "infra_suspect": "suspect",
    "timeout_infra": "timeout_infra",
    "excluded": "excluded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Disjoint counts of trials; n is the sum of the first six."""

    passed: int = 0
    infra: int = 0
    fail: int = 0
    """Not accepted, without a time limit or a suspicion."""
    timeout: int = 0
    suspect: int = 0
    timeout_infra: int = 0
    excluded: int = 0
    """Left out of n."""
    killed: int = 0
    """Of those in n that did not pass: ended by a kill of their own memory ceiling."""
    certain: int = 0
    """Of infra, suspect and timeout_infra: by the verdict's confidence."""
    likely: int = 0
    possible: int = 0
    retries: int = 0
    """Tries beyond the standing one."""

    @property
    def n(self) -> int:
        """Trials that count."""
        return (
            self.passed + self.infra + self.fail + self.timeout + self.suspect + self.timeout_infra
        )

    def infra_errors(self, treatment: Treatment = "headline") -> int:
        """Infra errors under a treatment; n less these and ``passed`` is not solved."""
        return sum(
            int(getattr(self, _COUNTED[counts_as]))
            for counts_as, outcome in TREATMENTS[treatment].items()
            if outcome == "infra"
        )

    def __add__(self, other: "Outcomes") -> "Outcomes":
        """Add count by count."""
        return Outcomes(
            **{name: getattr(self, name) + getattr(other, name) for name in Outcomes.__slots__}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Counts of one (sweep, model, agent, task, condition)."""

    sweep: str
    model: str | None
    agent: str
    task: str
    condition: str
    outcomes: Outcomes

    @property
    def contestant(self) -> str:
        """Who is compared: the agent, with its model where there is one."""
        return self.agent if self.model is None else f"{self.agent} ({self.model})"


def tally(judged: Iterable[JudgedTrial]) -> tuple[Cell, ...]:
    """Count judged trials into cells.

    Args:
        judged: one entry a trial (its first standing try).

    Returns:
        Cells in the order in which they first appear.

    Raises:
        RowsError: the same trial appears twice.

    """
    counts: defaultdict[tuple[str, str | None, str, str, str], Counter[str]] = defaultdict(Counter)
    seen: set[tuple[object, ...]] = set()
    for entry in judged:
        row, verdict = entry.row, entry.verdict
        key = (row.sweep, row.model, row.agent, row.task, row.condition)
        if (*key, row.attempt) in seen:
            remedy = "give each trial once, by its first standing try"
            raise RowsError("a trial appears twice", field="trial", value=row.trial, remedy=remedy)
        seen.add((*key, row.attempt))
        cell = counts[key]
        cell[_COUNTED[verdict.counts_as]] += 1
        cell["retries"] += row.tries - 1
        if verdict.ceiling_kill and verdict.counts_as != "excluded":
            cell["killed"] += 1
        if verdict.counts_as in INFRA_CLASSES:
            cell[verdict.confidence] += 1
    return tuple(
        Cell(
            sweep=sweep,
            model=model,
            agent=agent,
            task=task,
            condition=condition,
            outcomes=Outcomes(**cell),
        )
        for (sweep, model, agent, task, condition), cell in counts.items()
    )
