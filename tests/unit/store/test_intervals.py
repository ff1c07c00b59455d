"""Runs of numbers behave as the sets they stand for."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from store.intervals import Run, common, count, minus, normal, overlap, union

RUNS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 8)).map(lambda x: (x[0], x[0] + x[1])), max_size=8
)


def numbers(runs: list[Run]) -> set[int]:
    return {number for first, last in runs for number in range(first, last + 1)}


def is_normal(runs: list[Run]) -> bool:
    return all(a.first <= a.last for a in runs) and all(
        a.last + 1 < b.first for a, b in pairwise(runs)
    )


@given(RUNS)
def test_normal_keeps_the_numbers(runs: list[tuple[int, int]]) -> None:
    result = normal(runs)
    assert is_normal(result)
    assert numbers(result) == {n for first, last in runs for n in range(first, last + 1)}


@given(RUNS, RUNS)
def test_runs_are_sets(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    left, right = normal(a), normal(b)
    for result, truth in (
        (minus(left, right), numbers(left) - numbers(right)),
        (common(left, right), numbers(left) & numbers(right)),
        (union(left, right), numbers(left) | numbers(right)),
    ):
        assert is_normal(result)
        assert numbers(result) == truth
        assert count(result) == len(truth)


@given(RUNS)
def test_overlap_is_a_number_that_is_there_twice(runs: list[tuple[int, int]]) -> None:
    total = sum(last - first + 1 for first, last in runs)
    assert overlap(runs) == (total > len(numbers(normal(runs))))
