"""Rows as Arrow tables: what a browser's table and a Parquet file are made of.

The one place where pyarrow, which ships no types, is called.
"""

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Protocol, cast

import pyarrow as pa  # pyright: ignore[reportMissingTypeStubs] # it ships none
from pyarrow import parquet  # pyright: ignore[reportMissingTypeStubs] # it ships none

from ui.explorer.charts.base import record


class ArrowTable(Protocol):
    """As much of a table as is used here."""

    @property
    def num_rows(self) -> int:
        """How many rows it has."""
        ...


def arrow(rows: Sequence[object], columns: Sequence[str] | None = None) -> ArrowTable:
    """Rows as an Arrow table; a column of mixed or nested values becomes text.

    Args:
        rows: dataclasses or mappings.
        columns: which, in order; None: all.

    """
    records = [record(row) for row in rows]
    names = list(columns) if columns is not None else list(records[0]) if records else []
    array = cast("Callable[..., object]", pa.array)  # pyright: ignore[reportUnknownMemberType] # no types
    made = cast("Callable[..., ArrowTable]", pa.table)  # pyright: ignore[reportUnknownMemberType] # no types
    arrays: dict[str, object] = {}
    for name in names:
        values = [each.get(name) for each in records]
        try:
            arrays[name] = array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):  # pyright: ignore[reportUnknownMemberType] # no types
            arrays[name] = array([None if value is None else _text(value) for value in values])
    return made(arrays)


def parquet_bytes(rows: Sequence[object]) -> bytes:
    """Rows as a Parquet file."""
    out = io.BytesIO()
    write = cast("Callable[..., None]", parquet.write_table)  # pyright: ignore[reportUnknownMemberType] # no types
    write(arrow(rows), out, compression="zstd")
    return out.getvalue()


def csv_bytes(rows: Sequence[object]) -> bytes:
    """Rows as CSV with a head; missing is empty, lists are JSON."""
    out = io.StringIO()
    records = [record(row) for row in rows]
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else [])
    writer.writeheader()
    for each in records:
        writer.writerow({name: "" if each[name] is None else _text(each[name]) for name in each})
    return out.getvalue().encode()


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
