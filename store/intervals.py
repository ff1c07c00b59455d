"""Runs of whole numbers: what was seen of a source, what is missing, what explains it.

A writer's seqs have no gaps, so millions of them are a handful of runs, and set algebra on
runs costs what the number of *gaps* costs, never the number of events. A run is
``(first, last)``, both included. A normal list of runs is sorted, and no two of its runs
touch; every function here takes and returns normal lists unless it says otherwise.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple


class Run(NamedTuple):
    """Whole numbers from ``first`` to ``last``, both included."""

    first: int
    last: int


def normal(runs: Iterable[tuple[int, int]]) -> list[Run]:
    """Any runs, in any order, overlapping or not, as a normal list."""
    result: list[Run] = []
    for first, last in sorted(runs):
        if result and first <= result[-1].last + 1:
            if last > result[-1].last:
                result[-1] = Run(result[-1].first, last)
        else:
            result.append(Run(first, last))
    return result


def overlap(runs: Iterable[tuple[int, int]]) -> bool:
    """Whether any number is in two of the given runs (which need not be normal)."""
    return any(second[0] <= first[1] for first, second in pairwise(sorted(runs)))


def minus(left: Sequence[Run], right: Sequence[Run]) -> list[Run]:
    """What is in ``left`` and not in ``right``."""
    result: list[Run] = []
    at = 0
    for first, last in left:
        begin = first
        while at < len(right) and right[at].last < begin:
            at += 1
        look = at
        while look < len(right) and right[look].first <= last:
            if right[look].first > begin:
                result.append(Run(begin, right[look].first - 1))
            begin = right[look].last + 1
            look += 1
        if begin <= last:
            result.append(Run(begin, last))
    return result


def holds(runs: Sequence[Run], number: int) -> bool:
    """Whether a number is in a normal list of runs."""
    at = bisect_right(runs, number, key=lambda run: run.first)
    return at > 0 and number <= runs[at - 1].last


def common(left: Sequence[Run], right: Sequence[Run]) -> list[Run]:
    """What is in both."""
    return minus(left, minus(left, right))


def union(left: Sequence[Run], right: Sequence[Run]) -> list[Run]:
    """What is in either."""
    return normal([*left, *right])


def count(runs: Iterable[tuple[int, int]]) -> int:
    """How many numbers the runs hold."""
    return sum(last - first + 1 for first, last in runs)
