"""The weather: one time axis; what ran, what died, and how the hosts were meanwhile.

From the top: load and memory pressure of the hosts (area: mean, line: highest of each
slice), API latency, kills, and the trials, coloured by what became of them. Few trials are
bars packed into lanes; many are counted in slices by when they ended. Every panel has its
words above and its scale inside, so that all begin at the same left edge and a moment is one
vertical line through all of them.

The window is data, too: the axis stretches over the two ends that stand in the rows, so that
the picture of a running sweep grows without being made anew.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from barograph.units import format_bytes, format_duration
from store.pages.weather import BarRow, HostBin, KillMark, Weather
from ui.explorer.charts.base import inline, layered
from ui.explorer.charts.packing import packed
from ui.explorer.charts.timeline import (
    band,
    empty_band,
    foot,
    heading,
    inside,
    stacked,
    time_x,
    window,
)
from ui.explorer.charts.words import name
from ui.explorer.theme import Theme
from ui.palette import LOOKS, hue_of
from ui.text import clock_time, moment

RUNNING: Final = "still running"
UNJUDGED: Final = "not judged yet"
_KILLS_PX: Final = 22
_TRIALS_PX: Final = 300
_LANE_PX: Final = (3, 13)
_LETTER_PX: Final = 9
_LETTER_SHARE: Final = 0.012
"""Of the window: a bar that is shorter has no room for its letter."""
_ORDER: Final = ("memory", "api", "cluster", "harness", "timeout", "unknown", "model", "pass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A try in its lane; times are milliseconds, as Vega counts."""

    lane: int
    start: float
    end: float
    what: str
    letter: str
    says: str
    trial: str


def bars_of(weather: Weather) -> list[Bar]:
    """Pack tries into lanes; what lies outside the window is cut off."""
    asked = weather.asked
    ends = [
        max(row.started_t_us + 1, asked.now_us if row.finished_t_us is None else row.finished_t_us)
        for row in weather.bars
    ]
    lanes = packed([(row.started_t_us, end) for row, end in zip(weather.bars, ends, strict=True)])
    room = _LETTER_SHARE * (asked.to_us - asked.from_us)
    return [
        Bar(
            lane=lane,
            start=max(row.started_t_us, asked.from_us) / 1000,
            end=min(end, asked.to_us) / 1000,
            what=what_became(row),
            letter=_letter(row) if end - row.started_t_us > room else "",
            says=_bar_says(row, end),
            trial=row.trial,
        )
        for row, end, lane in zip(weather.bars, ends, lanes, strict=True)
    ]


def what_became(row: BarRow) -> str:
    """The words of a bar's colour: the kind of its cause, or why it has none."""
    if row.finished_t_us is None:
        return RUNNING
    return _kind(row.cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Tries of one kind that ended in one slice of time; milliseconds."""

    start: float
    end: float
    at: str
    """The beginning, in words."""
    what: str
    rank: int
    tries: int


def slices_of(weather: Weather) -> list[Slice]:
    """Counts by kind of cause; they add up to the tries that ended in the window."""
    asked = weather.asked
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for row in weather.bins:
        counts[row.slice, _kind(row.cause)] += row.tries
    return [
        Slice(
            start=(asked.from_us + place * asked.bin_us) / 1000,
            end=(asked.from_us + (place + 1) * asked.bin_us) / 1000,
            at=moment(asked.from_us + place * asked.bin_us),
            what=what,
            rank=_rank(what),
            tries=tries,
        )
        for (place, what), tries in sorted(counts.items())
    ]


def weather_chart(weather: Weather, theme: Theme, *, api_says: str) -> alt.VConcatChart:
    """Draw it.

    Args:
        weather: what was asked.
        theme: light or dark.
        api_says: why there is no API latency.

    """
    asked = weather.asked
    return stacked(
        *_hosts(weather, theme),
        empty_band(asked.from_us, asked.to_us, theme, words="API latency", says=api_says),
        _kills(weather, theme),
        _slices(weather, theme) if weather.binned else _lanes(weather, theme),
    )


def _hosts(weather: Weather, theme: Theme) -> list[alt.LayerChart]:
    asked = weather.asked
    rows = [
        {
            "who": name(row.host),
            "start": (asked.from_us + row.slice * asked.bin_us) / 1000,
            "at": moment(asked.from_us + row.slice * asked.bin_us),
            "load": _per(row.load_mean, row.cores),
            "load_top": _per(row.load_highest, row.cores),
            "psi": row.psi_memory_mean,
            "psi_top": row.psi_memory_highest,
        }
        for row in closed(weather.hosts)
    ]
    how = "(area: mean, line: highest)"
    psi = f"Memory pressure: share of time in which something stalled {how}"
    return [
        band(rows, "load", theme, words=f"Host load per core {how}", form=".1f"),
        band(rows, "psi", theme, words=psi, form=".0%"),
    ]


def closed(rows: Sequence[HostBin]) -> list[HostBin]:
    """Each host's last slice once more at its end: a step must be as wide as its slice."""
    last = {row.host: row for row in rows}
    return [*rows, *(replace(row, slice=row.slice + 1) for row in last.values())]


def _kills(weather: Weather, theme: Theme) -> alt.LayerChart:
    rows = [{"t": row.at_us / 1000, "says": _kill_says(row)} for row in weather.kills]
    ticks = alt.Chart(inline(rows)).mark_tick(
        thickness=1.5, height=_KILLS_PX, fill=theme.hues["memory"], opacity=0.85
    )
    tip = alt.Tooltip("says:N", title="kill")
    total, shown = (weather.kills[0].kills if weather.kills else 0), len(weather.kills)
    words = f"{LOOKS['memory'].mark} Kills by the kernel: {total:,}"
    if shown < total:
        words += f", the newest {shown:,} of them shown"
    return layered(
        window(weather.asked.from_us, weather.asked.to_us),
        ticks.encode(x=time_x("t"), tooltip=tip),
        heading(words, theme),
    ).properties(height=_KILLS_PX)


def _lanes(weather: Weather, theme: Theme) -> alt.LayerChart:
    asked = weather.asked
    form = foot(asked.from_us, asked.to_us)
    bars = bars_of(weather)
    lanes = 1 + max((bar.lane for bar in bars), default=0)
    step = min(_LANE_PX[1], max(_LANE_PX[0], _TRIALS_PX // lanes))
    places = {bar.trial: bar.lane for bar in bars}
    marks = [
        {"t": row.at_us / 1000, "lane": places[row.trial], "says": _kill_says(row)}
        for row in weather.kills
        if row.trial in places
    ]
    y = alt.Y("lane:O", axis=None, scale=alt.Scale(paddingInner=0.12, paddingOuter=0))
    base = alt.Chart(inline(bars)).encode(y=y)
    rects = base.mark_bar(cornerRadius=1).encode(
        x=time_x("start", form),
        x2="end:T",
        color=_colour([bar.what for bar in bars], theme),
        tooltip=alt.Tooltip("says:N", title="trial"),
    )
    letters = base.mark_text(
        align="left", dx=3, fontSize=9, fontWeight="bold", color=theme.paper, tooltip=False
    ).encode(x=time_x("start", form), text="letter:N")
    kills = alt.Chart(inline(marks)).mark_point(
        shape="triangle-down", filled=True, size=46, color=theme.ink, opacity=1
    )
    at = kills.encode(x=time_x("t", form), y=y, tooltip=alt.Tooltip("says:N", title="kill"))
    words = f"{weather.span.inside:,} tries in {lanes:,} lanes, by what became of them; ▼ a kill"
    parts = [rects, *([letters] if step >= _LETTER_PX else []), at, heading(words, theme)]
    return layered(window(asked.from_us, asked.to_us, form), *parts).properties(
        height=alt.Step(step)
    )


def _slices(weather: Weather, theme: Theme) -> alt.LayerChart:
    asked = weather.asked
    form = foot(asked.from_us, asked.to_us)
    rows = slices_of(weather)
    each = format_duration(asked.bin_us / 1e6)
    ended = sum(row.tries for row in rows)
    tips = [
        alt.Tooltip("at:N", title="from"),
        alt.Tooltip("what:N", title="cause"),
        alt.Tooltip("tries:Q", title="tries", format=","),
    ]
    bars = alt.Chart(inline(rows)).mark_bar(orient="vertical", binSpacing=0)
    encoded = bars.encode(
        x=time_x("start", form),
        x2="end:T",
        y=alt.Y("tries:Q", stack="zero", axis=inside(ticks=3)),
        color=_colour([row.what for row in rows], theme),
        order=alt.Order("rank:Q"),
        tooltip=tips,
    )
    words = f"{ended:,} tries that ended, counted every {each} by what became of them"
    if weather.span.open:
        words += f"; {weather.span.open:,} more still run"
    said = heading(words, theme)
    return layered(window(asked.from_us, asked.to_us, form), encoded, said).properties(
        height=_TRIALS_PX // 2
    )


def _colour(present: Sequence[str], theme: Theme) -> alt.Color:
    """Only kinds that are there, in one order, with their letters."""
    kinds = sorted(set(present), key=_rank)
    hues = {f"{look.mark} {look.words}": theme.hues[hue] for hue, look in LOOKS.items()}
    plain = {RUNNING: theme.grid, UNJUDGED: theme.muted}
    shades = [hues.get(kind) or plain[kind] for kind in kinds]
    legend = alt.Legend(orient="bottom", title=None, direction="horizontal", columns=9, offset=6)
    return alt.Color("what:N", scale=alt.Scale(domain=kinds, range=shades), legend=legend)


def _rank(kind: str) -> int:
    order = [*(f"{LOOKS[hue].mark} {LOOKS[hue].words}" for hue in _ORDER), UNJUDGED, RUNNING]
    return order.index(kind) if kind in order else len(order)


def _kind(cause: str | None) -> str:
    if cause is None:
        return UNJUDGED
    look = LOOKS[hue_of(cause)]
    return f"{look.mark} {look.words}"


def _letter(row: BarRow) -> str:
    if row.finished_t_us is None or row.cause is None:
        return ""
    return LOOKS[hue_of(row.cause)].mark


def _bar_says(row: BarRow, end: int) -> str:
    lasted = format_duration((end - row.started_t_us) / 1e6)
    what = f"{name(row.task)} · {name(row.agent, 24)} · {name(row.condition, 24)}"
    became = RUNNING if row.finished_t_us is None else row.cause or UNJUDGED
    return f"{row.trial}: {what}; from {moment(row.started_t_us)}, {lasted}; {became}"


def _kill_says(row: KillMark) -> str:
    ceiling = f", ceiling {format_bytes(row.limit_bytes)}" if row.limit_bytes else ""
    return f"{name(row.victim or 'a process')} at {clock_time(row.at_us)} in {row.trial}{ceiling}"


def _per(load: float | None, cores: int | None) -> float | None:
    return load / cores if load is not None and cores else None
