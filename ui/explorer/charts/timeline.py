"""Panels on one time axis: their words above, their scale inside, so that all begin at one edge.

Labels of a y axis have the width of their words; beside each other they would push panels
out of line, and a moment would not be one vertical line through all of them. So the words
are the panel's title, and the scale's labels stand inside, at the right.

Times are milliseconds, as Vega counts, and always shown in UTC whatever the browser's zone.
"""

import math
from collections.abc import Sequence
from typing import Final, Literal

import altair as alt

from barograph.clock import US_PER_S
from ui.explorer.charts.base import inline, layered
from ui.explorer.theme import Theme

_BAND_PX: Final = 44
_LINE_PX: Final = 18
_TICKS: Final = 10
_FORMATS: Final = (
    (1_800 * US_PER_S, "%H:%M:%S"),
    (86_400 * US_PER_S, "%H:%M"),
    (math.inf, "%b %d %H:%M"),
)


def foot(from_us: int, to_us: int) -> str:
    """How times are written under a window of that length."""
    return next(form for most, form in _FORMATS if to_us - from_us <= most)


def time_x(field: str, form: str | None = None) -> alt.X:
    """The one time axis; labels only at the foot of a figure, where ``form`` is given."""
    scale = alt.Scale(type="utc", nice=False, padding=0)
    bare = alt.Axis(
        labels=False, ticks=False, domain=False, grid=True, title=None, tickCount=_TICKS
    )
    if form is None:
        return alt.X(f"{field}:T", scale=scale, axis=bare)
    labelled = alt.Axis(
        labelExpr=f"utcFormat(datum.value, '{form}')",
        grid=True,
        title="UTC",
        titleAnchor="end",
        titlePadding=0,
        tickCount=_TICKS,
        labelOverlap=True,
    )
    return alt.X(f"{field}:T", scale=scale, axis=labelled)


def window(from_us: int, to_us: int, form: str | None = None) -> alt.Chart:
    """Two invisible points: the ends of the axis as rows, so that they may move."""
    ends = inline([{"t": from_us / 1000}, {"t": to_us / 1000}])
    point = alt.Chart(ends).mark_point(opacity=0, size=1, tooltip=False)
    encoded: alt.Chart = point.encode(x=time_x("t", form))
    return encoded


def inside(form: str = ",d", ticks: int = 2) -> alt.Axis:
    """A y axis whose labels stand inside the panel, at the right."""
    return alt.Axis(
        orient="right",
        format=form,
        tickCount=ticks,
        labelExpr="datum.value === 0 ? '' : datum.label",
        labelAlign="right",
        labelPadding=-2,
        labelBaseline="bottom",
        ticks=False,
        domain=False,
        title=None,
    )


def title(words: str) -> alt.TitleParams:
    """The words above a panel."""
    return alt.TitleParams(words, fontSize=12, fontWeight="normal", offset=3, anchor="start")


def heading(words: str, theme: Theme) -> alt.Chart:
    """Words above a panel that change with its rows: a title would be a new picture."""
    text = alt.Chart(inline([{"words": words}])).mark_text(
        align="left",
        baseline="bottom",
        x=alt.expr("0"),
        y=alt.expr("-4"),
        color=theme.ink,
        fontSize=12,
        tooltip=False,
    )
    encoded: alt.Chart = text.encode(text="words:N")
    return encoded


def band(
    rows: Sequence[object],
    field: str,
    theme: Theme,
    *,
    words: str,
    form: str = ",d",
    x_form: str | None = None,
    mean: bool = True,
    before: bool = False,
) -> alt.LayerChart:
    """Means as an area below a line of the highest.

    Args:
        rows: with ``start`` (milliseconds), ``at`` (the same in words), ``who`` (a line
            each), ``<field>`` (the mean) and ``<field>_top`` (the highest).
        field: what is drawn.
        theme: light or dark.
        words: stand above.
        form: how numbers are written (d3).
        x_form: how times are; None: this is not the figure's last panel.
        mean: whether there are means.
        before: a row is about the time before it, not after it.

    """
    axis = inside(form)
    step: Literal["step-before", "step-after"] = "step-before" if before else "step-after"
    base = alt.Chart().encode(x=time_x("start", x_form), detail="who:N")
    tips = [
        alt.Tooltip("who:N", title="of"),
        alt.Tooltip("at:N", title="from"),
        *([alt.Tooltip(f"{field}:Q", title="mean", format=form)] if mean else []),
        alt.Tooltip(f"{field}_top:Q", title="highest", format=form),
    ]
    area = base.mark_area(color=theme.muted, opacity=0.3, interpolate=step).encode(
        y=alt.Y(f"{field}:Q", axis=axis, stack=None)
    )
    line = base.mark_line(color=theme.ink, strokeWidth=1.2, interpolate=step).encode(
        y=alt.Y(f"{field}_top:Q", axis=axis), tooltip=tips
    )
    chart = layered(*([area] if mean else []), line)
    made: alt.LayerChart = chart.properties(data=inline(rows), height=_BAND_PX, title=title(words))
    return made


def empty_band(from_us: int, to_us: int, theme: Theme, *, words: str, says: str) -> alt.LayerChart:
    """A panel that has nothing to show, and says why."""
    said = alt.Chart(inline([{"says": says}])).mark_text(
        align="left",
        x=alt.expr("0"),
        y=alt.expr("height / 2"),
        color=theme.muted,
        fontSize=12,
        tooltip=False,
    )
    chart = layered(window(from_us, to_us), said.encode(text="says:N"))
    made: alt.LayerChart = chart.properties(height=_LINE_PX, title=title(words))
    return made


def stacked(*panels: alt.Chart | alt.LayerChart) -> alt.VConcatChart:
    """Panels below each other whose one time axis holds the times of all of them."""
    shared = alt.Resolve(scale=alt.ScaleResolveMap(x="shared"))
    made: alt.VConcatChart = alt.vconcat(*panels, spacing=6, resolve=shared)
    return made
