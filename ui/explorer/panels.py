"""Panels of one figure: apart on a page, where columns make room, and together in a file.

A page shows each picture by itself, because only single views can be fitted to a width that
the page decides; what is downloaded is one picture of all of them, with its title. They are
put together as specifications: Altair copies every part of a chart for each chart that it
becomes part of.
"""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, cast

from ui.explorer.charts.base import Chart, Spec, spec_of
from ui.explorer.theme import Theme

ACROSS: Final = 2
"""Panels side by side."""

_TITLE_CHARS: Final = 120
_LONGEST_TITLE: Final = 600
_OF_THE_WHOLE: Final = ("$schema", "config")
_APART_PX: Final = 24
_STACKED_PX: Final = 8

Picture: TypeAlias = Chart | Spec
"""As Altair knows it, or made already (``once``)."""
Panel: TypeAlias = Picture | tuple[Picture, ...]
"""One picture, or pictures one below the other."""


def stack(panel: Panel, look: Theme) -> tuple[Spec, ...]:
    """The pictures of a panel, from the top."""
    parts = panel if isinstance(panel, tuple) else (panel,)
    return tuple(one if isinstance(one, dict) else spec_of(one, look.config()) for one in parts)


def in_rows(panels: Sequence[Sequence[Spec]]) -> Spec:
    """Panels (each from the top) as one picture, as many across as on the page."""
    made = [_joined("vconcat", parts, _STACKED_PX) for parts in panels]
    rows = [
        _joined("hconcat", made[at : at + ACROSS], _APART_PX) for at in range(0, len(made), ACROSS)
    ]
    return _joined("vconcat", rows, _APART_PX)


def titled(spec: Spec, title: str | None) -> Spec:
    """The specification with a title over all of it, in lines."""
    if not title:
        return spec
    lines = textwrap.wrap(title[:_LONGEST_TITLE], _TITLE_CHARS)
    return {**spec, "title": {"text": lines, "anchor": "start", "offset": 16}}


def _joined(how: str, parts: Sequence[Spec], spacing_px: int) -> Spec:
    if len(parts) == 1:
        return parts[0]
    whole: Spec = {name: parts[0][name] for name in _OF_THE_WHOLE if name in parts[0]}
    datasets: dict[str, object] = {}
    for part in parts:
        datasets |= cast("Mapping[str, object]", part.get("datasets", {}))
    if datasets:
        whole["datasets"] = datasets
    apart = {*_OF_THE_WHOLE, "datasets"}
    inner = [{key: value for key, value in part.items() if key not in apart} for part in parts]
    return {**whole, how: inner, "spacing": spacing_px}
