"""Results as plain data: what ``--json`` prints and what a golden file keeps.

One walk over frozen dataclasses, so that no result class writes its own serialiser and
forgets a field. Infinite and undefined numbers are refused instead of written: JSON has
no word for them, and a result that holds one has escaped a guard.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TypeAlias, cast

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


def to_plain(value: object) -> Plain:
    """Turn a result into dicts, lists and scalars.

    Args:
        value: a scalar, a frozen dataclass, or a mapping or sequence of such.

    Returns:
        The same content as JSON types; tuples become lists.

    Raises:
        ValueError: a number is infinite or undefined.
        TypeError: something in it is no result.

    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a result may not hold {value}")
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {str(key): to_plain(item) for key, item in entries.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in cast("Sequence[object]", value)]
    raise TypeError(f"not a result: {type(value).__name__}")


def to_json(value: object) -> str:
    """Write a result as JSON text with a fixed key order, for people and for digests."""
    return json.dumps(to_plain(value), ensure_ascii=False, allow_nan=False)
