"""Two small figures in points: where a gain comes from, and how far the score moves by itself.

Both are rows of an estimate with its interval, drawn alike, so that a gain can be held
against the noise beside it. Nothing here has a cause, so everything is in ink.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from ui.explorer.charts.base import inline, layered, record
from ui.explorer.theme import Theme
from ui.text import signed

_ROW_PX: Final = 32
_STEP_PX: Final = 44
_PARTS: Final = ["infra errors removed", "new solves"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GainPart:
    """One part of the change of the score between two ceilings, in points."""

    step: str
    part: str
    """``infra errors removed`` or ``new solves``."""
    points: float
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePart:
    """How many points the score moves by one source, at a 95% level."""

    source: str
    points: float
    """Half the width of an interval; of ceilings: the span from worst to best."""
    says: str


def gains(parts: Sequence[GainPart], steps: Sequence[str], look: Theme) -> alt.LayerChart:
    """Draw both parts of each step, one below the other."""
    rows = [
        {
            **record(part),
            "low": part.points if part.low is None else part.low,
            "high": part.points if part.high is None else part.high,
            "words": signed(part.points),
        }
        for part in parts
    ]
    base = _steps(rows, steps)
    colour = alt.Color(
        "part:N",
        scale=alt.Scale(domain=_PARTS, range=[look.muted, look.ink]),
        legend=alt.Legend(title=None, orient="top"),
    )
    zero = (
        alt.Chart(inline([{"x": 0.0}]))
        .mark_rule(color=look.grid, strokeWidth=2)
        .encode(x=alt.X("x:Q"))
    )
    rules = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", axis=alt.Axis(title="points of score", format="+.0f", tickCount=6)),
        x2=alt.X2("high:Q"),
        color=colour,
    )
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("points:Q"),
        color=colour,
        shape=alt.Shape(
            "part:N",
            scale=alt.Scale(domain=_PARTS, range=["diamond", "circle"]),
            legend=alt.Legend(title=None, orient="top"),
        ),
    )
    words = base.mark_text(align="left", dx=8, color=look.ink).encode(
        x=alt.X("high:Q"), text=alt.Text("words:N")
    )
    return layered(zero, rules, marks, words).properties(height=_STEP_PX * max(1, len(steps)))


def budget(parts: Sequence[NoisePart], look: Theme) -> alt.LayerChart:
    """Draw each source as a bar from 0."""
    top = max([part.points for part in parts], default=1.0) * 1.2
    rows = [{**record(part), "words": f"{part.points:.1f}"} for part in parts]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "source:N",
            sort=[part.source for part in parts],
            axis=alt.Axis(title=None, ticks=False, domain=False, labelPadding=6, labelLimit=260),
        ),
        tooltip=[
            alt.Tooltip("source:N", title="source"),
            alt.Tooltip("points:Q", title="points", format=".1f"),
            alt.Tooltip("says:N", title="how"),
        ],
    )
    bars = base.mark_bar(height=16, color=look.muted).encode(
        x=alt.X(
            "points:Q",
            scale=alt.Scale(domain=[0, max(1.0, top)], nice=False),
            axis=alt.Axis(title="points of score", tickCount=6, grid=False),
        )
    )
    words = base.mark_text(align="left", dx=6, color=look.ink).encode(
        x=alt.X("points:Q"), text=alt.Text("words:N")
    )
    return layered(bars, words).properties(height=_ROW_PX * max(1, len(parts)))


def _steps(rows: Sequence[object], steps: Sequence[str]) -> alt.Chart:
    """Both parts of each step at their places, with what a pointer is told."""
    return alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "step:N",
            sort=list(steps),
            axis=alt.Axis(title=None, ticks=False, domain=False, labelPadding=6),
        ),
        yOffset=alt.YOffset("part:N", sort=_PARTS),
        tooltip=[
            alt.Tooltip("step:N", title="from, to"),
            alt.Tooltip("part:N", title="part"),
            alt.Tooltip("points:Q", title="points", format="+.1f"),
            alt.Tooltip("low:Q", title="95% from", format="+.1f"),
            alt.Tooltip("high:Q", title="to", format="+.1f"),
            alt.Tooltip("p_value:Q", title="p, sign-flip by task", format=".3f"),
        ],
    )
