"""The analysis of a sweep for pages: from the cell table, and once for each state of it.

While a sweep runs, the tables change several times a second and its outcomes some times a
minute. The cell table is asked for at each watermark (one grouping in the store); what takes
its time, the statistics, is kept by the cells themselves and not made again before a count
has changed.
"""

from analysis.cells import Cell
from analysis.dataset import analyse_sweep_cells, cells_of
from analysis.sweep_report import SweepAnalysis
from store.pages import overview
from store.rows import SweepRow
from ui.explorer.data import cached, data

_cells = cached(overview.cells)


def cells(sweep: str) -> tuple[Cell, ...]:
    """The cell table of a sweep: the counts behind every rate."""
    return cells_of(_cells(sweep))


def analysed(row: SweepRow, reference: str | None = None) -> SweepAnalysis:
    """What the ceilings of a sweep did.

    Args:
        row: the sweep's plan.
        reference: the ceiling that others are compared with; None: the first.

    Raises:
        NoTrialsError: no trial has an outcome that was judged.
        QuestionError: the sweep has no such ceiling.

    """
    counted = cells(row.sweep)
    return data().memory.recall(
        ("analysis", row.sweep, reference, counted),
        0,  # the cells are the state
        lambda: analyse_sweep_cells(row, counted, reference=reference),
    )
