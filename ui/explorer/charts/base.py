"""What every chart is made with: the few calls for which Altair gives types too wide or none.

Rows travel inside the specification as plain values and not as frames: a page draws at most
some thousand of them, the same specification then makes the picture in the browser and the
one that is downloaded, and no table library is needed in between.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Final, TypeAlias, cast

import altair as alt

from ui.explorer.charts.words import name

Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart
Spec: TypeAlias = dict[str, object]

_TOKENS: Final = itertools.count()


class _Rows(str):
    """Rows that Altair takes for a text.

    It copies and validates each chart's data many times, which for 500 rows takes longer than
    everything else that a page does. ``spec_of`` puts the rows in the text's place.
    """

    __slots__ = ("rows",)
    rows: list[Spec]


def inline(rows: Iterable[object]) -> alt.InlineData:
    """Rows (dataclasses or mappings) as data inside the specification that ``spec_of`` makes."""
    token = _Rows(f"rows {next(_TOKENS)}")
    token.rows = [record(row) for row in rows]
    return alt.InlineData(values=token)


def record(row: object) -> dict[str, object]:
    """One row by column name."""
    if is_dataclass(row) and not isinstance(row, type):
        return asdict(row)
    return dict(cast("Mapping[str, object]", row))


def layered(*layers: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    """Charts on top of each other, the first at the bottom."""
    return cast("alt.LayerChart", alt.layer(*layers))


def spec_of(chart: Chart, config: Mapping[str, object]) -> Spec:
    """The specification with a theme's configuration in place of Altair's own."""
    # Not validated: tests do that once, and it is most of what a chart costs.
    spec = cast("Spec", _filled(chart.to_dict(validate=False)))
    spec["config"] = dict(config)
    return spec


def _filled(part: object) -> object:
    """The same with rows where their tokens stood."""
    if isinstance(part, _Rows):
        return part.rows
    if isinstance(part, dict):
        return {name: _filled(value) for name, value in cast("Spec", part).items()}
    if isinstance(part, list):
        return [_filled(value) for value in cast("list[object]", part)]
    return part


def named(names: Sequence[str], *, orient: str, most: int) -> alt.Axis:
    """Names at their places: two that are cut to the same text stay two rows."""
    texts = [name(text, most).replace("\\", "\\\\").replace("'", "\\'") for text in names]
    listed = ", ".join(f"'{text}'" for text in texts)
    return alt.Axis(
        orient="top" if orient == "top" else "left",
        title=None,
        labelExpr=f"[{listed}][datum.value]",
        labelAngle=0,
        labelLimit=260,
        labelOverlap=False,
        ticks=False,
        domain=False,
        labelPadding=6,
    )
