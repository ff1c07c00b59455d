"""Which pages there are; nothing of them is imported before it is opened.

The app builds its navigation from this table and every link names a page by its word here,
so that an address written down today opens the same page tomorrow.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, cast

import streamlit as st


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """One page: its word in the address, its title, the question that it answers."""

    name: str
    title: str
    icon: str
    asks: str

    def render(self) -> None:
        """Import the page's module and draw it."""
        module = importlib.import_module(f"ui.explorer.views.{self.name}")
        cast("Callable[[], None]", module.render)()


PAGES: Final = (
    PageSpec(
        name="overview",
        title="Overview",
        icon=":material/monitoring:",
        asks="What did the ceilings do to this sweep?",
    ),
    PageSpec(
        name="tasks",
        title="Tasks",
        icon=":material/grid_on:",
        asks="Which tasks flip between two configurations?",
    ),
    PageSpec(
        name="trials",
        title="Trials",
        icon=":material/table_rows:",
        asks="Which ones, and what went wrong?",
    ),
    PageSpec(
        name="trial",
        title="Trial",
        icon=":material/troubleshoot:",
        asks="Why did this one fail?",
    ),
    PageSpec(name="live", title="Live", icon=":material/sensors:", asks="What is happening now?"),
    PageSpec(
        name="pipeline",
        title="Pipeline",
        icon=":material/fact_check:",
        asks="Can I trust what I see?",
    ),
)

_BY_NAME: Final = {spec.name: spec for spec in PAGES}


def page(name: str) -> st.Page:
    """A page as Streamlit's links and navigation want it."""
    spec = _BY_NAME[name]
    return st.Page(
        _drawing(name),
        title=spec.title,
        icon=spec.icon,
        url_path=spec.name,
        default=spec is PAGES[0],
    )


@cache
def _drawing(name: str) -> Callable[[], None]:
    """One function a page: Streamlit tells pages apart by it."""
    spec = _BY_NAME[name]

    def draw() -> None:
        spec.render()

    draw.__name__ = name
    return draw
