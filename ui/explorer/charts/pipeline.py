"""The pipeline's history: what collectors wrote and cost, what they missed, whom nobody names.

Panels on one time axis, in slices: the mean as an area, the worst of each slice as a line.
Where nothing was missed a panel says so in words instead of showing an empty frame. The last
one is the audit of kills: two staircases that must be one.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

from barograph.clock import US_PER_S
from barograph.units import MIB
from store.pages.pipeline import CollectorBin, KillBin, LossBin, Pipeline
from ui.explorer.charts.base import inline, layered
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
from ui.explorer.theme import Theme
from ui.text import moment

_KILLS_PX: Final = 90
_LOSS_PX: Final = 30
_TOLD_EVERY_US: Final = 10 * US_PER_S
_LOSSES: Final = {
    "missed ticks": ("Missed ticks", "none: every tick was served in time"),
    "samples given up": ("Samples given up before they were written", "none"),
    "clock steps": ("Steps of the wall clock, in ms", "none"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How many kills there were up to a moment; milliseconds."""

    start: float
    at: str
    kind: str
    kills: int


def staircase(found: Pipeline) -> list[Step]:
    """Kills so far by the kernel's count and by what was told; both begin at 0."""
    rows: list[Step] = []
    for kind in ("counted", "told"):
        total = 0
        rows.append(_step(found, 0, kind, 0))
        for row in _of_kind(found.kills, kind):
            total += row.kills
            rows.append(_step(found, row.slice, kind, total))
        last = (found.to_us - found.from_us) // found.bin_us
        rows.append(_step(found, last, kind, total))
    return rows


def pipeline_chart(found: Pipeline, theme: Theme) -> alt.VConcatChart:
    """Draw it."""
    rows = [
        {
            "who": "all collectors",
            "start": at_us / 1000,
            "at": moment(at_us),
            "events": row.events_per_s,
            "events_top": row.events_per_s,
            "cpu": row.cpu_mean,
            "cpu_top": row.cpu_highest,
            "late_top": row.lateness_us / 1000,
            "rss_top": None if row.rss_bytes is None else row.rss_bytes / MIB,
        }
        for at_us, row in _costs(found)
    ]
    bands = [
        band(rows, "events", theme, words="Events written a second", form=",.0f", before=True),
        band(rows, "cpu", theme, words="Collector CPU, share of a core", form=".1%", before=True),
        band(
            rows,
            "rss",
            theme,
            words="Collector memory, MiB (highest)",
            form=",.0f",
            mean=False,
            before=True,
        ),
        band(
            rows,
            "late",
            theme,
            words="Lateness of ticks, ms (highest)",
            form=".2f",
            mean=False,
        ),
    ]
    return stacked(*bands, *_losses(found, theme), _kills(found, theme))


def _costs(found: Pipeline) -> list[tuple[int, CollectorBin]]:
    """What a collector told, when, and the first once more where its interval began."""
    told = [(found.from_us + row.slice * found.bin_us, row) for row in found.collector]
    begun = [(max(found.from_us, at - _TOLD_EVERY_US), row) for at, row in told[:1]]
    return [*begun, *told]


def _losses(found: Pipeline, theme: Theme) -> list[alt.LayerChart]:
    by_kind: defaultdict[str, list[LossBin]] = defaultdict(list)
    for row in found.losses:
        by_kind[row.kind].append(row)
    return [_loss(found, by_kind[kind], theme, words=_LOSSES[kind]) for kind in _LOSSES]


def _loss(
    found: Pipeline, rows: Sequence[LossBin], theme: Theme, *, words: tuple[str, str]
) -> alt.LayerChart:
    said, none = words
    if not rows:
        return empty_band(found.from_us, found.to_us, theme, words=said, says=none)
    marks = [
        {
            "start": (found.from_us + row.slice * found.bin_us) / 1000,
            "at": moment(found.from_us + row.slice * found.bin_us),
            "amount": row.amount / 1000 if row.kind == "clock steps" else row.amount,
        }
        for row in rows
    ]
    tips = [alt.Tooltip("at:N", title="from"), alt.Tooltip("amount:Q", format=",")]
    bars = alt.Chart(inline(marks)).mark_bar(width=3, color=theme.ink)
    at = bars.encode(x=time_x("start"), y=alt.Y("amount:Q", axis=inside()), tooltip=tips)
    total = sum(int(row.amount) for row in rows if row.kind != "clock steps")
    told = heading(f"{said}: {total:,}" if total else said, theme)
    made: alt.LayerChart = layered(window(found.from_us, found.to_us), at, told).properties(
        height=_LOSS_PX
    )
    return made


def _kills(found: Pipeline, theme: Theme) -> alt.LayerChart:
    steps = staircase(found)
    form = foot(found.from_us, found.to_us)
    memory = theme.hues["memory"]
    base = alt.Chart(inline(steps)).encode(
        x=time_x("start", form),
        y=alt.Y("kills:Q", axis=inside(ticks=3)),
        tooltip=[alt.Tooltip("at:N", title="until"), "kind:N", alt.Tooltip("kills:Q", format=",")],
    )
    counted = base.transform_filter("datum.kind === 'counted'").mark_line(
        interpolate="step-after", color=theme.muted, strokeWidth=5, opacity=0.45
    )
    told = base.transform_filter("datum.kind === 'told'").mark_line(
        interpolate="step-after", color=memory, strokeWidth=1.8
    )
    ends = {row.kind: row.kills for row in steps}
    words = (
        f"Kills so far: {ends['counted']:,} by the kernel's own count (wide), "
        f"{ends['told']:,} that were told of (thin)"
    )
    edges = window(found.from_us, found.to_us, form)
    if not steps[-1].kills and not ends["counted"]:
        none = "Kills: none, by the kernel's own count as well"
        quiet: alt.LayerChart = layered(edges, heading(none, theme)).properties(height=_LOSS_PX)
        return quiet
    made: alt.LayerChart = layered(edges, counted, told, heading(words, theme)).properties(
        height=_KILLS_PX
    )
    return made


def _of_kind(rows: Sequence[KillBin], kind: str) -> list[KillBin]:
    return [row for row in rows if row.kind == kind]


def _step(found: Pipeline, place: int, kind: str, kills: int) -> Step:
    at_us = found.from_us + place * found.bin_us
    return Step(start=at_us / 1000, at=moment(at_us), kind=kind, kills=kills)
