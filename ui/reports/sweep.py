"""What the ceilings did to the score: the verdict, the curve, the tables, the doubts.

The order is that of a reader in a hurry: one sentence; a picture of it; the numbers with
their intervals; then who, which tasks, and would it have failed anyway; what to hold
against all of it comes last and is never left out. Nothing is computed here.
"""

from typing import Literal

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.result import FRAME_WORDS, Frame, Result
from analysis.sweep_report import SweepAnalysis
from analysis.sweep_tables import CeilingRow
from analysis.wording import count
from ui import tables
from ui.palette import BOLD, DIM
from ui.reports import outcomes
from ui.reports import sweep_parts as parts
from ui.reports.numbers import (
    change_cells,
    holm_of,
    p_cell,
    per_cent_cell,
    per_cent_interval,
    rate_of,
)
from ui.reports.whisker import Axis, whisker

Which = Literal["score", "infra"]

_LABEL_CELLS = 10
_WIDEST_PLOT = 44


def render(found: SweepAnalysis, *, name: str, frame: Frame, width: int) -> RenderableType:
    """Lay the analysis out for people.

    Args:
        found: the analysis.
        name: of the sweep.
        frame: whose intervals and p-values the tables show.
        width: columns of the terminal.

    """
    return Group(
        *_verdict(found),
        Text(_subtitle(found, name), style=DIM),
        tables.section("What became of the trials", outcomes.strips(found, width)),
        Text(),
        _curve(found, frame, width),
        tables.section(f"Each ceiling ({FRAME_WORDS[frame]})", _table(found, frame)),
        *parts.agents(found, frame),
        *parts.flips(found),
        *parts.failed_anyway(found, frame),
        *parts.steps(found),
        parts.treatments(found),
        *parts.sensitivity(found),
        *parts.doubts(found),
        parts.method(),
    )


def _verdict(found: SweepAnalysis) -> list[Text]:
    """The verdict's clauses, each on a line of its own: one sentence that can be scanned."""
    clauses = [said for said in found.statements if said[1:-1] in found.verdict]
    rest = [said for said in found.statements if said not in clauses]
    if not clauses:
        return [tables.answer(found.verdict)]
    lines = [said[:-1] + ";" for said in clauses[:-1]] + clauses[-1:]
    lines = lines[:1] + [said[:1].lower() + said[1:] for said in lines[1:]]
    return [
        tables.answer(lines[0]),
        *(Text(line, style=BOLD) for line in lines[1:]),
        *(Text(said) for said in rest),
    ]


def _subtitle(found: SweepAnalysis, name: str) -> str:
    return (
        f"{name}: {count(found.n_trials, 'trial')} = {count(len(found.tasks), 'task')} × "
        f"{count(len(found.conditions), 'ceiling')} × {count(len(found.agents), 'agent')} × "
        f"{_attempts(found)}; compared with {found.reference}"
    )


def _attempts(found: SweepAnalysis) -> str:
    scores = [row.rates.score for row in found.table]
    least, most = min(one.attempts_min for one in scores), max(one.attempts_max for one in scores)
    return count(most, "attempt") if least == most else f"{least}–{most} attempts"


def _curve(found: SweepAnalysis, frame: Frame, width: int) -> RenderableType:
    """Both endpoints against the ceiling, side by side on axes of their own."""
    cells = max(16, min(_WIDEST_PLOT, (width - _LABEL_CELLS - 6) // 2))
    endpoints: tuple[Which, Which] = ("infra", "score")
    results = {
        which: [rate_of(row.rates, which, frame) for row in found.table] for which in endpoints
    }
    axes = {which: _axis(results[which], cells) for which in endpoints}
    lines: list[Text] = [
        _line("", Text("infra errors, %".ljust(cells), style=DIM), Text("score, %", style=DIM))
    ]
    for place, row in enumerate(found.table):
        drawn = [_whisker(axes[which], results[which][place]) for which in endpoints]
        lines.append(_line(row.condition, *drawn))
    lines.append(_line("", *(Text(axes[which].labels(), style=DIM) for which in endpoints)))
    return Group(*lines)


def _line(label: str, left: Text, right: Text) -> Text:
    return Text.assemble(f"  {label:<{_LABEL_CELLS}}", left, "   ", right)


def _axis(results: list[Result], cells: int) -> Axis:
    ends = [
        100 * value
        for result in results
        for value in (result.estimate, result.ci_low, result.ci_high)
        if value is not None
    ]
    return Axis.around(ends, cells=cells)


def _whisker(axis: Axis, result: Result) -> Text:
    values = (result.estimate, result.ci_low, result.ci_high)
    scaled = [None if value is None else 100 * value for value in values]
    return whisker(axis, *scaled)


def _table(found: SweepAnalysis, frame: Frame) -> RenderableType:
    unequal = len({row.n for row in found.table}) > 1
    columns = [
        tables.text("\nceiling"),
        *([tables.number("\ntrials", dim=True)] if unequal else []),
        tables.number("infra\nerr. %"),
        tables.number("\n95% CI", dim=True),
        tables.number("p\nHolm"),
        tables.number("score\n%"),
        tables.number("\n95% CI", dim=True),
        tables.number(f"vs {found.reference}\npoints"),
        tables.number("\n95% CI", dim=True),
        tables.number("p\nHolm"),
    ]
    rows = (_row(row, frame, with_trials=unequal) for row in found.table)
    return tables.table(columns, rows)


def _row(row: CeilingRow, frame: Frame, *, with_trials: bool) -> list[str]:
    infra, score = (rate_of(row.rates, which, frame) for which in ("infra", "score"))
    return [
        row.condition,
        *([f"{row.n:,}"] if with_trials else []),
        per_cent_cell(infra),
        per_cent_interval(infra),
        p_cell(holm_of(row.infra_change, frame)),
        per_cent_cell(score),
        per_cent_interval(score),
        *change_cells(row.score_change, frame),
        p_cell(holm_of(row.score_change, frame)),
    ]
