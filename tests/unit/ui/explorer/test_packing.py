"""Bars into lanes: none overlap, no lane is wasted."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.explorer.charts.packing import packed

SPANS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda one: (one[0], one[0] + one[1])),
    max_size=40,
).map(sorted)


@given(SPANS)
def test_no_two_bars_of_a_lane_overlap(spans: list[tuple[int, int]]) -> None:
    lanes = packed(spans)
    for lane in set(lanes):
        own = [span for span, at in zip(spans, lanes, strict=True) if at == lane]
        assert all(before[1] <= after[0] for before, after in pairwise(own))


@given(SPANS)
def test_there_are_as_many_lanes_as_bars_at_the_busiest_moment(
    spans: list[tuple[int, int]],
) -> None:
    busiest = max((sum(a <= at < b for a, b in spans) for at, _ in spans), default=0)
    assert len(set(packed(spans))) == busiest


def test_bars_come_by_their_beginning() -> None:
    with pytest.raises(ValueError, match="by their beginning"):
        packed([(5, 6), (1, 2)])
