"""The other lanes of the autopsy: what was done, CPU, pressure, neighbours.

What is drawn here is no cause, so it is drawn in ink and told apart by height, dash and
words; only a command that was killed or timed out has the colour of what ended it.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import altair as alt

from barograph.units import format_duration
from store.pages.trial import LaneSlice, NeighbourKill, NeighbourSlice
from store.story import ExecRow, PhaseRow
from ui.explorer.charts.autopsy_shown import Autopsy, after_gaps, begins_us
from ui.explorer.charts.base import inline
from ui.explorer.charts.stack import Band, Clock
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme
from ui.palette import Hue
from ui.text import after

MOST_COMMANDS: Final = 400
_LEAST_PX: Final = 22
"""A bar with less room than that is not written on."""
_PRESSURES: Final = (
    ("memory", "psi_memory_some_us", (1, 0), 368),
    ("memory, all tasks", "psi_memory_full_us", (6, 3), 276),
    ("CPU", "psi_cpu_some_us", (2, 2), 128),
    ("I/O", "psi_io_some_us", (8, 3, 2, 3), 58),
)

Record = Mapping[str, object]
Lane = Literal["phases", "commands"]


def share(part_us: int | None, one: LaneSlice) -> float | None:
    """Microseconds of something as a share of the time that a slice's samples are about."""
    if part_us is None or not one.interval_us:
        return None
    return part_us / one.interval_us


def highest_pressure(slices: Sequence[LaneSlice]) -> float:
    """The highest share of any pressure, percent."""
    shares = [
        share(getattr(one, field), one) or 0.0 for one in slices for _, field, _, _ in _PRESSURES
    ]
    return 100.0 * max(shares, default=0.0)


def drawn_commands(
    commands: Sequence[ExecRow], killed: Sequence[int], low_us: int, high_us: int
) -> tuple[list[ExecRow], int]:
    """The commands in a span: all of them, or those that ended badly and the longest.

    Args:
        commands: of one try, in order of time.
        killed: ordinals of those that a kill is joined to.
        low_us: of the span.
        high_us: of the span.

    Returns:
        Those to draw, in order of time, and how many more there are.

    """
    inside = [
        one
        for one in commands
        if one.started_t_us <= high_us and one.started_t_us + 1e6 * one.duration_s >= low_us
    ]
    first = sorted(
        inside, key=lambda one: (one.ordinal not in killed and one.how == "ok", -one.duration_s)
    )
    kept = sorted(first[:MOST_COMMANDS], key=lambda one: (one.started_t_us, one.ordinal))
    return kept, len(inside) - len(kept)


def done(
    phases: Sequence[PhaseRow],
    commands: Sequence[ExecRow],
    band: Band,
    shown: Autopsy,
    theme: Theme,
) -> list[alt.Chart]:
    """Two rows of bars: phases above, commands below, each with as much of its words as fits."""
    rows = [row for row in _bars(phases, commands, band, shown, theme) if row]
    if not rows:
        return []
    base = alt.Chart(inline(rows))
    bar = base.mark_bar(stroke=theme.paper, strokeWidth=1, clip=True, opacity=1).encode(
        x=alt.X("x:Q"),
        x2=alt.X2("x2"),
        y=alt.Y("y:Q"),
        y2=alt.Y2("y2"),
        color=alt.Color("fill:N", scale=None),
        tooltip=[alt.Tooltip(f"{field}:N") for field in ("what", "began", "took")],
    )
    room = "scale('x', datum.x2) - scale('x', datum.x) - 10"
    text = base.mark_text(
        align="left",
        dx=5,
        baseline="middle",
        fontSize=11.5,
        limit=alt.expr(f"max(1, {room})"),
        opacity=alt.expr(f"{room} < {_LEAST_PX} ? 0 : 1"),
        tooltip=False,
    ).encode(
        x=alt.X("x:Q"),
        y=alt.Y("middle:Q"),
        text=alt.Text("what:N"),
        color=alt.Color("ink:N", scale=None),
    )
    return [bar, text]


def _bars(
    phases: Sequence[PhaseRow],
    commands: Sequence[ExecRow],
    band: Band,
    shown: Autopsy,
    theme: Theme,
) -> list[Record]:
    killed = [kill.exec_ordinal for kill in shown.kills if kill.exec_ordinal is not None]
    kept, _ = drawn_commands(commands, killed, shown.low_us, shown.high_us)
    rows: list[Record] = []
    for phase in phases:
        if phase.started_t_us is None:
            continue
        end = shown.high_us if phase.finished_t_us is None else phase.finished_t_us
        late: Hue | None = "timeout" if phase.how == "timeout" else None
        words = f"{phase.phase} {format_duration(phase.duration_s)}"
        rows.append(_bar(shown, band, "phases", phase.started_t_us, end, words, late, theme))
    for one in kept:
        hue: Hue | None = "timeout" if one.how == "timeout" else None
        if one.ordinal in killed:
            hue = "memory"
        end = one.started_t_us + round(1e6 * one.duration_s)
        rows.append(_bar(shown, band, "commands", one.started_t_us, end, one.command, hue, theme))
    return rows


def _bar(
    shown: Autopsy,
    band: Band,
    lane: Lane,
    begin_us: int,
    end_us: int,
    words: str,
    hue: Hue | None,
    theme: Theme,
) -> Record:
    """One bar with as much of its words as fits, or nothing where it is outside the span."""
    clock = shown.clock
    if end_us < shown.low_us or begin_us > shown.high_us:
        return {}
    left, right = max(begin_us, shown.low_us), min(max(end_us, begin_us), shown.high_us)
    low = 1.06 if lane == "phases" else 0.06
    grey = theme.grid if lane == "phases" else theme.muted
    return {
        "x": clock.x(left),
        "x2": clock.x(right),
        "y": band.y(low),
        "y2": band.y(low + 0.88),
        "middle": band.y(low + 0.44),
        "fill": theme.hues[hue] if hue else grey,
        "ink": theme.ink if lane == "phases" and hue is None else theme.paper,
        "what": name(words, 160),
        "began": after(begin_us, shown.start_us),
        "took": format_duration((end_us - begin_us) / 1e6),
    }


def cpu(slices: Sequence[LaneSlice], band: Band, clock: Clock, theme: Theme) -> list[alt.Chart]:
    """Cores used as an area, throttled time as a dashed line on the same scale."""
    rows = [
        {
            "x": clock.x(one.t_us),
            "cores": band.y(share(one.cpu_usage_us, one)),
            "throttled": band.y(share(one.cpu_throttled_us, one)),
        }
        for one in slices
    ]
    base = alt.Chart(inline(_from_the_beginning(rows, slices, clock)))
    area = base.mark_area(
        color=theme.muted, opacity=0.45, interpolate="step-before", clip=True
    ).encode(x=alt.X("x:Q"), y=alt.Y("cores:Q"), y2=alt.Y2Datum(band.base))
    line = base.mark_line(
        color=theme.ink, strokeWidth=1.4, interpolate="step-before", clip=True
    ).encode(x=alt.X("x:Q"), y=alt.Y("throttled:Q"))
    throttled = any(one.cpu_throttled_us for one in slices)
    return [area, line] if throttled else [area]


def pressure(
    slices: Sequence[LaneSlice], band: Band, clock: Clock, theme: Theme
) -> list[alt.Chart]:
    """A line a kind of pressure, told apart by its dashes; the legend is in the lane's corner."""
    charts: list[alt.Chart] = []
    for words, field, dash, from_right in _PRESSURES:
        shares = [share(getattr(one, field), one) for one in slices]
        if all(value is None for value in shares):
            continue
        rows = [
            {"x": clock.x(one.t_us), "y": band.y(None if value is None else 100 * value)}
            for one, value in zip(slices, shares, strict=True)
        ]
        whole = _from_the_beginning(rows, slices, clock)
        line = alt.Chart(inline(whole)).mark_line(
            color=theme.ink,
            strokeWidth=1.4,
            strokeDash=list(dash),
            interpolate="step-before",
            clip=True,
        )
        charts.append(line.encode(x=alt.X("x:Q"), y=alt.Y("y:Q")))
        charts += _legend(words, dash, from_right, band, theme)
    return charts


def _legend(
    words: str, dash: Sequence[int], from_right: int, band: Band, theme: Theme
) -> list[alt.Chart]:
    """A piece of the line and its name, in the row of the lane's title at the right."""
    at = alt.Chart(inline([{"y": band.edge + 12, "words": words}]))
    line = at.mark_rule(
        color=theme.ink,
        strokeWidth=1.4,
        strokeDash=list(dash),
        x=alt.expr(f"width - {from_right}"),
        x2=alt.expr(f"width - {from_right - 24}"),
    ).encode(y=alt.Y("y:Q"))
    text = at.mark_text(
        align="left",
        baseline="middle",
        color=theme.muted,
        x=alt.expr(f"width - {from_right - 29}"),
    ).encode(y=alt.Y("y:Q"), text=alt.Text("words:N"))
    return [line, text]


def neighbours(
    slices: Sequence[NeighbourSlice],
    kills: Sequence[NeighbourKill],
    band: Band,
    clock: Clock,
    theme: Theme,
) -> list[alt.Chart]:
    """How many others ran, and a mark for each kill among them."""
    rows = [{"x": clock.x(one.t_us), "y": band.y(one.running)} for one in slices]
    area = (
        alt.Chart(inline(rows))
        .mark_area(color=theme.muted, opacity=0.35, interpolate="step-after", clip=True)
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), y2=alt.Y2Datum(band.base))
    )
    if not kills:
        return [area]
    marks = [
        {
            "x": clock.x(kill.t_us),
            "killed": name(kill.victim_comm or "a process"),
            "at": after(kill.t_us, clock.start_us),
            "in": name(f"{kill.task}, {kill.contestant}, {kill.condition}", 120),
        }
        for kill in kills
    ]
    tips = [alt.Tooltip(f"{field}:N") for field in ("killed", "at", "in")]
    mark = (
        alt.Chart(inline(marks))
        .mark_point(
            shape="triangle-down",
            size=38,
            filled=True,
            color=theme.hues["memory"],
            opacity=0.9,
            clip=True,
        )
        .encode(x=alt.X("x:Q"), y=alt.YDatum(band.edge - 5, type="quantitative"), tooltip=tips)
    )
    return [area, mark]


def _from_the_beginning(
    rows: Sequence[Record], slices: Sequence[LaneSlice], clock: Clock
) -> list[Record]:
    """The rows, each value holding from where its interval began, and none over a gap."""
    gaps = after_gaps(slices)
    drawn: list[Record] = []
    for place, (row, one) in enumerate(zip(rows, slices, strict=True)):
        if place in gaps:
            if place:
                drawn.append({"x": clock.x(slices[place - 1].t_us) + 1e-6})
            drawn.append({**row, "x": clock.x(begins_us(one))})
        drawn.append(row)
    return drawn
