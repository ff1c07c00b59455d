"""The lanes: a line and a bar a running trial, its memory against its ceiling.

Words and bar share the whole width, so that a lane reads the same on a wide and on a narrow
screen: what it is on the left, what it does in the middle, how much it holds on the right.
The bar is grey: a trial that runs has no cause yet, and colour means cause. A kill is what
it will be judged by, so its mark has the colour of memory already. The ceiling is the solid
line at the right end, the upright tick the highest peak so far; of an uncapped trial there
is neither, and its bar is measured against the cap that all share, and drawn hollow.

Everything that changes is in the rows and nothing in the specification, so the browser
moves the marks of the picture it has instead of making a new one (``ui.explorer.steady``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import altair as alt

from barograph.clock import US_PER_S
from barograph.units import format_bytes, format_duration
from store.pages.live import BEGINNING, LaneRow
from ui.explorer.charts.base import Spec, inline, layered, record, spec_of
from ui.explorer.charts.words import name
from ui.explorer.theme import THEMES, Mode, Theme
from ui.palette import LOOKS
from ui.text import ago, mebibytes

LANE_PX: Final = 31
CLICKED: Final = "lane"
"""The parameter that says which trial's lane was clicked."""
_WORDS_DY: Final = -5
_BAR_DY: Final = 9
_BAR_PX: Final = 7
_PEAK_PX: Final = 11
_CEILING_PX: Final = 13
_MARK_PX: Final = 22
"""Room on the left for the mark of a kill."""
_WHAT_CHARS: Final = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One lane in words and shares."""

    place: int
    """From the top, 0 first."""
    what: str
    doing: str
    holds: str
    share: float
    """Of the ceiling, or of the shared cap; held to 0..1, 0 where nothing was sampled."""
    peak: float | None
    """None where there is no ceiling to hold it against."""
    capped: bool
    killed: str
    """``M`` and how many, or nothing."""
    trial: str
    says: str
    """All of it, for who points at it."""


def lanes(rows: Sequence[LaneRow], now_us: int, *, skip: int = 0) -> list[Lane]:
    """Put rows into words.

    Args:
        rows: in the order in which they are drawn.
        now_us: the server's clock, or the moment at which the view was frozen.
        skip: lanes on earlier pages.

    """
    return [_lane(row, place, now_us) for place, row in enumerate(rows, skip)]


def lane_chart(shown: Sequence[Lane], theme: Theme) -> alt.LayerChart:
    """Draw lanes from the top."""
    rows = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    base = alt.Chart().encode(y=rows)
    x = alt.X("share:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    capped = "datum.capped"
    fill = alt.when(capped).then(alt.value(theme.muted)).otherwise(alt.value(theme.paper))
    bar = base.mark_bar(
        height=_BAR_PX, yOffset=_BAR_DY, strokeWidth=1, stroke=theme.muted, opacity=0.65
    )
    ceiling = base.mark_tick(thickness=3, height=_CEILING_PX, yOffset=_BAR_DY, fill=theme.ink)
    peak = base.mark_tick(thickness=2, height=_PEAK_PX, yOffset=_BAR_DY, fill=theme.ink)
    chart = layered(
        base.mark_bar(height=_BAR_PX, yOffset=_BAR_DY, color=theme.grid)
        .transform_filter(capped)
        .encode(x=alt.XDatum(0, type="quantitative", axis=None), x2=alt.X2Datum(1)),
        bar.encode(x=x, x2=alt.X2Datum(0), fill=fill),
        ceiling.transform_filter(capped).encode(x=alt.XDatum(1, type="quantitative", axis=None)),
        peak.transform_filter("isValid(datum.peak)").encode(x=alt.X("peak:Q", axis=None)),
        _words(base, "killed", theme.hues["memory"], at="0", room="width", bold=True),
        _words(base, "what", theme.ink, at=f"{_MARK_PX}", room=f"width * 0.36 - {_MARK_PX}"),
        _words(base, "doing", theme.muted, at="width * 0.37", room="width * 0.42"),
        _words(base, "holds", theme.ink, at="width", room="width * 0.21", align="right"),
        # Unseen and on top, so that all of a lane can be pointed at and clicked.
        base.mark_bar(height=LANE_PX, opacity=0.001, color=theme.paper, cursor="pointer")
        .encode(
            x=alt.XDatum(0, type="quantitative", axis=None),
            x2=alt.X2Datum(1),
            tooltip=alt.Tooltip("says:N", title="trial"),
        )
        .add_params(alt.selection_point(name=CLICKED, fields=["trial"], on="click")),
    )
    # Its height is that of its lanes, so only the width is fitted to the page.
    fit = alt.AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(data=inline(shown), height=alt.Step(LANE_PX), autosize=fit)


def lane_spec(shown: Sequence[Lane], theme: Theme) -> Spec:
    """The specification of ``lane_chart``: only its rows are new, the rest is made once."""
    made = _frame_of(theme.mode)
    return {**made, "data": {"values": [record(lane) for lane in shown]}}


@cache
def _frame_of(mode: Mode) -> Spec:
    """Without rows; whoever uses it replaces what it holds, and changes nothing in it."""
    theme = THEMES[mode]
    made = spec_of(lane_chart([], theme), theme.config())
    made.pop("datasets", None)
    return made


def _words(
    base: alt.Chart,
    field: str,
    colour: str,
    *,
    at: str,
    room: str,
    align: Literal["left", "right"] = "left",
    bold: bool = False,
) -> alt.Chart:
    """A text at a share of the width, cut to its room by the browser."""
    text = base.mark_text(
        x=alt.expr(at),
        limit=alt.expr(room),
        align=align,
        color=colour,
        dy=_WORDS_DY,
        fontSize=12.5,
        fontWeight="bold" if bold else "normal",
        tooltip=False,
    )
    encoded: alt.Chart = text.encode(text=f"{field}:N")
    return encoded


def _lane(row: LaneRow, place: int, now_us: int) -> Lane:
    ceiling = row.ceiling_bytes or row.parent_cap_bytes
    usage = row.usage_bytes or 0
    highest = max(usage, row.peak_bytes or 0)
    what = f"{name(row.task)} · {name(row.agent, 24)} · {name(row.condition, 24)}"
    holds = f"{mebibytes(row.usage_bytes)} of {mebibytes(row.ceiling_bytes)} MiB"
    if row.ceiling_bytes is None:
        holds = f"{mebibytes(row.usage_bytes)} MiB, no ceiling"
    if row.sampled_t_us is None:
        holds = "no sample yet"
    since = format_duration(max(0.0, (now_us - row.started_t_us) / US_PER_S))
    doing = f"{row.phase or BEGINNING}, {since} in · {_last(row, now_us)}"
    peak = format_bytes(row.peak_bytes)
    said = f"{row.trial} on {name(row.host)}: {what}; {doing}; {holds}, highest {peak}"
    return Lane(
        place=place,
        what=what,
        doing=doing,
        holds=holds,
        share=min(1.0, usage / ceiling) if ceiling else 0.0,
        peak=min(1.0, highest / row.ceiling_bytes) if row.ceiling_bytes and highest else None,
        capped=row.ceiling_bytes is not None,
        killed=f"{LOOKS['memory'].mark}{row.kills}" if row.kills else "",
        trial=row.trial,
        says=said,
    )


def _last(row: LaneRow, now_us: int) -> str:
    """What was heard last, and how long ago."""
    words = {
        "kill": f"killed {name(row.last_what or 'a process', 24)}",
        "command": f"{name(row.last_what or '', _WHAT_CHARS)} ended ({row.last_how})",
        "phase": f"{row.last_what} began",
        "sandbox": "its sandbox stands",
    }
    return f"{ago(now_us, row.last_t_us)}: {words.get(row.last_kind, 'it began')}"
