"""Pictures in a table's cells: peak against ceiling, and memory in small.

A browser's table draws an image of any address, so each is an SVG in a ``data:`` address,
made here: nothing is fetched, and what the cell shows is the grammar of the large figures. A
bar that a ceiling cut off ends open, with the ceiling as a line; usage is an area with the
peak as a line above it; each kill is a mark at its moment. Only numbers reach the SVG.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from ui.explorer.theme import Theme

BAR_PX: Final = (150, 26)
SPARK_PX: Final = (150, 26)
_CEILING_AT: Final = 0.86
"""Of the bar's width: room for what lies above the ceiling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """Memory in small: shares of the highest value, by slice."""

    slices: int
    usage: Sequence[tuple[int, float]]
    """Slice, and its highest usage as a share of the top."""
    peak: Sequence[tuple[int, float]]
    ceiling: float | None
    """None: uncapped, or far above."""
    kills: Sequence[float]
    """Moments as shares of the time."""


def peak_bar(share: float | None, *, cut_off: bool, theme: Theme) -> str | None:
    """Peak against ceiling; None where either is not known.

    Args:
        share: of the ceiling.
        cut_off: the ceiling held the peak, so its end is open.
        theme: of whoever looks.

    """
    if share is None:
        return None
    width, height = BAR_PX
    ceiling = _CEILING_AT * width
    end = min(width - 2.0, max(1.5, share * ceiling))
    top, bottom = 7, height - 7
    parts = [_rect(0, top, ceiling, bottom - top, theme.grid)]
    if cut_off:
        colour = theme.hues["memory"]
        # Open at the right: what was wanted goes on beyond, nobody knows how far.
        parts += [
            _rect(0, top, ceiling, bottom - top, colour, opacity=0.55),
            *(_line(ceiling, y, width - 4, y, colour, 1.6, dash="3 2.4") for y in (top, bottom)),
        ]
    else:
        parts.append(_rect(0, top, end, bottom - top, theme.muted))
    parts.append(_line(ceiling, 2, ceiling, height - 2, theme.ink, 2))
    return _svg(BAR_PX, parts)


def open_bar(theme: Theme) -> str:
    """Peak of an uncapped try: there is no ceiling to hold it against."""
    width, height = BAR_PX
    middle = height / 2
    return _svg(BAR_PX, [_line(0, middle, width - 4, middle, theme.muted, 1.2, dash="2 4")])


def sparkline(spark: Spark, theme: Theme) -> str | None:
    """Memory over the time of a try; None where nothing was sampled."""
    if not spark.peak and not spark.usage and not spark.kills:
        return None
    width, height = SPARK_PX
    step = width / spark.slices
    bottom, room = height - 1.0, height - 7.0

    def y(share: float) -> float:
        return round(bottom - room * min(1.0, max(0.0, share)), 1)

    parts: list[str] = []
    if spark.usage:
        points = " ".join(f"{(at + 0.5) * step:.1f},{y(share)}" for at, share in spark.usage)
        first, last = spark.usage[0][0], spark.usage[-1][0]
        begin, end = f"{(first + 0.5) * step:.1f},{bottom}", f"{(last + 0.5) * step:.1f},{bottom}"
        parts.append(
            f'<polygon points="{begin} {points} {end}" fill="{theme.muted}" opacity="0.4"/>'
        )
    if spark.peak:
        # As in the large figure: a peak is about the time before it was read.
        path = f"M{spark.peak[0][0] * step:.1f} {y(spark.peak[0][1])}" + "".join(
            f"V{y(share)}H{(at + 1) * step:.1f}" for at, share in spark.peak
        )
        parts.append(f'<path d="{path}" stroke="{theme.ink}" stroke-width="1.3" fill="none"/>')
    if spark.ceiling is not None:
        level = y(spark.ceiling)
        parts.append(_line(0, level, width, level, theme.ink, 1, opacity=0.55))
    for at in spark.kills:
        x = min(width - 3.0, max(3.0, at * width))
        colour = theme.hues["memory"]
        parts.append(_line(x, 0, x, bottom, colour, 1.6))
        parts.append(f'<path d="M{x - 4:.1f} 0H{x + 4:.1f}L{x:.1f} 6Z" fill="{colour}"/>')
    return _svg(SPARK_PX, parts)


def _rect(x: float, y: float, width: float, height: float, fill: str, *, opacity: float = 1) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" fill="{fill}" '
        f'opacity="{opacity}"/>'
    )


def _line(
    x: float,
    y: float,
    x2: float,
    y2: float,
    stroke: str,
    width: float,
    *,
    dash: str = "none",
    opacity: float = 1,
) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
        f'stroke-width="{width}" stroke-dasharray="{dash}" opacity="{opacity}"/>'
    )


def _svg(size: tuple[int, int], parts: Sequence[str]) -> str:
    width, height = size
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )
    return "data:image/svg+xml;utf8," + quote(svg, safe=" =:/'\"(),.-<>")
