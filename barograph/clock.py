"""Wall and monotonic time behind one protocol, so that tests can move the clock.

Wall time (UTC microseconds since the epoch) places a fact in the day; it may step.
Monotonic time orders facts of one writer and measures durations; it never steps, but
means nothing to another process. Every event carries both, so that a step of the wall
clock can be seen afterwards.
"""

import time
from typing import Final, Protocol

US_PER_S: Final = 1_000_000


class Clock(Protocol):
    """What a writer needs to know about time."""

    def wall_us(self) -> int:
        """UTC microseconds since the epoch."""
        ...

    def mono_us(self) -> int:
        """Microseconds of a clock that never steps; the origin is arbitrary."""
        ...


class SystemClock:
    """The machine's own clocks (CLOCK_REALTIME and CLOCK_MONOTONIC)."""

    def wall_us(self) -> int:
        """UTC microseconds since the epoch."""
        return time.time_ns() // 1000

    def mono_us(self) -> int:
        """Microseconds since some point before the process began."""
        return time.monotonic_ns() // 1000


class FakeClock:
    """A clock that moves only when told to; the wall can step against the monotonic."""

    def __init__(self, wall_us: int = 1_700_000_000 * US_PER_S, mono_us: int = 0) -> None:
        """Start at the given readings, in microseconds."""
        self._wall_us = wall_us
        self._mono_us = mono_us

    def wall_us(self) -> int:
        """UTC microseconds since the epoch, as last set."""
        return self._wall_us

    def mono_us(self) -> int:
        """Monotonic microseconds, as last set."""
        return self._mono_us

    def advance(self, us: int) -> None:
        """Let ``us`` microseconds pass on both clocks."""
        self._wall_us += us
        self._mono_us += us

    def step_wall(self, us: int) -> None:
        """Set the wall clock ``us`` microseconds on (or back); monotonic time stays."""
        self._wall_us += us
