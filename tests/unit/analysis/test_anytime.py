"""The anytime-valid bound: what it is at known counts, and that looking often is allowed."""

import random

import pytest

from analysis.anytime import METHOD, anytime
from analysis.intervals import clopper_pearson


def test_it_is_what_was_worked_out_by_hand() -> None:
    found = anytime(9, 445)
    assert found is not None
    assert (round(100 * found.low, 2), round(100 * found.high, 2)) == (0.47, 5.34)
    assert found.method == METHOD


def test_before_the_first_trial_nothing_is_known() -> None:
    assert anytime(0, 0) is None


@pytest.mark.parametrize("trials", [1, 2, 7, 100, 100_000])
def test_the_rate_is_within_and_fixed_looks_are_narrower(trials: int) -> None:
    for events in {0, 1, trials // 2, trials - 1, trials}:
        found, fixed = anytime(events, trials), clopper_pearson(events, trials)
        assert found is not None
        assert 0 <= found.low <= events / trials <= found.high <= 1
        assert found.low <= fixed.low
        assert found.high >= fixed.high


@pytest.mark.parametrize(("events", "trials"), [(-1, 3), (4, 3)])
def test_what_is_no_rate_is_refused(events: int, trials: int) -> None:
    with pytest.raises(ValueError, match="is no rate"):
        anytime(events, trials)


@pytest.mark.parametrize("rate", [0.02, 0.25])
def test_looking_at_every_tenth_trial_hardly_ever_misses(rate: float) -> None:
    """A fixed 95% interval misses at some of 30 looks in a third of such sweeps."""
    draw = random.Random(5)
    missed = 0
    for _ in range(40):
        events = 0
        for trials in range(1, 301):
            events += draw.random() < rate
            found = anytime(events, trials) if trials % 10 == 0 else None
            if found is not None and not found.low <= rate <= found.high:
                missed += 1
                break
    assert missed <= 2
