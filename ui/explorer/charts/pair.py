"""The pair: one task, one agent, killed under a low ceiling and passing under a higher one.

Both traces begin at the beginning of their tries and share every axis, so that the question
of a meeting ("what would it have done with room?") is answered by looking up from where one
line ends. Colour is the cause, as everywhere: the killed try has the colour of memory, the
one that passed the colour of a pass; each has its words as well, and the mark where a ceiling
ended a trace is open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from barograph.clock import US_PER_S
from barograph.units import format_bytes, format_duration
from store.pages.trial import LaneSlice
from ui.explorer.charts import stack
from ui.explorer.charts.autopsy_shown import begins_us
from ui.explorer.charts.base import inline, layered
from ui.explorer.charts.stack import Band, Clock
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme
from ui.palette import hue_of

HEIGHT_PX: Final = 260
MEMORY: Final = "Memory: usage (area), interval peak (line)"
_CEILING_UP_TO: Final = 3
_HEADROOM: Final = 1.22
_RIGHT_FROM: Final = 0.65
"""Of the span: words beside a later mark are on its left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One of the two tries."""

    condition: str
    cause: str
    started_t_us: int
    duration_s: float
    ceiling_bytes: int | None
    peak_bytes: int | None
    killed_t_us: int | None
    victim: str | None
    slices: Sequence[LaneSlice]

    @property
    def words(self) -> str:
        """How it ended."""
        took = format_duration(self.duration_s)
        if self.killed_t_us is None:
            ended = "passed" if self.cause == "none" else self.cause
            return f"{name(self.condition, 20)}: {ended} after {took}"
        return f"{name(self.condition, 20)}: {name(self.victim or 'a process', 20)} killed"


def figure(traces: Sequence[Trace], theme: Theme) -> alt.LayerChart:
    """Draw both traces from their beginnings.

    Args:
        traces: the killed one first.
        theme: of whoever looks.

    """
    top = _HEADROOM * _highest(traces)
    ticks = stack.memory_ticks(top / _HEADROOM)
    placed, height = stack.stacked([Band(title=MEMORY, height=HEIGHT_PX, top=top, ticks=ticks)])
    band = placed[MEMORY]
    span_us = max(round(US_PER_S * one.duration_s) for one in traces)
    clock = Clock.of(0, span_us)
    layers = [_ground(band, clock, span_us, height)]
    for trace in traces:
        layers += _trace(trace, band, clock, theme.hues[hue_of(trace.cause)])
    for trace in traces:
        layers += _ceiling(trace, band, theme.hues[hue_of(trace.cause)])
        layers += _end(trace, band, clock, span_us, theme)
    layers += [stack.titles([band], theme), stack.words([band], theme)]
    return stack.wide(layered(*layers), height)


def _highest(traces: Sequence[Trace]) -> float:
    peaks = [max((one.peak_bytes or 0 for one in trace.slices), default=0) for trace in traces]
    most = max([*peaks, *(trace.peak_bytes or 0 for trace in traces), 1])
    near = [
        trace.ceiling_bytes
        for trace in traces
        if trace.ceiling_bytes is not None and trace.ceiling_bytes <= _CEILING_UP_TO * most
    ]
    return max([most, *near])


def _ground(band: Band, clock: Clock, span_us: int, height: float) -> alt.Chart:
    title = f"{clock.unit} since each try began"
    y = alt.Y("y:Q", axis=stack.axis([band]), scale=alt.Scale(domain=[0, height], nice=False))
    # A little room after the longer one's end, for its mark.
    domain = [0, clock.x(round(1.02 * span_us))]
    point = alt.Chart(inline([{"x": 0, "y": 0}])).mark_point(opacity=0)
    x = alt.X(
        "x:Q",
        axis=alt.Axis(title=title, tickCount=8, format=".2~f"),
        scale=alt.Scale(domain=domain, nice=False),
    )
    ground: alt.Chart = point.encode(x=x, y=y)
    return ground


def _trace(trace: Trace, band: Band, clock: Clock, colour: str) -> list[alt.Chart]:
    rows = [
        {
            "x": clock.x(one.t_us - trace.started_t_us),
            "usage": band.y(one.usage_max_bytes),
            "peak": band.y(one.peak_bytes),
            "at": f"+{(one.t_us - trace.started_t_us) / US_PER_S:.1f} s",
            "condition": name(trace.condition),
            "highest": format_bytes(one.peak_bytes),
        }
        for one in trace.slices
    ]
    if not rows:
        return []
    first = trace.slices[0]
    begins = begins_us(first)
    # The first peak holds from where its interval began; usage there is not known.
    lead = {
        **rows[0],
        "x": clock.x(max(0, begins - trace.started_t_us)),
        "usage": None,
    }
    base = alt.Chart(inline([lead, *rows]))
    tips = [alt.Tooltip(f"{field}:N") for field in ("condition", "at", "highest")]
    area = base.mark_area(color=colour, opacity=0.16, clip=True)
    line = base.mark_line(color=colour, strokeWidth=2.2, interpolate="step-before", clip=True)
    return [
        area.encode(x=alt.X("x:Q"), y=alt.Y("usage:Q"), y2=alt.Y2Datum(band.base)),
        line.encode(x=alt.X("x:Q"), y=alt.Y("peak:Q"), tooltip=tips),
    ]


def _ceiling(trace: Trace, band: Band, colour: str) -> list[alt.Chart]:
    size = trace.ceiling_bytes
    if size is None or size > band.top:
        return []
    row = {"y": band.y(size), "words": f"ceiling {name(trace.condition, 20)} {format_bytes(size)}"}
    at = alt.Chart(inline([row]))
    words = at.mark_text(x=0, align="left", baseline="bottom", dx=4, dy=-3, color=colour)
    return [
        at.mark_rule(strokeWidth=1.6, color=colour).encode(y=alt.Y("y:Q")),
        words.encode(y=alt.Y("y:Q"), text=alt.Text("words:N")),
    ]


def _end(trace: Trace, band: Band, clock: Clock, span_us: int, theme: Theme) -> list[alt.Chart]:
    """A mark where the trace ends, or where it was killed, and how in words."""
    killed = trace.killed_t_us is not None
    end_us = (
        trace.killed_t_us - trace.started_t_us
        if trace.killed_t_us is not None
        else round(US_PER_S * trace.duration_s)
    )
    last = trace.slices[-1].peak_bytes if trace.slices else 0
    size = trace.peak_bytes if killed else last
    colour = theme.hues[hue_of(trace.cause)]
    row = {"x": clock.x(end_us), "y": band.y(size or 0)}
    at = alt.Chart(inline([row]))
    # Where a ceiling cut the peak off the mark is open: the trace ended there, not the need.
    point = at.mark_point(
        shape="circle",
        size=110,
        strokeWidth=2.4,
        stroke=colour,
        fill=theme.paper if killed else colour,
        opacity=1,
    )
    return [
        point.encode(x=alt.X("x:Q"), y=alt.Y("y:Q")),
        *_words(trace, band, clock, span_us, theme),
    ]


def _words(trace: Trace, band: Band, clock: Clock, span_us: int, theme: Theme) -> list[alt.Chart]:
    """How it ended: below the mark of a kill, else above the highest point of the trace."""
    colour = theme.hues[hue_of(trace.cause)]
    if trace.killed_t_us is not None:
        at_us, size, dy = trace.killed_t_us, trace.peak_bytes, 18
    else:
        highest = max(trace.slices, key=lambda one: one.peak_bytes or 0, default=None)
        at_us = trace.started_t_us if highest is None else highest.t_us
        size, dy = (None if highest is None else highest.peak_bytes), -14
    into_us = at_us - trace.started_t_us
    right = into_us > _RIGHT_FROM * span_us
    row = {"x": clock.x(into_us), "y": band.y(size or 0), "words": trace.words}
    at = alt.Chart(inline([row]))
    return [
        at.mark_text(
            align="right" if right else "left",
            dx=-4 if right else 4,
            dy=dy,
            fontWeight="bold",
            fontSize=13,
            color=halo or colour,
            stroke=halo or alt.Undefined,
            strokeWidth=4 if halo else 0,
        ).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("words:N"))
        for halo in (theme.paper, None)
    ]
