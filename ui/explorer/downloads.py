"""What can be taken away from a figure: its rows (CSV, Parquet) and itself (SVG, PNG).

Nothing is made before somebody asks for it. A picture is drawn by a child process
(``drawing``): the renderer brings a JavaScript engine of some hundred MB that the explorer
should not keep for the few pictures that are taken.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Final, Literal, cast

import streamlit as st

from ui.errors import DrawingError
from ui.explorer.charts.base import Spec
from ui.explorer.tabular import csv_bytes, parquet_bytes

Format = Literal["svg", "png"]

_WIDTH_PX: Final = 560
_DRAWING_S: Final = 60.0
_PARTS: Final = ("hconcat", "vconcat", "concat", "layer")


def of_figure(spec: Spec, rows: Sequence[object], *, name: str, key: str) -> None:
    """Offer a figure's data and the figure, behind one button."""
    with st.popover("Download", icon=":material/download:", type="tertiary", key=f"take-{key}"):
        _data(rows, name=name, key=key)
        _button("SVG", lambda: drawn(spec, "svg"), f"{name}.svg", "image/svg+xml", key)
        _button("PNG", lambda: drawn(spec, "png"), f"{name}.png", "image/png", key)


def of_rows(rows: Sequence[object], *, name: str, key: str) -> None:
    """Offer a table's rows, behind one button."""
    with st.popover("Download", icon=":material/download:", type="tertiary", key=f"take-{key}"):
        _data(rows, name=name, key=key)


def _data(rows: Sequence[object], *, name: str, key: str) -> None:
    _button("CSV", lambda: csv_bytes(rows), f"{name}.csv", "text/csv", key)
    kind = "application/vnd.apache.parquet"
    _button("Parquet", lambda: parquet_bytes(rows), f"{name}.parquet", kind, key)


def _button(label: str, make: Callable[[], bytes], file: str, mime: str, key: str) -> None:
    st.download_button(
        label,
        data=make,
        file_name=file,
        mime=mime,
        key=f"take-{key}-{label.lower()}",
        on_click="ignore",
        type="tertiary",
    )


def drawn(spec: Spec, form: Format) -> bytes:
    """A figure as a file.

    Raises:
        DrawingError: the renderer failed or took too long.

    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ui.explorer.drawing", form],
            input=json.dumps(sized(spec)).encode(),
            capture_output=True,
            timeout=_DRAWING_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else b""
        last = bytes(said or b"").decode(errors="replace").strip().splitlines()[-1:]
        raise DrawingError(
            "this figure could not be drawn as a picture",
            where="".join(last) or None,
            remedy="take its data instead",
        ) from error
    return done.stdout


def sized(spec: Spec) -> Spec:
    """The figure with a width in every panel: on a page, the page decides it."""
    made = deepcopy(spec)
    _size(made)
    return made


def _size(spec: Spec) -> None:
    parts = [cast("list[Spec]", spec[name]) for name in _PARTS[:3] if name in spec]
    for each in (part for some in parts for part in some):
        _size(each)
    if not parts and "facet" not in spec and spec.get("width") in {None, "container"}:
        spec["width"] = _WIDTH_PX
