"""Charts that stay the same element while their rows change: no flicker on a live page.

The browser makes a new picture whenever a specification changes, and moves the marks of the
picture it has when only a named data set does. Rows inside a specification, or under a name
made from what they hold (Altair's way), are therefore a new picture a second. Here each data
set gets a name from its place in the specification, which says nothing about its rows.
"""

from collections.abc import Mapping
from typing import cast

from ui.explorer.charts.base import Spec
from ui.explorer.tabular import arrow

_PARTS = ("layer", "hconcat", "vconcat", "concat")


def steadied(spec: Spec) -> Spec:
    """The same picture with its rows as named Arrow tables, ``rows-0``, ``rows-1``, ..."""
    shared = cast("Mapping[str, object]", spec.get("datasets", {}))
    datasets: dict[str, object] = {}
    made = _named({key: part for key, part in spec.items() if key != "datasets"}, shared, datasets)
    if datasets:
        made["datasets"] = datasets
    return made


def _named(given: Spec, shared: Mapping[str, object], datasets: dict[str, object]) -> Spec:
    """The same with names for rows; the specification that was given stays as it is."""
    spec = dict(given)
    data = spec.get("data")
    if isinstance(data, dict):
        kept = cast("dict[str, object]", data)
        rows = kept.get("values", shared.get(str(kept.get("name"))))
        if isinstance(rows, list):
            name = f"rows-{len(datasets)}"
            datasets[name] = arrow(cast("list[object]", rows))
            spec["data"] = {"name": name}
    for part in _PARTS:
        if part in spec:
            each = cast("list[Spec]", spec[part])
            spec[part] = [_named(one, shared, datasets) for one in each]
    inner = spec.get("spec")
    if isinstance(inner, dict):
        spec["spec"] = _named(cast("Spec", inner), shared, datasets)
    return spec
