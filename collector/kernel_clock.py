"""The kernel log's clock, as ours. Pure.

Records are stamped by a clock of the scheduler that begins with the machine like the
monotonic one but is never corrected: after weeks they are minutes apart. A record that we
were woken for was written just before we read it, so the smallest of the recent differences
is the offset, and a little more.
"""

from collections import deque
from typing import Final

_RECENT: Final = 64


class KernelClock:
    """Converts stamps to monotonic microseconds."""

    def __init__(self) -> None:
        """Assume that the two clocks agree until a fresh record tells."""
        self._differences: deque[int] = deque(maxlen=_RECENT)

    def saw(self, *, stamp_us: int, now_us: int) -> None:
        """A record with this stamp was read now, right after it was written."""
        self._differences.append(now_us - stamp_us)

    def mono_us(self, stamp_us: int) -> int:
        """When, on our monotonic clock."""
        return stamp_us + min(self._differences, default=0)
