"""The app's entry: who may look, which sweep is meant, and the navigation. Nothing else.

Streamlit runs this file from the top for every viewer and every interaction.
"""

from pathlib import Path
from typing import Final

import streamlit as st

from ui.explorer import frame
from ui.explorer.access import granted
from ui.explorer.data import sweeps
from ui.explorer.options import Options
from ui.explorer.pages import PAGES, page

# Of our own: an icon by name would be fetched from elsewhere.
_ICON: Final = Path(__file__).with_name("icon.png")
_NAMED: Final = 6
# Streamlit leaves a tenth of a screen empty above a page; a figure needs it more.
# A link is seen to be one, and as good as the next where it leads to another view of its page.
# Its words are broken into lines, where Streamlit would cut them off. Whoever goes by keyboard
# sees where they are, also in the navigation, which Streamlit leaves as it is.
_STYLE: Final = """<style>
.stMainBlockContainer { padding-top: 4.2rem; padding-bottom: 3rem }
a[data-testid="stPageLink-NavLink"]:not(:hover) { background-color: transparent }
a[data-testid="stPageLink-NavLink"] p { font-weight: normal; white-space: normal;
  text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 0.25em }
.stApp a:focus-visible { outline: 2px solid currentColor; outline-offset: 1px }
</style>"""


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="Barograph", page_icon=str(_ICON), layout="wide")
    st.html(_STYLE)
    with frame.guarded("The explorer"):
        # Who is let in gets the page of the address: without a navigation Streamlit forgets it.
        allowed = granted(Options.from_environment())
        pages = [page(spec.name) for spec in PAGES]
        chosen = st.navigation(pages, position="top" if allowed else "hidden")
        if not allowed:
            return
        _choose_sweep()
        with frame.guarded("This page"):
            chosen.run()


def _choose_sweep() -> None:
    """A choice only where there is one: a data folder usually holds one sweep."""
    known = sweeps()
    if len(known) > 1:
        # Ids as they are: what a widget shows is what it writes into the address.
        ids = [row.sweep for row in reversed(known)]
        names = " · ".join(
            f"{frame.plain(row.sweep)} is {frame.plain(row.name, 40)}" for row in known[-_NAMED:]
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Sweep", ids, key="sweep", bind="query-params", width=220)
            st.caption(names)


if __name__ == "__main__":
    main()
