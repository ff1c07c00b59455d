"""What the autopsy is drawn from, so that its lanes need not know the figure."""

from collections.abc import Sequence
from dataclasses import dataclass

from store.pages.trial import LaneSlice, NeighbourKill, NeighbourSlice
from store.story import ExecRow, KillRow, PhaseRow
from ui.explorer.charts.stack import Clock


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
