"""Lanes above one another on one axis of time, in a single view.

Vega-Lite's own way to stack charts is to concatenate them, but then each has a width of its
own that no page can stretch, its axis may begin elsewhere than its neighbour's, and a span
of time can be chosen in one of them only. So here all lanes are one view: each value is put
at its height by ``Band.y``, and one axis names the values of all lanes at their places. What
belongs to a moment (a kill) is then one line through all lanes, as it should be.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import altair as alt

from barograph.clock import US_PER_S
from barograph.units import GIB, KIB, MIB
from ui.explorer.charts.base import inline
from ui.explorer.theme import Theme

GAP_PX: Final = 26
"""Between two lanes: room for the title of the lower one."""
SLIDE_PX: Final = 1000
_WORDS_PX: Final = 72
"""Room for the longest words at the left: ``commands``, ``1,000 MiB``."""
_MINUTES_FROM_S: Final = 300
_HOURS_FROM_S: Final = 3 * 3600
_STEPS: Final = (1, 2, 4, 5, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """One lane's place: values from 0 to ``top`` between ``base`` and ``base + height``."""

    title: str
    height: float
    top: float
    """The value at its upper edge."""
    ticks: tuple[tuple[float, str], ...]
    """Values that the axis names, with their words."""
    base: float = 0.0
    """Of its lower edge, pixels from the figure's bottom."""

    def y(self, value: float | None) -> float | None:
        """Where a value is; what is above the lane is held at its edge."""
        if value is None:
            return None
        return self.base + self.height * min(1.0, max(0.0, value / self.top))

    @property
    def edge(self) -> float:
        """Its upper edge."""
        return self.base + self.height


def stacked(bands: Sequence[Band]) -> tuple[dict[str, Band], float]:
    """Place lanes from the top down.

    Returns:
        Title -> lane in its place, and the height of all, in pixels.

    """
    whole = sum(band.height + GAP_PX for band in bands)
    placed: dict[str, Band] = {}
    edge = whole
    for band in bands:
        edge -= GAP_PX + band.height
        placed[band.title] = replace(band, base=edge)
    return placed, whole


def axis(bands: Sequence[Band]) -> alt.Axis:
    """The lines at the values of all lanes, and room for their words (``words``)."""
    places = [band.y(value) or 0.0 for band in bands for value, _ in band.ticks]
    return alt.Axis(
        values=[round(y, 2) for y in places],
        # Vega leaves every other label out where it thinks that some are too near.
        labels=False,
        minExtent=_WORDS_PX,
        title=None,
        domain=False,
        ticks=False,
    )


def words(bands: Sequence[Band], theme: Theme) -> alt.Chart:
    """The values of all lanes, left of the lines that ``axis`` draws."""
    rows = [{"y": band.y(value), "words": said} for band in bands for value, said in band.ticks]
    text = alt.Chart(inline(rows)).mark_text(
        x=-8, align="right", baseline="middle", color=theme.muted
    )
    placed: alt.Chart = text.encode(y=alt.Y("y:Q"), text=alt.Text("words:N"))
    return placed


def titles(bands: Sequence[Band], theme: Theme) -> alt.Chart:
    """Each lane's name above it, at the left."""
    rows = [{"y": band.edge, "title": band.title} for band in bands]
    text = alt.Chart(inline(rows)).mark_text(
        x=0, align="left", baseline="bottom", dy=-6, fontWeight="bold", color=theme.ink
    )
    placed: alt.Chart = text.encode(y=alt.Y("y:Q"), text=alt.Text("title:N"))
    return placed


def wide(chart: alt.LayerChart, height: float) -> alt.LayerChart:
    """As wide as the page, and exactly so high; downloaded, as wide as a slide.

    To fit the height, too, as Streamlit does by default, would squeeze the lanes.
    """
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    sized: alt.LayerChart = chart.properties(height=height, width=SLIDE_PX, autosize=fit)
    return sized


def memory_ticks(top_bytes: float) -> tuple[tuple[float, str], ...]:
    """About four round sizes from 0 to ``top_bytes``, all in one unit."""
    unit, name = next(
        ((size, name) for size, name in ((GIB, "GiB"), (MIB, "MiB")) if top_bytes >= 2 * size),
        (KIB, "KiB"),
    )
    step = _step(top_bytes / unit / 3)
    count = int(top_bytes / unit / step)
    return tuple((n * step * unit, f"{n * step:g} {name}") for n in range(count + 1))


def number_ticks(top: float, unit: str = "") -> tuple[tuple[float, str], ...]:
    """0 and one round value below ``top``: what a low lane has room for."""
    step = _step(top * 0.6)
    ending = f" {unit}" if unit else ""
    return ((0.0, "0"), (step, f"{step:g}{ending}"))


def _step(about: float) -> float:
    """A round number of at most ``about``."""
    power = 10.0 ** math.floor(math.log10(max(about, 1e-9)))
    return max(step * power for step in _STEPS if step * power <= about * 1.0001)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Moments as numbers on the axis: since a beginning, in a unit that suits the span."""

    start_us: int
    unit: str
    per_s: float

    @classmethod
    def of(cls, start_us: int, span_us: int) -> "Clock":
        """The clock of a figure that spans so many microseconds."""
        span_s = span_us / US_PER_S
        if span_s >= _HOURS_FROM_S:
            return cls(start_us=start_us, unit="hours", per_s=1 / 3600)
        if span_s >= _MINUTES_FROM_S:
            return cls(start_us=start_us, unit="minutes", per_s=1 / 60)
        return cls(start_us=start_us, unit="seconds", per_s=1.0)

    def x(self, t_us: int) -> float:
        """A moment's place on the axis."""
        return (t_us - self.start_us) / US_PER_S * self.per_s

    def t_us(self, x: float) -> int:
        """The moment at a place on the axis."""
        return self.start_us + round(x / self.per_s * US_PER_S)
