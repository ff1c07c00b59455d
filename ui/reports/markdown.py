"""The report as a Markdown document: for a pull request, an issue, a lab's notes.

The same rows as in the terminal, made by the same cells, so that the two cannot differ.
"""

from collections.abc import Iterable, Sequence

from analysis.result import FRAME_WORDS, Frame
from analysis.sweep_report import SweepAnalysis
from analysis.sweep_tables import CeilingRow
from ui.reports.numbers import (
    change_cells,
    holm_of,
    p_cell,
    per_cent_cell,
    per_cent_interval,
    rate_of,
)


def document(found: SweepAnalysis, *, name: str, frame: Frame) -> str:
    """Write the verdict, the table of ceilings, each agent, the flips and the doubts."""
    parts = [f"# {name}", found.verdict, f"Intervals: 95%, {FRAME_WORDS[frame]}."]
    parts += ["## Ceilings", _ceilings(found.table, found.reference, frame)]
    for place, agent in enumerate(found.agents if len(found.agents) > 1 else ()):
        parts += [f"## {agent}", _agent(found, place, frame)]
    last = next((one for one in found.flips if one.b == found.conditions[-1]), None)
    if last is not None and last.changed:
        rows = (
            (
                flip.task,
                f"{flip.passed_a}/{flip.attempts_a}",
                f"{flip.passed_b}/{flip.attempts_b}",
                p_cell(flip.p_value),
            )
            for flip in last.changed
        )
        heads = ("task", f"passed at {last.a}", f"passed at {last.b}", "p")
        parts += [f"## Tasks that changed from {last.a} to {last.b}", _table(heads, rows)]
    parts += ["## To be held against these numbers"] if found.guards else []
    parts += ["\n".join(f"- {said}" for said in found.guards)] if found.guards else []
    parts += ["\n".join(f"- {said}" for said in found.statements[1:])]
    return "\n\n".join(parts)


def _ceilings(rows: Sequence[CeilingRow], reference: str, frame: Frame) -> str:
    heads = ["ceiling", "trials", "infra errors %", "95% CI", "p (Holm)", "score %", "95% CI"]
    heads += [f"points vs {reference}", "95% CI", "p (Holm)"]
    return _table(heads, (_ceiling(row, frame) for row in rows))


def _ceiling(row: CeilingRow, frame: Frame) -> tuple[str, ...]:
    infra, score = (rate_of(row.rates, which, frame) for which in ("infra", "score"))
    return (
        row.condition,
        f"{row.n:,}",
        per_cent_cell(infra),
        per_cent_interval(infra),
        p_cell(holm_of(row.infra_change, frame)),
        per_cent_cell(score),
        per_cent_interval(score),
        *change_cells(row.score_change, frame),
        p_cell(holm_of(row.score_change, frame)),
    )


def _agent(found: SweepAnalysis, place: int, frame: Frame) -> str:
    heads = ("ceiling", "infra errors %", "score %", "95% CI", f"points vs {found.reference}", "p")
    rows: list[tuple[str, ...]] = []
    for row in found.table:
        one = row.agents[place]
        infra, score = (rate_of(one.rates, which, frame) for which in ("infra", "score"))
        rows.append(
            (
                row.condition,
                per_cent_cell(infra),
                per_cent_cell(score),
                per_cent_interval(score),
                change_cells(one.score_change, frame)[0],
                p_cell(holm_of(one.score_change, frame)),
            )
        )
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    aligned = [":--", *("--:" for _ in heads[1:])]
    lines = [heads, aligned, *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
