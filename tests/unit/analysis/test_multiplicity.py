"""Holm and Benjamini-Hochberg: published numbers and other implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.multiplicity import benjamini_hochberg, holm
from tests.unit.analysis.oracles import holm as oracle_holm

VALUES = [0.01, 0.04, 0.03, 0.005]


def test_published() -> None:
    assert holm(VALUES) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(VALUES) == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_a_refused_test_is_no_member_of_the_family() -> None:
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([]) == []
    assert holm([None]) == [None]
    assert benjamini_hochberg([]) == []


@given(st.lists(st.floats(1e-12, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_is_scipys(values: list[float]) -> None:
    oracle = [float(q) for q in stats.false_discovery_control(values)]
    assert benjamini_hochberg(values) == pytest.approx(oracle)


# No generated examples: statsmodels takes 50 ms a call.
def test_holm_is_that_of_statsmodels() -> None:
    for size in (1, 4, 30):
        values = np.random.default_rng(size).beta(0.3, 3, size).tolist()
        assert holm(values) == pytest.approx(oracle_holm(values))
