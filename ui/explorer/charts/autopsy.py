"""The autopsy: everything that is known of one try over one axis of time.

From the top: phases and commands; memory, as an area of usage with the interval peak as a
line above it, the ceiling solid and the floor dotted; CPU; pressure; and how many other tries
the host ran meanwhile. A kill is a line through all lanes at its moment, with the victim's
name; kills are drawn one by one however many samples one slice stands for. A peak that the
ceiling cut off is an open mark: it is where the trace ended, not what was wanted.

A lane of which nothing was measured is left out, and ``missing`` says so in words.
"""

from collections.abc import Sequence
from typing import Final

import altair as alt

from barograph.clock import US_PER_S
from ui.explorer.charts import autopsy_memory, autopsy_rest, stack
from ui.explorer.charts.autopsy_shown import Autopsy
from ui.explorer.charts.base import inline, layered
from ui.explorer.charts.stack import Band
from ui.explorer.theme import Theme

DONE: Final = "Phases and commands"
MEMORY: Final = "Memory: usage (area), interval peak (line)"
CPU: Final = "CPU, cores: used (area), throttled (line)"
PRESSURE: Final = "Pressure, % stalled"
NEIGHBOURS: Final = "Other tries on this host, and their kills"
WINDOW: Final = "window"
"""Name of the parameter that holds a chosen span of the axis."""
_PERCENT: Final = 100.0


def figure(shown: Autopsy, theme: Theme) -> alt.LayerChart:
    """Draw the lanes; a span of time can be chosen under the name ``WINDOW``."""
    placed, height = stack.stacked(_bands(shown))
    bands = list(placed.values())
    clock = shown.clock
    layers: list[alt.Chart] = [_ground(shown, bands, theme)]
    if MEMORY in placed:
        layers += autopsy_memory.layers(shown.slices, shown.limits, placed[MEMORY], clock, theme)
    if DONE in placed:
        layers += autopsy_rest.done(shown.phases, shown.commands, placed[DONE], shown, theme)
    if CPU in placed:
        layers += autopsy_rest.cpu(shown.slices, placed[CPU], clock, theme)
    if PRESSURE in placed:
        layers += autopsy_rest.pressure(shown.slices, placed[PRESSURE], clock, theme)
    if NEIGHBOURS in placed:
        layers += autopsy_rest.neighbours(
            shown.neighbours, shown.neighbour_kills, placed[NEIGHBOURS], clock, theme
        )
    if MEMORY in placed:
        layers += autopsy_memory.kill_layers(shown.kills, placed[MEMORY], shown, height, theme)
    layers += [stack.titles(bands, theme), stack.words(bands, theme)]
    return stack.wide(layered(*layers), height)


def missing(shown: Autopsy) -> list[str]:
    """What the figure cannot show, one sentence each."""
    said: list[str] = []
    if not shown.slices:
        said.append("no sample of this try in this span: there is no telemetry to draw")
    else:
        if CPU not in _titles(shown):
            said.append("CPU time was not measured")
        if PRESSURE not in _titles(shown):
            said.append("pressure was not measured")
    said.append("API calls are not recorded yet")
    return said


def _titles(shown: Autopsy) -> set[str]:
    return {band.title for band in _bands(shown)}


def _bands(shown: Autopsy) -> list[Band]:
    """The lanes of which there is anything to draw, from the top."""
    bands: list[Band] = []
    if shown.phases or shown.commands:
        rows = ((0.5, "commands"), (1.5, "phases"))
        bands.append(Band(title=DONE, height=44, top=2, ticks=rows))
    top = autopsy_memory.top_bytes(shown.slices, shown.limits)
    if shown.slices or shown.kills:
        ticks = stack.memory_ticks(top / autopsy_memory.HEADROOM)
        bands.append(Band(title=MEMORY, height=190, top=top, ticks=ticks))
    cores = [autopsy_rest.share(one.cpu_usage_us, one) for one in shown.slices]
    known = [value for value in cores if value is not None]
    if known:
        most = max(*known, 0.05) * 1.05
        bands.append(Band(title=CPU, height=52, top=most, ticks=stack.number_ticks(most)))
    if any(one.psi_memory_some_us is not None for one in shown.slices):
        full = max(autopsy_rest.highest_pressure(shown.slices) * 1.05, 5.0)
        ticks = stack.number_ticks(min(full, _PERCENT), "%")
        bands.append(Band(title=PRESSURE, height=52, top=full, ticks=ticks))
    if shown.neighbours:
        most = max(*(one.running for one in shown.neighbours), 1) * 1.15
        bands.append(Band(title=NEIGHBOURS, height=40, top=most, ticks=stack.number_ticks(most)))
    return bands


def _ground(shown: Autopsy, bands: Sequence[Band], theme: Theme) -> alt.Chart:
    """The axes, and what one points at: an unseen bar a slice, as high as the figure."""
    clock = shown.clock
    ends = [clock.x(shown.low_us), clock.x(shown.high_us)]
    height = bands[0].edge + stack.GAP_PX if bands else float(stack.GAP_PX)
    x = alt.X(
        "x:Q",
        axis=alt.Axis(
            title=f"{clock.unit} since the try began", tickCount=8, format=".2~f", labelFlush=True
        ),
        scale=alt.Scale(domain=ends, nice=False, clamp=False),
    )
    y = alt.Y("y:Q", axis=stack.axis(bands), scale=alt.Scale(domain=[0, height], nice=False))
    rows = autopsy_memory.pointed_at(shown.slices, clock, height) or [
        {"x": ends[0], "x2": ends[0], "y": 0, "y2": 0}
    ]
    brush = alt.selection_interval(name=WINDOW, encodings=["x"])
    bar = alt.Chart(inline(rows)).mark_bar(opacity=0.001, color=theme.paper)
    tips = [alt.Tooltip(f"{name}:N") for name in autopsy_memory.TIPS if name in rows[0]]
    ground = bar.encode(
        x=x,
        x2=alt.X2("x2"),
        y=y,
        y2=alt.Y2("y2"),
        tooltip=tips,
    )
    with_brush: alt.Chart = ground.add_params(brush)
    return with_brush


def span_of(chosen: Sequence[float], shown: Autopsy) -> tuple[int, int] | None:
    """The span that was chosen on the axis, if it is one worth reading again.

    Args:
        chosen: both ends, as numbers on the axis.
        shown: the figure in which it was chosen.

    """
    clock = shown.clock
    low, high = (clock.t_us(end) for end in sorted(chosen))
    low, high = max(low, shown.low_us), min(high, shown.high_us)
    return (low, high) if high - low >= US_PER_S // 10 else None
