"""The analysis of a sweep for pages: from the cell table, and once for each state of it.

While a sweep runs, the tables change several times a second and its outcomes some times a
minute. The cell table is asked for at each watermark (one grouping in the store); what takes
its time, the statistics, is kept by the cells themselves and not made again before a count
has changed.
"""

from analysis.cells import Cell
from analysis.dataset import analyse_sweep_cells, cells_of
from analysis.flips import Flips, flips
from analysis.grid import make_grid
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


def flipped(row: SweepRow, a: str, b: str, agents: tuple[str, ...] = ()) -> Flips:
    """Which tasks changed between two ceilings.

    Args:
        row: the sweep's plan.
        a: the one ceiling.
        b: the other.
        agents: contestants; empty: all.

    Raises:
        NoTrialsError: no trial has an outcome that was judged.
        QuestionError: no such ceiling or agent.

    """
    counted = cells(row.sweep)
    conditions = conditions_of(row, counted)

    def make() -> Flips:
        grid = make_grid(counted, conditions=conditions)
        chosen = agents or None
        return flips(grid.arm(a, agents=chosen), grid.arm(b, agents=chosen))

    return data().memory.recall(("flips", row.sweep, a, b, agents, counted), 0, make)


def conditions_of(row: SweepRow, counted: tuple[Cell, ...]) -> tuple[str, ...]:
    """The ceilings of a sweep in its own order, else as they first appear."""
    return tuple(row.conditions or dict.fromkeys(cell.condition for cell in counted))
