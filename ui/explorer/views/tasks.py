"""Tasks: which tasks flip between two configurations?

The map shows all of them at once, the ones that gained most on top; below, those that
changed between the two chosen ceilings with their intervals. A cell and a row both lead to
the trials behind them. Everything is read off the cell table.
"""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from analysis.cells import Cell
from analysis.flips import Flips
from analysis.wording import count
from store.rows import SweepRow
from ui.explorer import frame, task_rows, theme
from ui.explorer.address import Filters, View
from ui.explorer.analysed import cells, conditions_of, flipped
from ui.explorer.charts.base import record
from ui.explorer.charts.map import CLICKED, MapCell, task_map
from ui.explorer.data import data, sweeps
from ui.explorer.once import once
from ui.reports.numbers import p_cell
from ui.text import UNKNOWN, signed

TASKS_A_PAGE: Final = 40
_MOST_FLIPS: Final = 1000


def render() -> None:
    """Draw the page."""
    rows = sweeps()
    view = View.current(rows)
    frame.problems(view)
    row = next((each for each in rows if each.sweep == view.sweep), None)
    if row is None:
        frame.empty("There is no sweep in this data folder yet.", "barograph demo --small")
        frame.look_again()
        return
    counted = cells(row.sweep)
    conditions = conditions_of(row, counted)
    if not any(cell.outcomes.n for cell in counted):
        frame.answer("No task has an outcome yet.")
        frame.empty("Tasks are compared once trials have ended.", _status())
        return
    head = st.container()
    agents, a, b = _chosen(counted, conditions)
    shown = task_rows.map_cells(counted, agents)
    found = flipped(row, a, b, agents) if a != b else None
    with head:
        _answer(row, found, shown, agents)
    _map(view, row, shown, conditions, (a, b), agents)
    if found is not None:
        _flips(view, row, found, shown, agents)
    frame.computed(
        "Each cell counts the trials of one task under one ceiling; an infra error counts as not "
        "solved. A task **gained** when the share it is solved in, agents weighing the same, is "
        "higher at the second ceiling. Its interval is Newcombe's, agents pooled; p is exact with "
        "agents as strata, a screen and no finding; q is Benjamini–Hochberg over the tasks."
    )


def _status() -> str:
    return f"barograph status --dir {data().options.folder}"


def _chosen(counted: Sequence[Cell], conditions: Sequence[str]) -> tuple[tuple[str, ...], str, str]:
    """Agents and the two ceilings, kept in the address."""
    names = sorted({cell.contestant for cell in counted})
    left, middle, right = st.columns([2, 1, 1])
    with middle:
        a = st.selectbox("From", conditions, key="from", bind="query-params")
    with right:
        last = len(conditions) - 1
        b = st.selectbox("To", conditions, index=last, key="to", bind="query-params")
    chosen: list[str] = []
    if len(names) > 1:
        with left:
            chosen = st.multiselect(
                "Agents",
                names,
                key="agent",
                bind="query-params",
                placeholder="all agents",
            )
    return tuple(chosen), a or conditions[0], b or conditions[-1]


def _answer(
    row: SweepRow, found: Flips | None, shown: Sequence[MapCell], agents: Sequence[str]
) -> None:
    notes = [row.name, f"agents: {', '.join(agents)}" if agents else "all agents together"]
    if found is None:
        frame.answer("Choose two ceilings to see which tasks flip between them.", notes=notes)
        return
    rows = task_rows.flip_rows(found, shown)
    why, doubt = task_rows.why(rows, found), task_rows.doubt(found)
    frame.answer(
        task_rows.sentence(found),
        more=[why] if why else [],
        notes=[*notes, *([doubt] if doubt else [])],
    )


def _map(
    view: View,
    row: SweepRow,
    shown: Sequence[MapCell],
    conditions: Sequence[str],
    pair: tuple[str, str],
    agents: tuple[str, ...],
) -> None:
    tasks = task_rows.by_effect(shown, *pair)
    here, said = _page_of(tasks)
    look = theme.current()
    clicked = frame.figure(
        once(look, task_map, shown, here, conditions, look),
        shown,
        name=f"{row.name}-map",
        key="map",
        title=f"{row.name}: tasks by the gain from {pair[0]} to {pair[1]}",
        caption=f"{said} A cell says passed/trials; a hatched square counts kills by the ceiling. "
        "Click a cell to open its trials.",
        says="Heat map of tasks against ceilings: the share of trials that passed.",
        selects=True,
    )
    for point in clicked.get(CLICKED, ()):
        task, condition = _place(point, "task_at", here), _place(point, "condition_at", conditions)
        if task is not None and condition is not None:
            filters = Filters(agents=agents, conditions=(condition,), tasks=(task,))
            frame.open_page("trials", view.filtered(filters))


def _page_of(tasks: Sequence[str]) -> tuple[Sequence[str], str]:
    """The tasks of the page asked for, and which they are of how many."""
    if len(tasks) <= TASKS_A_PAGE:
        return tasks, f"{count(len(tasks), 'task')}, the largest gain on top."
    pages = -(-len(tasks) // TASKS_A_PAGE)
    page = st.pagination(pages, key="page", bind="query-params")
    first = (min(max(1, page), pages) - 1) * TASKS_A_PAGE
    here = tasks[first : first + TASKS_A_PAGE]
    return here, f"Tasks {first + 1:,} to {first + len(here):,} of {len(tasks):,} by gain."


def _place(point: object, field: str, names: Sequence[str]) -> str | None:
    """The name that a click's place stands for."""
    at = record(point).get(field)
    return names[at] if isinstance(at, int) and 0 <= at < len(names) else None


def _flips(
    view: View, row: SweepRow, found: Flips, shown: Sequence[MapCell], agents: tuple[str, ...]
) -> None:
    rows = task_rows.flip_rows(found, shown)[:_MOST_FLIPS]
    if not rows:
        return
    st.markdown(
        f"##### Tasks that flipped from {frame.plain(found.a, 32)} to {frame.plain(found.b, 32)}"
    )
    text = st.column_config.TextColumn
    at, to = frame.cut(found.a, 16), frame.cut(found.b, 16)
    place = frame.table(
        [_line(each) for each in rows],
        data=rows,
        name=f"{row.name}-flips",
        key="flips",
        selects=True,
        columns={
            "task": text("task", width="medium"),
            "before": text(f"passed at {at}", alignment="right"),
            "after": text(f"at {to}", alignment="right"),
            "change": st.column_config.NumberColumn("points", format="%+.0f"),
            "interval": text("95% CI", alignment="right"),
            "p": text("p", alignment="right"),
            "q": text("q", alignment="right"),
            "kills": text(
                "killed", alignment="right", help=f"By the ceiling, at {at} and at {to}."
            ),
        },
    )
    st.caption("Choose a row to open its trials at both ceilings.")
    if place is not None:
        filters = Filters(agents=agents, conditions=(found.a, found.b), tasks=(rows[place].task,))
        frame.open_page("trials", view.filtered(filters))


def _line(row: task_rows.FlipRow) -> dict[str, object]:
    ends = (
        UNKNOWN
        if row.low_points is None or row.high_points is None
        else f"{signed(row.low_points, 0)} to {signed(row.high_points, 0)}"
    )
    return {
        "task": frame.cut(row.task),
        "before": f"{row.passed_a}/{row.trials_a}",
        "after": f"{row.passed_b}/{row.trials_b}",
        "change": row.change_points,
        "interval": ends,
        "p": p_cell(row.p_value),
        "q": p_cell(row.q_value),
        "kills": f"{row.killed_a} → {row.killed_b}",
    }
