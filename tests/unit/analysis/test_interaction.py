"""Does the ranking change with the ceiling: reversal, mere interaction, neither."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.comparison import compare
from analysis.grid import Grid, make_grid
from analysis.interaction import adjusted, interaction
from analysis.signflip import signflip_exact
from tests.unit.analysis.toy import cells_of

Rows = list[tuple[int, int, int]]


def grid_of(x_1: int, y_1: int, x_2: int, y_2: int, *, n: int = 5, tasks: int = 12) -> Grid:
    """Two agents x and y whose tasks all pass the same number of times at 1x and at free."""
    passes = {("x", "1x"): x_1, ("y", "1x"): y_1, ("x", "free"): x_2, ("y", "free"): y_2}
    rows = {key: [(value, 0, n - value)] * tasks for key, value in passes.items()}
    return make_grid(cells_of(rows), conditions=["1x", "free"])


def test_a_reversal_is_named_with_both_leads() -> None:
    made = interaction(grid_of(1, 3, 4, 2), ("x", "y"), "1x", "free")
    assert made.reversed
    assert (made.leads_a, made.leads_b) == ("y", "x")
    assert made.gap_a.these.estimate == pytest.approx(-40.0)
    assert made.gap_b.these.estimate == pytest.approx(40.0)
    assert made.like.estimate == pytest.approx(80.0)
    assert made.like.p_value == pytest.approx(2 / 2**12)
    assert made.reversal_p is not None
    assert made.reversal_p < 0.001
    # As sure as the less sure side, at its one-sided p-value.
    sides = (made.gap_a.p_less, made.gap_b.p_greater)
    assert made.reversal_p == max(side or 0.0 for side in sides)


def test_a_big_lead_on_one_side_makes_no_reversal_sure() -> None:
    made = interaction(grid_of(0, 5, 3, 3), ("x", "y"), "1x", "free")
    assert made.leads_b is None
    assert not made.reversed
    assert made.reversal_p is not None
    assert made.reversal_p >= 0.5
    assert made.like.p_value == pytest.approx(2 / 2**12)


def test_a_gap_that_grows_is_an_interaction_without_reversal() -> None:
    made = interaction(grid_of(3, 2, 5, 1), ("x", "y"), "1x", "free")
    assert not made.reversed
    assert made.leads_a == made.leads_b == "x"
    assert made.like.p_value == pytest.approx(2 / 2**12)
    assert (made.reversal_p or 0) > 0.9


@settings(max_examples=25)
@given(st.integers(0, 2000))
def test_the_test_is_the_sign_flip_of_the_difference_of_differences(seed: int) -> None:
    generator = np.random.default_rng(seed)
    rows: dict[tuple[str, str], Rows] = {
        (agent, condition): [(int(s), 0, 3 - int(s)) for s in generator.integers(0, 4, 12)]
        for agent in "xy"
        for condition in ("1x", "free")
    }
    grid = make_grid(cells_of(rows), conditions=["1x", "free"])
    made = interaction(grid, ("x", "y"), "1x", "free")
    count = {key: np.array([row[0] for row in value]) for key, value in rows.items()}
    change = count["x", "free"] - count["y", "free"] - count["x", "1x"] + count["y", "1x"]
    assert made.like.p_value == pytest.approx(signflip_exact(change).p_value)
    assert made.like.estimate == pytest.approx(100 * float(change.mean()) / 3)
    turned = interaction(grid, ("y", "x"), "1x", "free")
    assert turned.reversal_p == pytest.approx(made.reversal_p)
    assert turned.like.estimate == pytest.approx(-(made.like.estimate or 0.0))
    gap = compare(
        grid.arm("1x", agents=["y"], name="y"),
        grid.arm("1x", agents=["x"], name="x"),
        endpoint="score",
    )
    assert made.gap_a.these.p_value == gap.these.p_value


def test_few_tasks_give_gaps_and_no_p_values() -> None:
    made = interaction(grid_of(1, 3, 4, 2, tasks=4), ("x", "y"), "1x", "free")
    assert made.reversal_p is None
    assert made.like.p_value is None
    assert made.reversed


def test_a_gap_of_two_hundred_points_is_possible() -> None:
    made = interaction(grid_of(0, 5, 5, 0), ("x", "y"), "1x", "free")
    assert made.like.estimate == pytest.approx(200.0)
    assert made.these.ci_high is not None
    assert made.these.ci_high <= 200.0


def test_holm_over_all_that_is_asked_together() -> None:
    one = interaction(grid_of(1, 3, 4, 2), ("x", "y"), "1x", "free")
    two = interaction(grid_of(2, 3, 3, 2), ("x", "y"), "1x", "free")
    family = adjusted([one, two])
    assert family[0].reversal_p_holm == pytest.approx(2 * (one.reversal_p or 0))
    assert family[1].reversal_p_holm == pytest.approx(
        max(two.reversal_p or 0, 2 * (one.reversal_p or 0))
    )


@pytest.mark.slow
def test_reversal_holds_its_level_where_one_side_is_level() -> None:
    # The worst case of the null: agents level at 1x, far apart when free.
    generator = np.random.default_rng(11)
    runs, beyond = 400, 0
    for _ in range(runs):
        chance = generator.beta(0.4, 0.4, 12)
        rows: dict[tuple[str, str], Rows] = {}
        for agent, condition, chances in (
            ("x", "1x", chance),
            ("y", "1x", chance),
            ("x", "free", np.full(12, 0.9)),
            ("y", "free", np.full(12, 0.1)),
        ):
            drawn = generator.binomial(4, chances)
            rows[agent, condition] = [(int(s), 0, 4 - int(s)) for s in drawn]
        grid = make_grid(cells_of(rows), conditions=["1x", "free"])
        p = interaction(grid, ("x", "y"), "1x", "free").reversal_p
        beyond += p is not None and p <= 0.05
    assert beyond / runs <= 0.06
