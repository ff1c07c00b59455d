"""The memory lane of the autopsy: usage, peaks, limits, and whom the kernel killed when."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import altair as alt

from barograph.units import format_bytes, format_duration
from store.pages.trial import LaneSlice
from store.story import KillRow
from ui.explorer.charts.autopsy_shown import Autopsy, Limits, after_gaps, begins_us
from ui.explorer.charts.base import inline
from ui.explorer.charts.stack import Band, Clock
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme
from ui.palette import LOOKS
from ui.text import after, clock_time

HEADROOM: Final = 1.2
"""Above the highest value: room for the victim's name."""
TIPS: Final = ("at", "usage", "peak", "ceiling", "processes", "slice")
_CEILING_UP_TO: Final = 4
"""A ceiling more than so many times above the peak would flatten the trace: it is only named."""
_NEAR_PX: Final = 14
_LABEL_SHARE: Final = 0.16
"""Of the width; kills nearer than that share one label."""

Record = Mapping[str, object]
Side = Literal["left", "right"]
_SIDES: Final[tuple[tuple[Side, int], ...]] = (("left", 9), ("right", -9))


def top_bytes(slices: Sequence[LaneSlice], limits: Limits) -> float:
    """The upper end of the lane: above the highest peak, and the ceiling unless far above it."""
    peaks = [one.peak_bytes or one.usage_max_bytes or 0 for one in slices]
    most = max([*peaks, limits.peak_bytes or 0, 1])
    ceiling = limits.ceiling_bytes
    if ceiling is not None and (ceiling <= _CEILING_UP_TO * most or most == 1):
        most = max(most, ceiling)
    return HEADROOM * most


def layers(
    slices: Sequence[LaneSlice], limits: Limits, band: Band, clock: Clock, theme: Theme
) -> list[alt.Chart]:
    """Area, line, limits and the highest peak, from the bottom up."""
    rows = _trace(slices, band, clock)
    base = alt.Chart(inline(rows))
    drawn: list[alt.Chart] = []
    if slices:
        area = base.mark_area(color=theme.muted, opacity=0.35, clip=True)
        spread = base.mark_area(color=theme.muted, opacity=0.3, clip=True)
        line = base.mark_line(
            color=theme.ink, strokeWidth=1.6, interpolate="step-before", clip=True
        )
        drawn += [
            area.encode(x=alt.X("x:Q"), y=alt.Y("mean:Q"), y2=alt.Y2Datum(band.base)),
            spread.encode(x=alt.X("x:Q"), y=alt.Y("low:Q"), y2=alt.Y2("high")),
            line.encode(x=alt.X("x:Q"), y=alt.Y("peak:Q")),
        ]
    return [*drawn, *_limits(limits, band, theme), *_highest(limits, band, clock, theme)]


def _trace(slices: Sequence[LaneSlice], band: Band, clock: Clock) -> list[Record]:
    """A row a slice; an empty one where samples are missing, so that no line runs over it."""
    rows: list[Record] = []
    gaps = after_gaps(slices)
    for place, one in enumerate(slices):
        if place in gaps:
            if place:
                rows.append({"x": clock.x(slices[place - 1].t_us) + 1e-6})
            # Usage at the beginning is not known; the peak holds from there on.
            rows.append({"x": clock.x(begins_us(one)), "peak": band.y(one.peak_bytes)})
        mean = one.usage_mean_bytes
        row = {
            "x": clock.x(one.t_us),
            "mean": band.y(mean),
            "low": band.y(one.usage_min_bytes),
            "high": band.y(one.usage_max_bytes),
            "peak": band.y(one.peak_bytes),
        }
        rows.append(row)
    return rows


def _limits(limits: Limits, band: Band, theme: Theme) -> list[alt.Chart]:
    """Ceiling solid, floor dotted, spec a tick; equal ones share their words."""
    named = (
        ("ceiling", limits.ceiling_bytes),
        ("floor", limits.floor_bytes),
        ("spec", limits.spec_bytes),
    )
    known = [(word, size) for word, size in named if size and size <= band.top]
    charts: list[alt.Chart] = []
    for word, size in known:
        at = alt.Chart(inline([{"y": band.y(size)}]))
        if word == "spec":
            tick = at.mark_rule(strokeWidth=5, color=theme.ink, x=0, x2=9)
            charts.append(tick.encode(y=alt.Y("y:Q")))
            continue
        dash = [1, 0] if word == "ceiling" else [2, 4]
        rule = at.mark_rule(strokeWidth=2.4, color=theme.ink, strokeDash=dash)
        charts.append(rule.encode(y=alt.Y("y:Q")))
    rows = _limit_words(known, band)
    if limits.ceiling_bytes is not None and limits.ceiling_bytes > band.top:
        words = f"ceiling {format_bytes(limits.ceiling_bytes)}, above this axis"
        rows.append({"y": band.edge - 8, "words": words})
    data = alt.Chart(inline(rows))
    # Twice: the first wipes out what is under the words.
    texts = [
        data.mark_text(
            x=0,
            align="left",
            baseline="bottom",
            dx=14,
            dy=-3,
            color=halo or theme.ink,
            stroke=halo or alt.Undefined,
            strokeWidth=4 if halo else 0,
        ).encode(y=alt.Y("y:Q"), text=alt.Text("words:N"))
        for halo in (theme.paper, None)
    ]
    return [*charts, *texts] if rows else charts


def _limit_words(known: Sequence[tuple[str, int]], band: Band) -> list[Record]:
    by_size: dict[int, list[str]] = {}
    for word, size in known:
        by_size.setdefault(size, []).append(word)
    rows: list[Record] = []
    last: float | None = None
    for size in sorted(by_size, reverse=True):
        y = band.y(size) or 0.0
        if last is not None and last - y < _NEAR_PX:
            y = last - _NEAR_PX
        last = y
        words = " = ".join(by_size[size])
        rows.append({"y": y, "words": f"{words} {format_bytes(size)}"})
    return rows


def _highest(limits: Limits, band: Band, clock: Clock, theme: Theme) -> list[alt.Chart]:
    """The highest peak: filled where it was reached, open where the ceiling cut it off."""
    if limits.peak_bytes is None or limits.peak_t_us is None:
        return []
    row = {
        "x": clock.x(limits.peak_t_us),
        "y": band.y(limits.peak_bytes),
        "peak": ("at least " if limits.cut_off else "") + format_bytes(limits.peak_bytes),
    }
    look = {"stroke": theme.hues["memory"], "fill": theme.paper} if limits.cut_off else {}
    point = alt.Chart(inline([row])).mark_point(
        shape="circle",
        size=90,
        strokeWidth=2.2,
        opacity=1,
        clip=True,
        fill=look.get("fill", theme.ink),
        stroke=look.get("stroke", theme.ink),
    )
    return [point.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), tooltip=[alt.Tooltip("peak:N")])]


def kill_layers(
    kills: Sequence[KillRow], band: Band, shown: Autopsy, height: float, theme: Theme
) -> list[alt.Chart]:
    """A line through all lanes for each kill, and the victims' names."""
    clock = shown.clock
    rows = [_kill(kill, clock) for kill in kills if shown.low_us <= kill.t_us <= shown.high_us]
    if not rows:
        return []
    colour = theme.hues["memory"]
    data = alt.Chart(inline(rows))
    tips = [alt.Tooltip(f"{field}:N") for field in ("killed", "at", "limit", "phase", "command")]
    line = data.mark_rule(strokeWidth=1.6, color=colour, clip=True)
    mark = data.mark_point(shape="triangle-down", size=90, filled=True, color=colour, opacity=1)
    words = alt.Chart(inline(_kill_words(rows, shown)))
    texts = [
        _victims(words, band, align, dx, halo, colour)
        for align, dx in _SIDES
        for halo in (theme.paper, None)
    ]
    return [
        line.encode(
            x=alt.X("x:Q"),
            y=alt.YDatum(0, type="quantitative"),
            y2=alt.Y2Datum(height),
            tooltip=tips,
        ),
        mark.encode(x=alt.X("x:Q"), y=alt.YDatum(band.edge - 7, type="quantitative"), tooltip=tips),
        *texts,
    ]


def _victims(
    words: alt.Chart, band: Band, align: Side, dx: int, halo: str | None, colour: str
) -> alt.Chart:
    """The names on one side of their marks; with a halo, what is under them is wiped out."""
    text = words.transform_filter(f"datum.align === '{align}'").mark_text(
        align=align,
        dx=dx,
        baseline="middle",
        fontWeight="bold",
        fontSize=13,
        color=halo or colour,
        stroke=halo or alt.Undefined,
        strokeWidth=4 if halo else 0,
    )
    placed: alt.Chart = text.encode(
        x=alt.X("x:Q"), y=alt.YDatum(band.edge - 7, type="quantitative"), text=alt.Text("words:N")
    )
    return placed


def _kill(kill: KillRow, clock: Clock) -> dict[str, object]:
    victim = name(kill.victim_comm or "a process", 24)
    pid = "" if kill.victim_pid is None else f" (pid {kill.victim_pid})"
    when = clock_time(kill.t_us)
    return {
        "x": clock.x(kill.t_us),
        "victim": victim,
        "killed": f"{victim}{pid}",
        "at": f"{after(kill.t_us, clock.start_us)} ({when} UTC)"
        + ("" if kill.exact_time else ", when the counter was read"),
        "limit": format_bytes(kill.limit_bytes),
        "phase": kill.phase or "not known",
        "command": name(kill.command or "not known", 80),
    }


def _kill_words(rows: Sequence[Mapping[str, object]], shown: Autopsy) -> list[Record]:
    """Names beside the marks; marks that are near share one, with their number."""
    clock = shown.clock
    low, high = clock.x(shown.low_us), clock.x(shown.high_us)
    near = _LABEL_SHARE * (high - low)
    groups: list[list[Mapping[str, object]]] = []
    for row in rows:
        if groups and _x(row) - _x(groups[-1][0]) < near:
            groups[-1].append(row)
        else:
            groups.append([row])
    words: list[Record] = []
    for group in groups:
        victims = list(dict.fromkeys(str(row["victim"]) for row in group))
        named = ", ".join(victims[:2]) + ("…" if len(victims) > 2 else "")  # noqa: PLR2004 - two names fit
        times = f" ×{len(group)}" if len(group) > 1 else ""
        right = (_x(group[-1]) - low) > 0.6 * (high - low)
        row = {
            "x": _x(group[0] if right else group[-1]),
            "words": f"{LOOKS['memory'].mark} {named} killed{times}",
            "align": "right" if right else "left",
        }
        words.append(row)
    return words


def _x(row: Mapping[str, object]) -> float:
    return float(str(row["x"]))


def pointed_at(slices: Sequence[LaneSlice], clock: Clock, height: float) -> list[Record]:
    """An unseen bar a slice, from the one before to its end, with its numbers in words."""
    rows: list[Record] = []
    for place, one in enumerate(slices):
        begins = begins_us(one)
        if place:
            begins = max(begins, slices[place - 1].t_us)
        low, high = format_bytes(one.usage_min_bytes), format_bytes(one.usage_max_bytes)
        many = f"{one.samples} samples over {format_duration((one.t_us - begins) / 1e6)}"
        row = {
            "x": clock.x(begins),
            "x2": clock.x(one.t_us),
            "y": 0,
            "y2": height,
            "at": f"{after(one.t_us, clock.start_us)} ({clock_time(one.t_us)} UTC)",
            "usage": low if low == high else f"{low} to {high}",
            "peak": format_bytes(one.peak_bytes),
            "ceiling": "uncapped" if one.limit_bytes is None else format_bytes(one.limit_bytes),
            "processes": "–" if one.pids is None else f"{one.pids:,}",
            "slice": "one sample" if one.samples == 1 else many,
        }
        rows.append(row)
    return rows
