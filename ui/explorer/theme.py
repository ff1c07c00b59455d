"""Colours, marks and axes of every figure, once for light and once for dark.

Colour means cause and only cause, as on the command line (``ui.palette``): those colours
have a luminance near .20, so they keep their contrast on both backgrounds. Only the three
greys differ here, because in a stack of bars they must be told apart without their marks.
What is no cause (axes, intervals, agents) is drawn in ink; agents differ by shape. Rates on
a map go from paper to ink, a scale that no cause has and that survives a grey printer.

The theme is put into each chart's own configuration, with its background, instead of
leaving it to the page: a chart then looks the same when it is downloaded, and stays legible
when the viewer changes the page's theme under it (Streamlit tells us only at the next run).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import streamlit as st

from ui.palette import LOOKS, Hue, hue_of, look_of

Mode = Literal["light", "dark"]

FONT: Final = '"Source Sans", "Source Sans Pro", "Helvetica Neue", Arial, sans-serif'
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Of agents, in their order; a seventh agent begins again."""

_LIGHT_GREYS: Final[Mapping[Hue, str]] = {
    "model": "#8a8f98",
    "unknown": "#b9bec6",
    "excluded": "#d9dce1",
}
_DARK_GREYS: Final[Mapping[Hue, str]] = {
    "model": "#868c96",
    "unknown": "#5d636d",
    "excluded": "#3a3f48",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """What a figure is drawn with."""

    mode: Mode
    ink: str
    """Lines, points and words that matter."""
    muted: str
    """Words and lines beside them; at least 4.5 to 1 on the background."""
    grid: str
    paper: str
    """The page's background, and each chart's."""
    ramp: tuple[str, str]
    """From 0 to 1 on a map: paper to ink."""
    hues: Mapping[Hue, str]

    def colour(self, cause: str) -> str:
        """The colour of a verdict's cause."""
        return self.hues[hue_of(cause)]

    def config(self) -> dict[str, object]:
        """The Vega-Lite configuration of this theme."""
        words = {"labelColor": self.muted, "titleColor": self.ink}
        sizes = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
        title = {"color": self.ink, "subtitleColor": self.muted, "anchor": "start"}
        return {
            "background": self.paper,
            "font": FONT,
            "padding": 4,
            "view": {"stroke": None, "continuousHeight": 280, "continuousWidth": 480},
            "axis": {
                **words,
                **sizes,
                "gridColor": self.grid,
                "domainColor": self.grid,
                "tickColor": self.grid,
                "labelLimit": 220,
                "titlePadding": 8,
            },
            "axisX": {"grid": False},
            "legend": {**words, **sizes, "labelLimit": 300, "symbolStrokeWidth": 1.5},
            "header": {**words, **sizes},
            "title": {**title, "fontSize": 14, "subtitleFontSize": 12, "offset": 10},
            "text": {"color": self.ink, "fontSize": 12},
            "rule": {"color": self.ink},
            "line": {"color": self.ink},
            "point": {"color": self.ink},
            "bar": {"color": self.muted},
        }


THEMES: Final[Mapping[Mode, Theme]] = {
    "light": Theme(
        mode="light",
        ink="#1c2733",
        muted="#5b6673",
        grid="#e3e6ea",
        paper="#ffffff",
        ramp=("#f1f3f6", "#2c3e50"),
        hues={hue: _LIGHT_GREYS.get(hue, look.colour) for hue, look in LOOKS.items()},
    ),
    "dark": Theme(
        mode="dark",
        ink="#eef1f5",
        muted="#a5afbb",
        grid="#2b323c",
        paper="#11151b",
        ramp=("#1d242d", "#b9c4d0"),
        hues={hue: _DARK_GREYS.get(hue, look.colour) for hue, look in LOOKS.items()},
    ),
}

Option: TypeAlias = str | int | bool


def current() -> Theme:
    """The theme of whoever is looking."""
    return THEMES["dark" if st.context.theme.type == "dark" else "light"]


def streamlit_options() -> dict[str, Option]:
    """The page's own theme, light and dark, as options of Streamlit's command line."""
    options: dict[str, Option] = {}
    for mode, theme in THEMES.items():
        section = f"theme.{mode}"
        options[f"{section}.primaryColor"] = theme.muted
        options[f"{section}.backgroundColor"] = theme.paper
        options[f"{section}.secondaryBackgroundColor"] = theme.ramp[0]
        options[f"{section}.textColor"] = theme.ink
        options[f"{section}.linkColor"] = LOOKS["cluster"].colour
    return options


def chip(cause: str, words: str | None = None) -> str:
    """``M oom_container``: a cause with its mark, for places that have no colour."""
    return f"{look_of(cause).mark} {cause if words is None else words}"


def hue_named(text: str) -> Hue:
    """A hue by its name, for rows that travelled as text."""
    names: dict[str, Hue] = {str(hue): hue for hue in LOOKS}
    return names.get(text, "unknown")


def shape_of(agent: str, agents: Sequence[str]) -> str:
    """The shape of an agent among all agents of the sweep."""
    return SHAPES[agents.index(agent) % len(SHAPES)] if agent in agents else SHAPES[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingAxis:
    """Where each ceiling stands on a log2 axis of multiples; ``uncapped`` comes last."""

    places: Mapping[str, float]
    """Condition -> its place."""
    is_log: bool
    """Whether places are multiples on a log2 scale, or only in order."""
    ends_open: bool
    """Whether the last one is uncapped: more than all others, by no number."""

    def domain(self) -> tuple[float, float]:
        """The ends of the axis, with room for a mark at each."""
        values = self.places.values()
        pad = 0.35
        return min(values, default=0.0) - pad, max(values, default=1.0) + pad

    def label_expression(self, labels: Mapping[str, Sequence[str]] | None = None) -> str:
        """The Vega expression that writes at each place its condition's name.

        Args:
            labels: condition -> lines to write instead.

        """
        names = [
            f"abs(datum.value - {place:.4f}) < 0.001 ? "
            f"[{', '.join(_quoted(line) for line in (labels or {}).get(name, [name]))}]"
            for name, place in self.places.items()
        ]
        return " : ".join([*names, "''"])


def ceiling_axis(conditions: Sequence[tuple[str, float | None]]) -> CeilingAxis:
    """Place conditions by their ceiling; in order only where ceilings do not tell them apart.

    Args:
        conditions: names in order, each with its multiple of the spec; None is uncapped.

    """
    multiples = [multiple for _, multiple in conditions if multiple is not None and multiple > 0]
    uncapped = sum(multiple is None for _, multiple in conditions)
    apart = len(set(multiples)) == len(multiples) == len(conditions) - uncapped
    if not apart or uncapped > 1 or not multiples:
        places = {name: float(place) for place, (name, _) in enumerate(conditions)}
        return CeilingAxis(places=places, is_log=False, ends_open=uncapped > 0)
    # One step past the largest: there is no number for "uncapped", only "more than all".
    last = math.log2(max(multiples)) + 1.0
    places = {
        name: last if multiple is None else math.log2(multiple) for name, multiple in conditions
    }
    return CeilingAxis(places=places, is_log=True, ends_open=uncapped > 0)


def _quoted(text: str) -> str:
    inside = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ")
    return f"'{inside}'"
