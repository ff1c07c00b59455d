"""The analysis of one sweep over ceilings: everything ``report`` prints, as one frozen value.

Deterministic: the same rows give the same value, whatever their order. The verdict is one
sentence with the curve of infra errors, the score, and the ranking; the statements behind
it stand beside it, and every number in them is in the tables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analysis.cells import Cell, tally
from analysis.counterfactual import FailedAnyway
from analysis.decomposition import Decomposition
from analysis.errors import NoTrialsError, QuestionError, RowsError
from analysis.flips import Flips
from analysis.grid import Grid, make_grid
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
    sweep, base = _one_sweep(listed), _reference(conditions, reference)
    grid = make_grid(listed, conditions=conditions, agents=agents)
    sensitive = make_grid(listed, conditions=conditions, agents=agents, treatment="sensitivity")
    made = _tables(sweep, base, grid, sensitive)
    headline, beside = _clauses(made)
    return replace(
        made,
        guards=_guards(made.table, made.interactions),
        statements=tuple(_sentence(part) for part in [*headline, *beside]),
        verdict=_sentence("; ".join(headline)),
    )


def _reference(conditions: Sequence[str], reference: str | None) -> str:
    if reference is None and conditions:
        return conditions[0]
    if reference is None or reference not in conditions:
        remedy = f"use one of {', '.join(conditions)}"
        raise QuestionError("no such ceiling", field="reference", value=reference, remedy=remedy)
    return reference


def _tables(sweep: str, base: str, grid: Grid, sensitive: Grid) -> SweepAnalysis:
    """Compute every table; guards and sentences are read off them afterwards."""
    rows, tested = ceiling_rows(grid, base), trends(grid)
    return SweepAnalysis(
        sweep=sweep,
        reference=base,
        conditions=grid.conditions,
        agents=grid.agents,
        tasks=grid.tasks,
        n_trials=sum(row.n for row in rows),
        excluded=sum(row.outcomes.excluded for row in rows),
        retries=sum(row.outcomes.retries for row in rows),
        table=rows,
        infra_trend=tested.get("infra"),
        score_trend=tested.get("score"),
        ranking=rankings(grid),
        interactions=interactions(grid, base),
        steps=steps(grid, base),
        failed_anyway=kills_anyway(grid),
        flips=flip_tables(grid, base),
        sensitivity=sensitivity_rows(grid, sensitive, base),
        guards=(),
        statements=(),
        verdict="",
    )


def _clauses(made: SweepAnalysis) -> tuple[list[str], list[str]]:
    """Say what the verdict is made of, and what stands beside it."""
    headline = [
        infra_statement(made.table, made.infra_trend),
        score_statement(made.table, made.reference),
        ranking_statement(made.interactions, made.conditions[-1], pairs_of(made.agents)),
    ]
    beside = [
        anyway_statement(made.failed_anyway, made.reference, len(made.agents)),
        sensitivity_statement(made.sensitivity, made.table),
    ]
    return [part for part in headline if part], beside


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
