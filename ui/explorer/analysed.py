"""The analysis of a sweep for pages: from the cell table, and never in a viewer's way.

The cell table is one grouping in the store and comes at once, whatever the number of
trials. The statistics over it are exact and drawn tests that take some seconds of a core
where there are hundreds of tasks. They are kept by the cells themselves, so that nothing is
computed again before a count has changed. A small table is analysed on the spot; over a
large one a thread works, and meanwhile pages have the last analysis, or none yet, and say
so. While a sweep runs the thread rests five times as long as it worked.
"""

import threading
import time
from dataclasses import dataclass, field
from typing import Final

from analysis.cells import Cell
from analysis.dataset import analyse_sweep_cells, cells_of
from analysis.errors import NoTrialsError
from analysis.flips import Flips, flips
from analysis.grid import make_grid
from analysis.sweep_report import SweepAnalysis
from barograph.errors import BarographError
from store.answers import Answers
from store.pages import overview
from store.rows import SweepRow
from ui.explorer.data import cached, data

AT_ONCE: Final = 600
"""Cells that are analysed on the spot: some tenths of a second."""
_PATIENCE_S: Final = 0.3
_REST: Final = 5.0


@cached
def _counted(answers: Answers, sweep: str) -> tuple[Cell, ...]:
    return cells_of(overview.cells(answers, sweep))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An analysis, and whether it is of the counts of now."""

    analysis: SweepAnalysis
    current: bool


@dataclass(slots=True)
class _Work:
    """What is known of one sweep, and the thread that works on it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    done: threading.Event = field(default_factory=threading.Event)
    working: bool = False
    cells: tuple[Cell, ...] | None = None
    analysis: SweepAnalysis | None = None
    failure: BarographError | None = None
    rest_until_s: float = 0.0


def cells(sweep: str) -> tuple[Cell, ...]:
    """The cell table of a sweep: the counts behind every rate."""
    return _counted(sweep)


def analysed(row: SweepRow) -> Found | None:
    """What the ceilings of a sweep did, as far as it is known by now.

    Args:
        row: the sweep's plan.

    Returns:
        None: the first analysis of a large sweep is being made; look again in a second.

    Raises:
        NoTrialsError: no trial has an outcome that was judged.
        BarographError: it cannot be analysed.

    """
    counted = cells(row.sweep)
    if not any(cell.outcomes.n for cell in counted):
        raise NoTrialsError("no trial has ended yet", remedy="run the sweep, then ask again")
    if len(counted) <= AT_ONCE:
        made = data().memory.recall(
            ("analysis", row.sweep, counted),
            0,  # the cells are the state
            lambda: analyse_sweep_cells(row, counted),
        )
        return Found(analysis=made, current=True)
    work = data().memory.recall(("analysing", row.sweep), 0, _Work)
    _see_to_it(work, row, counted)
    if work.analysis is None:
        work.done.wait(_PATIENCE_S)
    if work.failure is not None:
        raise work.failure
    if work.analysis is None:
        return None
    return Found(analysis=work.analysis, current=work.cells == counted)


def _see_to_it(work: _Work, row: SweepRow, counted: tuple[Cell, ...]) -> None:
    """Have a thread work unless one does, or it rests, or there is nothing new."""
    with work.lock:
        rests = time.monotonic() < work.rest_until_s
        if work.working or rests or work.cells == counted:
            return
        work.working = True
        work.done.clear()
    threading.Thread(target=_make, args=(work, row, counted), name="analysis", daemon=True).start()


def _make(work: _Work, row: SweepRow, counted: tuple[Cell, ...]) -> None:
    began = time.monotonic()
    try:
        made, failure = analyse_sweep_cells(row, counted), None
    except BarographError as error:
        made, failure = None, error
    with work.lock:
        work.cells, work.analysis, work.failure = counted, made or work.analysis, failure
        work.rest_until_s = time.monotonic() + _REST * (time.monotonic() - began)
        work.working = False
        work.done.set()


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
