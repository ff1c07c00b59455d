"""Numbers as words: two significant digits, signs, bounds, and no false precision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.wording import chance, count, listing, points, probability, span


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.4, "p = .40"),
        (1.0, "p = 1.00"),
        (0.0124, "p = .012"),
        (0.0999, "p = .100"),
        (0.001, "p = .001"),
        (0.0009, "p < .001"),
        (1e-280, "p < .001"),
    ],
)
def test_p_values(p: float, text: str) -> None:
    assert probability(p) == text


@given(st.floats(min_value=1e-300, max_value=1.0))
def test_no_p_value_reads_as_zero(p: float) -> None:
    assert probability(p) not in {"p = .000", "p = .00"}
    assert " 0 times" not in chance(p)


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.04, "+2.0 points"), (-0.04, "0.0 points"), (-6.25, "−6.2 points"), (0.0, "0.0 points")],
)
def test_points(value: float, text: str) -> None:
    assert points(value) == text


def test_spans_say_the_unit_once() -> None:
    assert span(-1.9, 5.9, unit="points") == "−1.9 to +5.9 points"
    assert span(0.17, 0.441, unit="rate") == "17.0% to 44.1%"
    assert span(0.77, 1.06, unit="ratio") == "0.77 to 1.06"


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.00001, "less than once in 1,000"),
        (0.001, "at most once in 1,000"),
        (0.012, "at most 12 times in 1,000"),
        (0.3, "at most 30 times in 100"),
    ],
)
def test_chances(p: float, text: str) -> None:
    assert chance(p) == text


def test_counts_and_lists() -> None:
    assert count(1, "try", "tries") == "1 try"
    assert count(1200, "trial") == "1,200 trials"
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(list("abcdefg"), most=2) == "a, b and 5 more"
