"""Colours that can be told from the paper, and an axis on which ceilings stand where they are."""

import math

import pytest

from ui.explorer.theme import SHAPES, THEMES, Theme, ceiling_axis, hue_named, shape_of
from ui.palette import LOOKS

MODES = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@MODES
def test_words_can_be_read(theme: Theme) -> None:
    assert contrast(theme.ink, theme.paper) > 10
    assert contrast(theme.muted, theme.paper) > 4.5


@MODES
def test_causes_stand_out_from_the_paper(theme: Theme) -> None:
    assert set(theme.hues) == set(LOOKS)
    for hue in ("pass", "memory", "cluster", "api", "harness", "timeout"):
        assert contrast(theme.hues[hue], theme.paper) > 3
        assert theme.hues[hue] == LOOKS[hue].colour


@MODES
def test_the_greys_are_three(theme: Theme) -> None:
    greys = [theme.hues[hue] for hue in ("model", "unknown", "excluded")]
    assert len(set(greys)) == 3


@MODES
def test_a_map_has_no_colour_of_a_cause(theme: Theme) -> None:
    for end in theme.ramp:
        red, green, blue = (int(end[at : at + 2], 16) for at in (1, 3, 5))
        assert max(red, green, blue) - min(red, green, blue) < 40
    assert contrast(*theme.ramp) > 7


def test_ceilings_stand_at_their_log2_and_uncapped_comes_after() -> None:
    axis = ceiling_axis([("1x", 1.0), ("1.5x", 1.5), ("3x", 3.0), ("uncapped", None)])
    assert axis.is_log
    assert axis.ends_open
    assert axis.places["1x"] == 0
    assert axis.places["3x"] == math.log2(3)
    assert axis.places["uncapped"] == math.log2(3) + 1
    low, high = axis.domain()
    assert low < 0
    assert high > axis.places["uncapped"]


@pytest.mark.parametrize(
    "conditions",
    [
        [("a", 1.0), ("b", 1.0)],
        [("a", None), ("b", None)],
        [("a", None)],
        [],
    ],
    ids=["same ceiling", "two uncapped", "only uncapped", "none"],
)
def test_what_ceilings_cannot_tell_apart_stands_in_order(
    conditions: list[tuple[str, float | None]],
) -> None:
    axis = ceiling_axis(conditions)
    assert not axis.is_log
    assert list(axis.places.values()) == [float(place) for place in range(len(conditions))]


def test_names_on_an_axis_cannot_end_its_expression() -> None:
    axis = ceiling_axis([("it's\\", 1.0), ("b\nc", 2.0)])
    assert axis.label_expression() == (
        "abs(datum.value - 0.0000) < 0.001 ? ['it\\'s\\\\'] : "
        "abs(datum.value - 1.0000) < 0.001 ? ['b c'] : ''"
    )


def test_shapes_of_agents_begin_again() -> None:
    agents = [f"a{number}" for number in range(7)]
    assert shape_of("a6", agents) == SHAPES[0]
    assert shape_of("nobody", agents) == SHAPES[0]


def test_an_unknown_hue_is_unknown() -> None:
    assert hue_named("memory") == "memory"
    assert hue_named("mauve") == "unknown"
