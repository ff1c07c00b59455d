"""The second, kept: ticks on absolute deadlines, and a wall clock that is watched for steps.

Tick n is due at start + n intervals of the monotonic clock. A tick that is served late
does not move the next one, so lateness never adds up. When several deadlines passed before
one could be served, the latest is served and the others are reported as missed, with their
numbers: a gap that is stated, not one that a reader has to notice.

Pure: the caller brings the time.
"""

from dataclasses import dataclass
from typing import Final

STEP_FROM_US: Final = 20_000
"""Smaller moves are the slewing of NTP (at most 0.5 ms a second) and noise of our reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One served tick."""

    number: int
    """0 at the start, then counted in intervals, missed ones included."""
    deadline_us: int
    late_us: int
    missed: int
    """How many deadlines just before this one were not served."""


class Cadence:
    """Deadlines of one process, in monotonic microseconds."""

    def __init__(self, *, start_us: int, interval_us: int) -> None:
        """Begin; the first tick is due one interval after ``start_us``."""
        self._start_us = start_us
        self._interval_us = interval_us
        self._next = 1

    @property
    def interval_us(self) -> int:
        """Time between two deadlines."""
        return self._interval_us

    @property
    def deadline_us(self) -> int:
        """When the next tick is due."""
        return self._start_us + self._next * self._interval_us

    def due(self, now_us: int) -> Tick | None:
        """The tick to serve at ``now_us``, which counts as served; None before its time."""
        if now_us < self.deadline_us:
            return None
        number = (now_us - self._start_us) // self._interval_us
        missed = number - self._next
        self._next = number + 1
        deadline_us = self._start_us + number * self._interval_us
        return Tick(
            number=number, deadline_us=deadline_us, late_us=now_us - deadline_us, missed=missed
        )


class WallWatch:
    """Notices when the wall clock moves against the monotonic one."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._offset_us: int | None = None

    def step_us(self, *, wall_us: int, mono_us: int) -> int | None:
        """How far the wall was set since the last call; None when it was not.

        Args:
            wall_us: read together with
            mono_us: the monotonic clock.

        """
        offset_us = wall_us - mono_us
        before_us, self._offset_us = self._offset_us, offset_us
        if before_us is None or abs(offset_us - before_us) < STEP_FROM_US:
            return None
        return offset_us - before_us
