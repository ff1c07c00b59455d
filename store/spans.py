"""Between which moments a trial's samples lie, so that no other samples need be read.

Samples lie in the store roughly in order of time, and DuckDB skips whole blocks by their
lowest and highest time; by their trial it can skip nothing. So whoever reads the samples of
a trial says when it ran as well.
"""

from collections.abc import Sequence
from typing import Final

from barograph.clock import US_PER_S
from store.story import BegunRow, EndRow

APART_US: Final = 300 * US_PER_S
"""The clocks of a runner and of a collector are not this far apart."""
LAST_US: Final = 2**62


def sampled_span(begun: Sequence[BegunRow], ends: Sequence[EndRow]) -> tuple[int, int]:
    """Two moments between which all samples of these tries lie.

    A try that has not ended may have samples until now, and then there is no later bound.
    """
    low_us = min((row.started_t_us for row in begun), default=APART_US) - APART_US
    if not ends or {row.try_no for row in begun} - {row.try_no for row in ends}:
        return low_us, LAST_US
    return low_us, max(row.t_us for row in ends) + APART_US
