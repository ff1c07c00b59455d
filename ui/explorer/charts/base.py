"""What every chart is made with: the few calls for which Altair gives types too wide or none.

Rows travel inside the specification as plain values and not as frames: a page draws at most
some thousand of them, the same specification then makes the picture in the browser and the
one that is downloaded, and no table library is needed in between.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from typing import TypeAlias, cast

import altair as alt

Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart
Spec: TypeAlias = dict[str, object]


def inline(rows: Iterable[object]) -> alt.InlineData:
    """Rows (dataclasses or mappings) as data inside the specification."""
    return alt.InlineData(values=[record(row) for row in rows])


def record(row: object) -> dict[str, object]:
    """One row by column name."""
    if is_dataclass(row) and not isinstance(row, type):
        return asdict(row)
    return dict(cast("Mapping[str, object]", row))


def layered(*layers: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    """Charts on top of each other, the first at the bottom."""
    return cast("alt.LayerChart", alt.layer(*layers))


def below(*parts: alt.Chart | alt.LayerChart, spacing: int = 8) -> alt.VConcatChart:
    """Charts in a column; each says its own axes, so give them the same domain."""
    return alt.vconcat(*parts, spacing=spacing)


def beside(*parts: Chart, spacing: int = 24) -> alt.HConcatChart:
    """Charts in a row, each with axes of its own."""
    return alt.hconcat(*parts, spacing=spacing)


def spec_of(chart: Chart, config: Mapping[str, object]) -> Spec:
    """The specification with a theme's configuration in place of Altair's own."""
    spec = cast("Spec", chart.to_dict())
    spec["config"] = dict(config)
    return spec
