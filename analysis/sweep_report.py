"""The analysis of one sweep over ceilings: everything ``report`` prints, as one frozen value.

Deterministic: the same rows give the same value, whatever their order. The verdict is one
sentence with the curve of infra errors, the score, and the ranking; the statements behind
it stand beside it, and every number in them is in the tables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.cells import Cell, tally
from analysis.counterfactual import FailedAnyway
from analysis.decomposition import Decomposition
from analysis.errors import NoTrialsError, QuestionError, RowsError
from analysis.flips import Flips
from analysis.grid import make_grid
from analysis.interaction import Interaction
from analysis.rows import JudgedTrial
from analysis.sweep_tables import (
    CeilingRow,
    Ranking,
    SensitivityRow,
    ceiling_rows,
    flip_tables,
    interactions,
    kills_anyway,
    pairs_of,
    rankings,
    sensitivity_rows,
    steps,
    trends,
)
from analysis.sweep_verdict import (
    anyway_statement,
    infra_statement,
    ranking_statement,
    score_statement,
    sensitivity_statement,
)
from analysis.trend import Trend
from analysis.wording import count


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAnalysis:
    """What the ceilings of one sweep did."""

    sweep: str
    reference: str
    conditions: tuple[str, ...]
    """The ceilings, tightest first."""
    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    n_trials: int
    """Trials that count."""
    excluded: int
    """Left out: cancelled by an operator."""
    retries: int
    """Tries beyond the standing one; in no rate."""
    table: tuple[CeilingRow, ...]
    infra_trend: Trend | None
    score_trend: Trend | None
    ranking: tuple[Ranking, ...]
    interactions: tuple[Interaction, ...]
    steps: tuple[Decomposition, ...]
    failed_anyway: tuple[FailedAnyway, ...]
    flips: tuple[Flips, ...]
    sensitivity: tuple[SensitivityRow, ...]
    guards: tuple[str, ...]
    """What was withheld or must be doubted, and why; once each."""
    statements: tuple[str, ...]
    """Sentences for people, most important first."""
    verdict: str
    """One sentence."""


def analyse(
    judged: Iterable[JudgedTrial],
    *,
    conditions: Sequence[str],
    reference: str | None = None,
    agents: Sequence[str] | None = None,
) -> SweepAnalysis:
    """Analyse judged trials of one sweep; see ``analyse_cells``.

    Raises:
        NoTrialsError: no trial has ended.
        RowsError: a trial appears twice, or rows are of several sweeps.
        QuestionError: a condition, agent or reference that the rows do not have.

    """
    return analyse_cells(tally(judged), conditions=conditions, reference=reference, agents=agents)


def analyse_cells(
    cells: Iterable[Cell],
    *,
    conditions: Sequence[str],
    reference: str | None = None,
    agents: Sequence[str] | None = None,
) -> SweepAnalysis:
    """Analyse the cell table of one sweep.

    Args:
        cells: counts by (sweep, model, agent, task, condition).
        conditions: the ceilings in their order, tightest first; the last has most room.
        reference: what the others are compared with; None: the first.
        agents: contestants in their order; None: alphabetical.

    Returns:
        All tables, tests and sentences.

    Raises:
        NoTrialsError: no trial has ended.
        RowsError: cells are of several sweeps.
        QuestionError: a condition, agent or reference that the cells do not have.

    """
    listed = list(cells)
    sweep = _one_sweep(listed)
    base = conditions[0] if reference is None else reference
    if base not in conditions:
        remedy = f"use one of {', '.join(conditions)}"
        raise QuestionError("no such ceiling", field="reference", value=base, remedy=remedy)
    grid = make_grid(listed, conditions=conditions, agents=agents)
    sensitive = make_grid(listed, conditions=conditions, agents=agents, treatment="sensitivity")
    rows, found = ceiling_rows(grid, base), interactions(grid, base)
    tested, anyway = trends(grid), kills_anyway(grid)
    doubts = sensitivity_rows(grid, sensitive, base)
    headline = [
        infra_statement(rows, tested.get("infra")),
        score_statement(rows, base),
        ranking_statement(found, conditions[-1], pairs_of(grid.agents)),
    ]
    beside = [
        anyway_statement(anyway, base, len(grid.agents)),
        sensitivity_statement(doubts, rows),
    ]
    return SweepAnalysis(
        sweep=sweep,
        reference=base,
        conditions=tuple(conditions),
        agents=grid.agents,
        tasks=grid.tasks,
        n_trials=sum(row.n for row in rows),
        excluded=sum(row.outcomes.excluded for row in rows),
        retries=sum(row.outcomes.retries for row in rows),
        table=rows,
        infra_trend=tested.get("infra"),
        score_trend=tested.get("score"),
        ranking=rankings(grid),
        interactions=found,
        steps=steps(grid, base),
        failed_anyway=anyway,
        flips=flip_tables(grid, base),
        sensitivity=doubts,
        guards=_guards(rows, found),
        statements=tuple(_sentence(part) for part in [*headline, *beside] if part),
        verdict=_sentence("; ".join(part for part in headline if part)),
    )


def _one_sweep(cells: Sequence[Cell]) -> str:
    sweeps = sorted({cell.sweep for cell in cells})
    if not sweeps:
        raise NoTrialsError("no trial has ended yet", remedy="run the sweep, then ask again")
    if len(sweeps) > 1:
        remedy = "analyse one sweep at a time"
        raise RowsError("rows are of several sweeps", field="sweep", value=sweeps, remedy=remedy)
    return sweeps[0]


def _guards(rows: Sequence[CeilingRow], found: Sequence[Interaction]) -> tuple[str, ...]:
    said: list[str] = []
    for row in rows:
        results = [row.rates.score, row.rates.infra]
        for change in (row.score_change, row.infra_change):
            if change is not None:
                results += [change.these, change.like]
                dropped = len(change.dropped_tasks)
                if dropped:
                    tasks = count(dropped, "task")
                    said.append(f"{tasks} only at one of {change.a} and {change.b}: left out there")
        for result in results:
            said += [f"{result.question}: {text}" for text in (*result.reasons, *result.warnings)]
    for item in found:
        result = item.like
        said += [f"{result.question}: {text}" for text in (*result.reasons, *result.warnings)]
    return tuple(dict.fromkeys(said))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
