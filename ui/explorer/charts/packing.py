"""Bars into lanes: the fewest lanes in which no two bars overlap, each in the lowest that is free.

That is greedy interval colouring, optimal when bars are taken by their beginning; the number
of lanes is then the highest number of bars at any moment, which is worth seeing by itself.
"""

import heapq
from collections.abc import Sequence


def packed(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The lane of each span, 0 first.

    Args:
        spans: beginning and end (excluded), by beginning.

    Raises:
        ValueError: they are not in the order of their beginnings.

    """
    lanes: list[int] = []
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    last = None
    for start, end in spans:
        if last is not None and start < last:
            raise ValueError("spans must come by their beginning")
        last = start
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(busy)
        heapq.heappush(busy, (end, lane))
        lanes.append(lane)
    return lanes
