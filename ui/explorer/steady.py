"""Charts that stay the same element while their rows change: no flicker on a live page.

The browser makes a new picture whenever a specification changes, and moves the marks of the
picture it has when only a named data set does. Rows inside a specification, or under a name
made from what they hold (Altair's way), are therefore a new picture a second. Here each data
set gets a name from its place in the specification, which says nothing about its rows.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import cast

from ui.explorer.charts.base import Spec
from ui.explorer.tabular import arrow

_PARTS = ("layer", "hconcat", "vconcat", "concat")


def steadied(spec: Spec) -> Spec:
    """The same picture with its rows as named Arrow tables, ``rows-0``, ``rows-1``, ..."""
    made = deepcopy(spec)
    shared = cast("Mapping[str, object]", made.pop("datasets", {}))
    datasets: dict[str, object] = {}
    _name(made, shared, datasets)
    if datasets:
        made["datasets"] = datasets
    return made


def _name(spec: Spec, shared: Mapping[str, object], datasets: dict[str, object]) -> None:
    data = spec.get("data")
    if isinstance(data, dict):
        kept = cast("dict[str, object]", data)
        rows = kept.get("values", shared.get(str(kept.get("name"))))
        if isinstance(rows, list):
            name = f"rows-{len(datasets)}"
            datasets[name] = arrow(cast("list[object]", rows))
            spec["data"] = {"name": name}
    for part in _PARTS:
        for each in cast("list[Spec]", spec.get(part, [])):
            _name(each, shared, datasets)
    inner = spec.get("spec")
    if isinstance(inner, dict):
        _name(cast("Spec", inner), shared, datasets)
