"""What the autopsy is drawn from, so that its lanes need not know the figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from store.pages.trial import LaneSlice, NeighbourKill, NeighbourSlice
from store.story import ExecRow, KillRow, PhaseRow
from ui.explorer.charts.stack import Clock

_GAP_SLICES: Final = 5
"""Slices further apart than so many of them are not joined by a line."""


def after_gaps(slices: Sequence[LaneSlice]) -> frozenset[int]:
    """Places of the slices before which samples are missing; the first is one of them."""
    widths = sorted(later.t_us - one.t_us for one, later in pairwise(slices))
    most = _GAP_SLICES * max(1, widths[len(widths) // 2]) if widths else 0
    gaps = {
        place
        for place, (one, later) in enumerate(pairwise(slices), 1)
        if later.first_t_us - one.t_us > most
    }
    return frozenset({0} | gaps if slices else ())


def begins_us(one: LaneSlice) -> int:
    """When the time began that a slice's first sample is about."""
    return one.first_t_us - (one.interval_us or 0) // max(1, one.samples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What memory was asked and applied; None: none, or not known."""

    spec_bytes: int | None
    floor_bytes: int | None
    ceiling_bytes: int | None
    peak_bytes: int | None
    """The highest of the whole try, samples and final counter."""
    peak_t_us: int | None
    cut_off: bool
    """The ceiling held that peak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Autopsy:
    """What the figure is drawn from."""

    start_us: int
    """When the try began: 0 of the axis."""
    low_us: int
    high_us: int
    """The span that is shown."""
    phases: Sequence[PhaseRow]
    commands: Sequence[ExecRow]
    slices: Sequence[LaneSlice]
    kills: Sequence[KillRow]
    limits: Limits
    neighbours: Sequence[NeighbourSlice]
    neighbour_kills: Sequence[NeighbourKill]

    @property
    def clock(self) -> Clock:
        """Moments as numbers on the axis."""
        return Clock.of(self.start_us, self.high_us - self.low_us)
