"""The rows of the page Trials in the words and pictures of its table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from store.pages.trials import (
    RUNNING,
    SPARK_SLICES,
    UNJUDGED,
    CauseCount,
    KillMoment,
    ListedTrial,
    SparkSlice,
)
from ui.explorer import frame
from ui.explorer.address import View
from ui.explorer.charts.cells import Spark, open_bar, peak_bar, sparkline
from ui.explorer.theme import Theme, chip
from ui.palette import LOOKS, Hue, hue_of
from ui.text import UNKNOWN, mebibytes

_CUT_OFF_FROM: Final = 0.99
"""As in the story: a peak this near to the ceiling was held there by it."""
_CEILING_UP_TO: Final = 3
"""A ceiling further above the peak is left out of a small picture."""
_WORDS: Final = {RUNNING: "running", UNJUDGED: "not judged yet"}
_SAID: Final[Mapping[Hue, str]] = {
    "pass": "passed",
    "model": "were not solved",
    "timeout": "ran out of time",
    "memory": "died for memory",
    "api": "died for the API",
    "cluster": "died for the cluster",
    "harness": "died for the harness",
    "unknown": "died of something unknown",
    "excluded": "count for nothing",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A trial as its line in the table."""

    trial: str
    """The address of its page."""
    ended: list[str]
    """Its chip."""
    task: str
    agent: str
    ceiling: str
    attempt: int
    peak: str
    held: str | None
    """Picture: peak against ceiling."""
    memory: str | None
    """Picture: memory over time."""
    victim: str
    kills: int
    reward: float | None
    duration: float | None


def chip_of(ended_in: str) -> str:
    """``M oom_container``, ``✓ pass``; what has no verdict has a dot."""
    if ended_in in _WORDS:
        return f"· {_WORDS[ended_in]}"
    return chip(ended_in, "pass" if hue_of(ended_in) == "pass" else None)


def chip_colours(ends: Sequence[str], theme: Theme) -> list[str]:
    """The colour of each chip, by its cause; grey for what has none."""
    return [theme.grid if end in _WORDS else theme.colour(end) for end in ends]


def lines(
    rows: Sequence[ListedTrial],
    sparks: Sequence[SparkSlice],
    kills: Sequence[KillMoment],
    view: View,
    theme: Theme,
) -> list[Line]:
    """Put rows into words and pictures."""
    by_try: defaultdict[tuple[str, int], list[SparkSlice]] = defaultdict(list)
    for one in sparks:
        by_try[one.trial, one.try_no].append(one)
    killed: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for moment in kills:
        killed[moment.trial, moment.try_no].append(moment.t_us)
    return [
        _line(row, by_try[row.trial, row.try_no], killed[row.trial, row.try_no], view, theme)
        for row in rows
    ]


def _line(
    row: ListedTrial,
    slices: Sequence[SparkSlice],
    kills: Sequence[int],
    view: View,
    theme: Theme,
) -> Line:
    seen = [one.peak_bytes for one in slices if one.peak_bytes is not None]
    peak = row.peak_bytes if row.peak_bytes is not None else max(seen, default=None)
    limit = row.ceiling_bytes or (row.parent_cap_bytes if row.kills else None)
    cut_off = peak is not None and limit is not None and peak >= _CUT_OFF_FROM * limit
    share = None if peak is None or row.ceiling_bytes is None else peak / row.ceiling_bytes
    held = peak_bar(share, cut_off=cut_off, theme=theme)
    if held is None and peak is not None:
        held = open_bar(theme)
    return Line(
        trial=view.only(row.trial, row.try_no).link("trial"),
        ended=[chip_of(row.cause or row.state)],
        task=frame.cut(row.task),
        agent=frame.cut(row.contestant),
        ceiling=frame.cut(row.condition, 30),
        attempt=row.attempt,
        peak=UNKNOWN if peak is None else f"{'≥ ' if cut_off else ''}{mebibytes(peak)}",
        held=held,
        memory=sparkline(_spark(row, slices, kills, peak), theme),
        victim=frame.cut(row.kill_victim, 30) if row.kill_victim else "",
        kills=row.kills,
        reward=row.reward,
        duration=row.duration_s,
    )


def _spark(
    row: ListedTrial, slices: Sequence[SparkSlice], kills: Sequence[int], peak: int | None
) -> Spark:
    """Shares of the highest: of the ceiling where that is near, else of the peak."""
    top = max([one.usage_bytes or 0 for one in slices] + [peak or 0, 1])
    ceiling = row.ceiling_bytes
    if ceiling is not None and ceiling <= _CEILING_UP_TO * top:
        top = max(top, ceiling)
    else:
        ceiling = None
    if row.finished_t_us is None:
        span = max(1, max(kills, default=row.started_t_us) - row.started_t_us)
    else:
        span = max(1, row.finished_t_us - row.started_t_us)
    return Spark(
        slices=SPARK_SLICES,
        usage=[(one.slice, one.usage_bytes / top) for one in slices if one.usage_bytes is not None],
        peak=[(one.slice, one.peak_bytes / top) for one in slices if one.peak_bytes is not None],
        ceiling=None if ceiling is None else ceiling / top,
        kills=[(at - row.started_t_us) / span for at in kills],
    )


def sentence(counts: Sequence[CauseCount]) -> str:
    """What the trials that fit ended in, most first: ``288 trials: 117 passed, …``."""
    total = sum(one.trials for one in counts)
    by_hue: defaultdict[Hue, int] = defaultdict(int)
    waiting = [
        f"{one.trials:,} {'run' if one.ended_in == RUNNING else 'are not judged yet'}"
        for one in counts
        if one.ended_in in _WORDS
    ]
    for one in counts:
        if one.ended_in not in _WORDS:
            by_hue[hue_of(one.ended_in)] += one.trials
    order = list(LOOKS)
    ended = sorted(by_hue.items(), key=lambda item: (-item[1], order.index(item[0])))
    parts = [f"{count:,} {_SAID[hue]}" for hue, count in ended] + waiting
    name = "trial" if total == 1 else "trials"
    return f"{total:,} {name}: {', '.join(parts)}"
