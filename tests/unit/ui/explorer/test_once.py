"""A figure that is kept is the one that would be made, and panels are put together unchanged."""

from collections.abc import Sequence
from copy import deepcopy
from typing import cast

import altair as alt
import pytest

from ui.explorer.charts.base import inline, spec_of
from ui.explorer.downloads import drawn
from ui.explorer.once import MOST_KEPT, forget, once
from ui.explorer.panels import in_rows, stack
from ui.explorer.steady import steadied
from ui.explorer.theme import THEMES

LIGHT, DARK = THEMES["light"], THEMES["dark"]

made: list[Sequence[int]] = []


def bars(heights: Sequence[int], *, colour: str = "#123456") -> alt.Chart:
    made.append(heights)
    rows = [{"x": place, "y": height} for place, height in enumerate(heights)]
    chart: alt.Chart = (
        alt.Chart(inline(rows))
        .mark_bar(color=colour)
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
        .properties(height=50)
    )
    return chart


@pytest.fixture(autouse=True)
def _nothing_made() -> None:
    made.clear()
    forget()


def test_what_it_is_drawn_from_decides() -> None:
    first = once(LIGHT, bars, (1, 2))
    # Names of data sets aside, which Altair makes anew each time.
    assert steadied(first) == steadied(spec_of(bars((1, 2)), LIGHT.config()))
    made.clear()
    assert once(LIGHT, bars, (1, 2)) is first
    assert made == []
    for other in (
        once(LIGHT, bars, (1, 3)),
        once(LIGHT, bars, (1, 2), colour="#000000"),
        once(DARK, bars, (1, 2)),
    ):
        assert other != first
    assert len(made) == 3


def test_the_oldest_are_forgotten() -> None:
    for height in range(MOST_KEPT + 5):
        once(LIGHT, bars, (height,))
    made.clear()
    once(LIGHT, bars, (MOST_KEPT + 4,))
    assert made == []
    once(LIGHT, bars, (0,))
    assert made == [(0,)]


def test_a_page_changes_nothing_of_what_is_kept() -> None:
    spec = once(LIGHT, bars, (1, 2))
    before = deepcopy(spec)
    shown = steadied({"padding": 4, **spec})
    assert list(cast("dict[str, object]", shown["datasets"])) == ["rows-0"]
    assert shown["data"] == {"name": "rows-0"}
    assert spec == before


def test_panels_become_one_picture_with_all_their_rows() -> None:
    parts = [(once(LIGHT, bars, (n,)), bars((n, n), colour="#654321")) for n in (1, 2, 3)]
    whole = in_rows([stack(part, LIGHT) for part in parts])
    assert whole["config"] == LIGHT.config()
    picture = drawn(whole, "svg")
    assert picture.count(b"#654321") == 6
    assert picture.count(b"#123456") == 3
