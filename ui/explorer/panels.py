"""Panels of one figure: apart on a page, where columns make room, and together in a file.

A page shows each picture by itself, because only single views can be fitted to a width that
the page decides; what is downloaded is one picture of all of them, with its title.
"""

import textwrap
from collections.abc import Sequence
from typing import Final, TypeAlias

from ui.explorer.charts.base import Chart, Spec, below, beside, spec_of
from ui.explorer.theme import Theme

ACROSS: Final = 2
"""Panels side by side."""

_TITLE_CHARS: Final = 120
_LONGEST_TITLE: Final = 600

Panel: TypeAlias = Chart | tuple[Chart, ...]
"""One picture, or pictures one below the other."""


def stack(panel: Panel) -> tuple[Chart, ...]:
    """The pictures of a panel, from the top."""
    return panel if isinstance(panel, tuple) else (panel,)


def in_rows(panels: Sequence[Panel], look: Theme) -> Spec:
    """Panels as one picture, as many across as on the page."""
    made = [parts[0] if len(parts) == 1 else below(*parts) for parts in map(stack, panels)]
    rows = [made[at : at + ACROSS] for at in range(0, len(made), ACROSS)]
    lines = [row[0] if len(row) == 1 else beside(*row) for row in rows]
    return spec_of(lines[0] if len(lines) == 1 else below(*lines, spacing=24), look.config())


def titled(spec: Spec, title: str | None) -> Spec:
    """The specification with a title over all of it, in lines."""
    if not title:
        return spec
    lines = textwrap.wrap(title[:_LONGEST_TITLE], _TITLE_CHARS)
    return {**spec, "title": {"text": lines, "anchor": "start", "offset": 16}}
