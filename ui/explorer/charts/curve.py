"""The curve: score and infra-error rate against the ceiling, a panel an agent.

The ceilings stand on a log2 axis of multiples of the spec, "uncapped" one step after the
last. Above, the score as a line with its intervals; below, infra errors as bars in the
colours of their causes with the interval of the whole rate. Each ceiling says its n. A point
is never joined to "uncapped" by a solid line, because there is no number in between.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import altair as alt

from ui.explorer.charts.base import inline, layered, record
from ui.explorer.charts.words import name
from ui.explorer.theme import CeilingAxis, Theme, hue_named

Endpoint = Literal["score", "infra"]

_SCORE_HEIGHT: Final = 210
_INFRA_HEIGHT: Final = 120
_LEAST_TOP: Final = 10.0
_WHOLE: Final = 112.0
"""Percent: an axis up to 100 with room for a number above it."""
_TALL: Final = 128.0
"""The same where the figure is lower."""
_TICKS: Final = (0, 50, 100)
_LEFT_PX: Final = 34
"""Room for labels, the same above and below, so that the ceilings stand under each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One rate of one agent at one ceiling, in percent."""

    agent: str
    condition: str
    endpoint: Endpoint
    n: int
    percent: float
    low: float | None
    high: float | None
    method: str | None
    frame: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InfraPart:
    """The part of an infra-error rate that has one kind of cause."""

    agent: str
    condition: str
    hue: str
    words: str
    """The kind's mark and name."""
    trials: int
    start: float
    """From and to, percent of the trials."""
    end: float


def scores(
    agent: str, points: Sequence[CurvePoint], *, axis: CeilingAxis, look: Theme, shape: str
) -> alt.LayerChart:
    """Draw one agent's scores, the upper half of its panel.

    Args:
        agent: whose.
        points: of all agents, both endpoints.
        axis: where the ceilings stand.
        look: colours.
        shape: the agent's.

    """
    mine = [point for point in points if (point.agent, point.endpoint) == (agent, "score")]
    base = alt.Chart(_placed(mine, axis)).encode(
        x=_x(axis, None), y=_y("percent", "score, %", _WHOLE), tooltip=_tips()
    )
    whole = base.transform_filter("!datum.last").mark_line(strokeWidth=2, color=look.ink)
    # No number lies between the largest ceiling and none.
    gap = base.transform_filter("datum.end").mark_line(
        strokeWidth=2, color=look.ink, strokeDash=[3, 4]
    )
    marks = base.mark_point(shape=shape, size=90, filled=True, opacity=1, color=look.ink)
    title = alt.TitleParams(text=name(agent), color=look.ink)
    return layered(_interval(base, look), gap, whole, marks, _labels(base, look)).properties(
        height=_SCORE_HEIGHT, title=title
    )


def infra_errors(
    agent: str,
    points: Sequence[CurvePoint],
    parts: Sequence[InfraPart],
    *,
    axis: CeilingAxis,
    look: Theme,
) -> alt.LayerChart:
    """Draw one agent's infra errors by cause, the lower half of its panel.

    Args:
        agent: whose.
        points: of all agents, both endpoints: the scale is theirs together.
        parts: of all agents.
        axis: where the ceilings stand.
        look: colours.

    """
    mine = [point for point in points if (point.agent, point.endpoint) == (agent, "infra")]
    highest = [point.high or point.percent for point in points if point.endpoint == "infra"]
    top = min(_TALL, max([_LEAST_TOP, *highest]) * 1.3)
    names, counted = _counted(mine)
    slices = [part for part in parts if part.agent == agent]
    hues = {part.words: look.hues[hue_named(part.hue)] for part in slices}
    bars = (
        alt.Chart(inline({**record(part), "place": axis.places[part.condition]} for part in slices))
        .mark_bar(size=22)
        .encode(
            x=_x(axis, names, counted),
            y=_y("start", "infra errors, %", top),
            y2=alt.Y2("end:Q"),
            color=alt.Color(
                "words:N",
                scale=alt.Scale(domain=list(hues), range=list(hues.values())),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("condition:N", title="ceiling"),
                alt.Tooltip("words:N", title="cause"),
                alt.Tooltip("trials:Q", title="trials"),
            ],
        )
    )
    base = alt.Chart(_placed(mine, axis)).encode(
        x=_x(axis, names, counted), y=_y("percent", "infra errors, %", top), tooltip=_tips()
    )
    ticks = base.mark_tick(orient="horizontal", size=22, thickness=2, color=look.ink)
    return layered(bars, _interval(base, look), ticks, _labels(base, look)).properties(
        height=_INFRA_HEIGHT
    )


def _counted(points: Sequence[CurvePoint]) -> tuple[dict[str, list[str]], str]:
    """What stands below each ceiling, and what the axis says of n.

    Where all have the same n it is said once: beside each other, many would not have room.
    """
    trials = {point.n for point in points}
    if len(trials) == 1:
        names = {point.condition: [name(point.condition, 12)] for point in points}
        return names, f"n = {trials.pop():,} each"
    names = {point.condition: [name(point.condition, 12), f"{point.n:,}"] for point in points}
    return names, "and n below it"


def _interval(base: alt.Chart, look: Theme) -> alt.Chart:
    made: alt.Chart = base.mark_rule(strokeWidth=1.5, color=look.muted).encode(
        y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    return made


def _labels(base: alt.Chart, look: Theme) -> alt.Chart:
    made: alt.Chart = base.mark_text(dy=-9, baseline="bottom", color=look.ink, fontSize=12).encode(
        y=alt.Y("high:Q"), text=alt.Text("percent:Q", format=".0f")
    )
    return made


def _placed(points: Sequence[CurvePoint], axis: CeilingAxis) -> alt.InlineData:
    """The points with their places, and which of them the dashed end is made of."""
    order = sorted(points, key=lambda point: axis.places[point.condition])
    last = len(order) - 1
    rows = [
        {
            **record(point),
            "place": axis.places[point.condition],
            "last": axis.is_log and axis.ends_open and place == last and last > 0,
            "end": axis.is_log and axis.ends_open and place >= last - 1,
            "high": point.percent if point.high is None else point.high,
            "low": point.percent if point.low is None else point.low,
            "interval": "no interval"
            if point.low is None or point.high is None
            else f"{point.low:.1f} to {point.high:.1f} ({point.method})",
        }
        for place, point in enumerate(order)
    ]
    return inline(rows)


def _x(axis: CeilingAxis, names: dict[str, list[str]] | None, counted: str = "") -> alt.X:
    low, high = axis.domain()
    what = "memory ceiling, multiples of the task's spec" if axis.is_log else "memory ceiling"
    shown = alt.Axis(
        values=sorted(axis.places.values()),
        labels=names is not None,
        labelExpr=axis.label_expression(names),
        title=f"{what}; {counted}" if names else None,
        grid=False,
        labelOverlap=False,
        ticks=names is not None,
    )
    return alt.X("place:Q", scale=alt.Scale(domain=[low, high], nice=False), axis=shown)


def _y(field: str, title: str, top: float) -> alt.Y:
    return alt.Y(
        f"{field}:Q",
        scale=alt.Scale(domain=[0, top], nice=False, clamp=True),
        axis=alt.Axis(
            title=title,
            values=list(_TICKS) if top > 40 else alt.Undefined,  # noqa: PLR2004 - else by itself
            tickCount=5,
            format=".0f",
            minExtent=_LEFT_PX,
            maxExtent=_LEFT_PX,
        ),
    )


def _tips() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("agent:N", title="agent"),
        alt.Tooltip("condition:N", title="ceiling"),
        alt.Tooltip("endpoint:N", title="rate"),
        alt.Tooltip("percent:Q", title="%", format=".1f"),
        alt.Tooltip("interval:N", title="95% interval"),
        alt.Tooltip("n:Q", title="trials"),
        alt.Tooltip("frame:N", title="for"),
    ]
