"""The map: tasks against ceilings, how often each was solved, and where the ceiling killed.

A cell goes from paper to ink with the share of its trials that passed; that is a quantity
and no cause, so it has none of the colours of causes. Kills are a cause: a cell that has
some bears a hatched square in the colour of memory with their number, in the same place in
every cell, so that the hatching can be followed down a column without reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from ui.explorer.charts.base import inline, layered, named
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme
from ui.palette import LOOKS

CLICKED: Final = "cell"
"""Name of the selection that a click on a cell makes: fields ``task_at`` and ``condition_at``."""

_ROW_PX: Final = 26
_HATCH: Final = "M-1,0.2L-0.2,1M-1,-0.6L0.6,1M-0.6,-1L1,0.6M0.2,-1L1,-0.2M-1,-1L1,-1L1,1L-1,1Z"
_DARK_FROM: Final = 0.55
"""Share from which on a cell is nearer to ink, so that words on it have the paper's colour."""
_LABEL_CHARS: Final = 34
_MOST_MARKED: Final = 7
"""Columns up to which a cell has room for the number of kills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCell:
    """One task under one condition, the chosen agents together."""

    task: str
    condition: str
    trials: int
    passed: int
    killed: int
    """Ended by their own ceiling."""

    @property
    def share(self) -> float | None:
        """Of the trials, those that passed; None where none ended."""
        return self.passed / self.trials if self.trials else None


def task_map(
    cells: Sequence[MapCell], tasks: Sequence[str], conditions: Sequence[str], look: Theme
) -> alt.LayerChart:
    """Draw the map.

    Args:
        cells: any order; those of other tasks are left out.
        tasks: rows from the top.
        conditions: columns from the left.
        look: colours.

    """
    rows = _rows(cells, tasks, conditions)
    clicked = alt.selection_point(name=CLICKED, fields=["task_at", "condition_at"], on="click")
    base = alt.Chart(inline(rows)).encode(
        x=_within(conditions, 0.5),
        y=alt.Y(
            "task_at:O",
            axis=named(tasks, orient="left", most=_LABEL_CHARS),
            scale=alt.Scale(domain=list(range(len(tasks))), paddingInner=0.1),
        ),
        tooltip=[
            alt.Tooltip("task:N", title="task"),
            alt.Tooltip("condition:N", title="ceiling"),
            alt.Tooltip("words:N", title="passed"),
            alt.Tooltip("killed:Q", title="killed by the ceiling"),
        ],
    )
    squares = _squares(base, look)
    words = base.mark_text(fontSize=12, cursor="pointer").encode(
        x=_within(conditions, 0.36),
        text=alt.Text("words:N"),
        color=alt.condition("datum.dark", alt.value(look.paper), alt.value(look.ink)),
    )
    parts = [squares.add_params(clicked), words, *_kills(base, conditions, look)]
    return layered(*parts).properties(height=_ROW_PX * max(1, len(tasks)))


def _squares(base: alt.Chart, look: Theme) -> alt.Chart:
    """The cells, from paper to ink."""
    made: alt.Chart = base.mark_rect(cursor="pointer").encode(
        color=alt.Color(
            "share:Q",
            scale=alt.Scale(domain=[0, 1], range=list(look.ramp)),
            legend=alt.Legend(
                title="passed",
                orient="bottom",
                format=".0%",
                values=[0, 0.5, 1],
                gradientLength=140,
                gradientThickness=10,
                titleOrient="left",
            ),
        )
    )
    return made


def _kills(base: alt.Chart, conditions: Sequence[str], look: Theme) -> list[alt.Chart]:
    """The hatched squares on paper of their own, and their numbers where there is room."""
    killed = base.transform_filter("datum.killed > 0").encode(x=_within(conditions, 1.0))
    tags = killed.mark_point(
        shape="square", size=210, xOffset=-12, filled=True, opacity=1, color=look.paper
    )
    hatches = killed.mark_point(
        shape=_HATCH,
        size=110,
        xOffset=-12,
        stroke=look.hues["memory"],
        strokeWidth=1.4,
        filled=False,
        opacity=1,
    )
    marks = killed.mark_text(
        xOffset=-24, align="right", fontSize=11, fontWeight="bold", cursor="pointer"
    ).encode(
        text=alt.Text("mark:N"),
        color=alt.condition("datum.dark", alt.value(look.paper), alt.value(look.ink)),
    )
    parts = [tags, hatches, marks]
    return parts if len(conditions) <= _MOST_MARKED else parts[:2]


def _within(conditions: Sequence[str], position: float) -> alt.X:
    """A place inside a cell, from 0 at its left edge to 1."""
    return alt.X(
        "condition_at:O",
        bandPosition=position,
        axis=named(conditions, orient="top", most=16),
        scale=alt.Scale(domain=list(range(len(conditions))), paddingInner=0.04),
    )


def _rows(
    cells: Sequence[MapCell], tasks: Sequence[str], conditions: Sequence[str]
) -> list[dict[str, object]]:
    at: Mapping[str, int] = {task: place for place, task in enumerate(tasks)}
    columns: Mapping[str, int] = {known: place for place, known in enumerate(conditions)}
    return [
        {
            "task": name(cell.task, 300),
            "condition": name(cell.condition, 60),
            "task_at": at[cell.task],
            "condition_at": columns[cell.condition],
            "share": cell.share,
            "killed": cell.killed,
            "words": f"{cell.passed}/{cell.trials}" if cell.trials else "",
            "mark": f"{LOOKS['memory'].mark}{cell.killed}",
            "dark": (cell.share or 0.0) >= _DARK_FROM,
        }
        for cell in cells
        if cell.task in at and cell.condition in columns
    ]
