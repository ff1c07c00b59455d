"""Which ceiling would have been enough? At least the peak; other tries tell more.

A killed try shows only that its ceiling was too small. Tries of the same task and agent
that no ceiling cut off show what such a try can need; they may have taken another way, so
this is a hint and is worded as one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.wording import count
from barograph.units import format_bytes
from store.rows import TryRow
from ui.stories.memory import Memory
from ui.stories.said import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Enough:
    """A lower bound, and what others needed."""

    at_least_bytes: int | None
    """The ceiling that would have been enough is above this; None: memory ended nothing."""
    others: int
    """Tries of the same task and agent whose peak no ceiling cut off."""
    others_low_bytes: int | None
    others_high_bytes: int | None
    smallest_that_held: str | None
    """The tightest condition under which every ended try of task and agent went unkilled."""
    said: tuple[Said, ...]


def enough(mine: TryRow | None, used: Memory, others: Sequence[TryRow]) -> Enough:
    """Say what ceiling would have been enough.

    Args:
        mine: the try in question.
        used: its memory.
        others: standing tries of the same sweep and task, this one among them or not.

    """
    alike = [row for row in others if mine and row.agent == mine.agent and row.trial != mine.trial]
    open_ended = [row for row in alike if row.kills == 0 and row.peak_bytes is not None]
    peaks = sorted(row.peak_bytes for row in open_ended if row.peak_bytes is not None)
    bound = (used.peak_bytes or used.ceiling_bytes) if used.kills else None
    held = _smallest_that_held(alike)
    return Enough(
        at_least_bytes=bound,
        others=len(peaks),
        others_low_bytes=peaks[0] if peaks else None,
        others_high_bytes=peaks[-1] if peaks else None,
        smallest_that_held=held,
        said=tuple(_sentences(bound, used, peaks, alike, held)),
    )


def _sentences(
    bound: int | None,
    used: Memory,
    peaks: Sequence[int],
    alike: Sequence[TryRow],
    held: str | None,
) -> list[Said]:
    if bound is None:
        return []
    spec = used.spec_bytes
    factor = f" ({bound / spec:.2g}x of the spec)" if spec else ""
    said = [
        Said(
            text=f"More than {format_bytes(bound)}{factor}: that is where it was cut off.",
            evidence=("sandbox.destroyed", "oom.kill 1"),
            hue="memory",
        )
    ]
    agent = alike[0].agent if alike else ""
    above = [peak for peak in peaks if peak > bound]
    if above:
        top = f" = {above[-1] / spec:.2g}x" if spec else ""
        span = format_bytes(above[-1])
        if format_bytes(above[0]) != span:
            span = f"{format_bytes(above[0])} to {span}"
        text = (
            f"{count(len(above), 'other try', 'other tries')} of this task by {agent} that no "
            f"ceiling cut off used {span}{top}."
        )
        said.append(Said(text=text, evidence=("sandbox.destroyed of those",)))
    elif peaks:
        text = (
            f"All {count(len(peaks), 'other try', 'other tries')} of this task by {agent} that "
            f"no ceiling cut off stayed below that ({format_bytes(peaks[-1])} at most): they "
            "took a leaner way."
        )
        said.append(Said(text=text, evidence=("sandbox.destroyed of those",)))
    if held is not None:
        text = f"The tightest ceiling at which none of {agent}'s tries was killed: {held}."
        said.append(Said(text=text, evidence=("oom.kill of those",)))
    return said


def _smallest_that_held(alike: Sequence[TryRow]) -> str | None:
    """The smallest ceiling without a kill, all larger ones being without one too."""
    sizes = sorted({_size(row) for row in alike})
    found: str | None = None
    for size in reversed(sizes):
        rows = [row for row in alike if _size(row) == size]
        if any(row.kills for row in rows):
            break
        found = rows[0].condition
        if rows[0].ceiling_bytes is not None:
            found += f" ({format_bytes(rows[0].ceiling_bytes)})"
    return found


def _size(row: TryRow) -> float:
    return float("inf") if row.ceiling_bytes is None else row.ceiling_bytes
