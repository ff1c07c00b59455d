"""Figures of viewers who look at the same moment do not mix.

Altair's setters (``alt.X("x").axis(None)``) keep the object they are called on in a place that
all threads share, between finding the method and calling it. Each viewer of the explorer has a
thread, so a figure would now and then be drawn with the axes of another. Channels are
therefore given everything when they are made: ``alt.X("x", axis=None)``.
"""

import ast
from pathlib import Path
from typing import cast

import altair as alt
import pytest

from tests.repo.tree import ROOT, below, shown

FIGURES = [
    path for path in below("ui", suffix=".py") if path.is_relative_to(ROOT / "ui" / "explorer")
]
# Not exported, so found by one that is known to be one.
SETTER = cast("object", vars(alt.X)["axis"]).__class__
SETTERS = {
    name
    for channel in vars(alt).values()
    if isinstance(channel, type)
    for name, value in vars(channel).items()
    if isinstance(value, SETTER)
}


def setters_called(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        f"{shown(path)}:{node.lineno} .{node.func.attr}()"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in SETTERS
        and _is_channel(node.func.value)
    ]


def _is_channel(value: ast.expr) -> bool:
    """Whether it may be a channel: not a module, ``self`` or a text."""
    if isinstance(value, ast.Call):
        return True
    return isinstance(value, ast.Name) and value.id in {"x", "y", "color", "channel", "at"}


def test_the_setters_are_known() -> None:
    assert {"axis", "scale", "stack", "legend"} <= SETTERS


@pytest.mark.parametrize("path", FIGURES, ids=shown)
def test_no_figure_uses_a_setter_that_threads_share(path: Path) -> None:
    assert setters_called(path) == []
