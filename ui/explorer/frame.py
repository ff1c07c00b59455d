"""What every page is built of: its sentence, its figures, its tables, its honest gaps.

A page says one sentence, shows one figure, then numbers, then how they were computed; these
functions are those four, so that all pages read alike. All text that came from events
(names, commands, messages) is untrusted: what is given here as a sentence or a note is shown
as plain text, whatever markup, colour codes or direction marks it holds.

Nothing that goes wrong in a page shows a traceback: ``guarded`` turns it into one sentence
with what would help, and where only the store is away, the page looks again by itself.
"""

import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, Literal, cast

import streamlit as st

from barograph.errors import BarographError, BusyError, EnvironmentRefusal
from store.errors import UnreachableError
from ui.explorer import downloads, theme
from ui.explorer.address import View
from ui.explorer.charts.base import Spec
from ui.explorer.pages import page
from ui.explorer.panels import ACROSS, Panel, Picture, in_rows, stack, titled
from ui.explorer.steady import steadied
from ui.explorer.tabular import arrow

LONGEST_NAME: Final = 80
_LONGEST_WORD: Final = 32
_ENDLESS: Final = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
_RETRY_S: Final = 2.0
_MARKUP: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=])")
_DIRECTION: Final = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")

Selection = Mapping[str, Sequence[Mapping[str, object]]]
"""Name of a chart's parameter -> the points selected."""


def cut(text: str, most: int = LONGEST_NAME) -> str:
    """One line of at most ``most`` characters, without marks that would turn what follows."""
    line = " ".join(_CONTROL.sub(" ", _DIRECTION.sub("", text)).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def plain(text: str, most: int | None = None) -> str:
    """Text as Markdown that shows it as it is; right-to-left text does not turn its neighbours."""
    line = cut(text, most or max(1, len(text)))
    escaped = _MARKUP.sub(r"\\\1", line)
    return escaped if line.isascii() else f"\u2068{escaped}\u2069"


def tame(sentence: str) -> str:
    """A sentence in which no name is longer than a line can bear."""
    return _ENDLESS.sub(lambda word: word[0][: _LONGEST_WORD - 1] + "…", sentence)


def answer(sentence: str, *, more: Sequence[str] = (), notes: Sequence[str] = ()) -> None:
    """The page's one sentence, what else it says, and small notes on how far to trust it.

    Args:
        sentence: answers the page's question; plain text.
        more: further clauses, in the page's own size.
        notes: caveats such as "12 of 40 trials have no telemetry".

    """
    st.markdown(f"### {plain(tame(sentence))}")
    for clause in more:
        st.markdown(plain(tame(clause)))
    if notes:
        st.caption(" · ".join(plain(tame(note)) for note in notes))


def problems(view: View) -> None:
    """Say what the address asked for that cannot be."""
    if view.problems:
        said = "; ".join(plain(cut(text, 200)) for text in view.problems[:4])
        st.caption(f":material/link_off: {said[:1].upper()}{said[1:]}")


def figure(
    chart: Picture | Sequence[Panel],
    rows: Sequence[object],
    *,
    name: str,
    key: str,
    caption: str | None = None,
    title: str | None = None,
    says: str | None = None,
    selects: bool = False,
) -> Selection:
    """Show a chart (or several side by side) with what can be downloaded of it.

    Args:
        chart: one, or the panels of one figure, which are shown side by side.
        rows: what it is drawn from; dataclasses or mappings.
        name: of the downloaded files, without ending.
        key: unique on the page.
        caption: small words below.
        title: of the downloaded picture; on the page the sentence above is its title.
        says: what is to be seen, for whoever cannot see it.
        selects: whether clicks on it matter.

    Returns:
        What is selected in it; empty unless ``selects``. A span has one entry: field -> ends.

    """
    look = theme.current()
    panels = [stack(one, look) for one in (chart if isinstance(chart, Sequence) else [chart])]
    chosen: dict[str, Sequence[Mapping[str, object]]] = {}
    with st.container(key=f"figure-{key}"):
        across = min(ACROSS, len(panels))
        for first in range(0, len(panels), across):
            for place, column in enumerate(st.columns(across)[: len(panels) - first], first):
                with column:
                    for part, one in enumerate(panels[place]):
                        at = f"{key}-{place}-{part}"
                        chosen |= _chart(one, key=at, says=says or name, selects=selects)
        _foot(titled(in_rows(panels), title), rows, name=name, key=key, caption=caption)
    return chosen


def picture(
    spec: Spec,
    rows: Sequence[object],
    *,
    name: str,
    key: str,
    caption: str,
    says: str,
    selects: bool = False,
) -> Selection:
    """Show a figure every second, as ``figure`` does, by a specification that is made already."""
    with st.container(key=f"figure-{key}"):
        chosen = _chart(spec, key=key, says=says, selects=selects)
        _foot(spec, rows, name=name, key=key, caption=caption)
    return chosen


def _foot(spec: Spec, rows: Sequence[object], *, name: str, key: str, caption: str | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if caption:
            st.caption(plain(caption))
        downloads.of_figure(spec, rows, name=name, key=key)


def _chart(spec: Spec, *, key: str, says: str, selects: bool) -> Selection:
    # Streamlit types its charts by overloads over data frames that we do not give it.
    # Streamlit would fit the height, too, and so squeeze rows by whatever stands around them.
    fitted = {
        "padding": {"left": 4, "right": 6, "top": 4, "bottom": 4},
        **spec,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    show = cast("Callable[..., object]", st.vega_lite_chart)  # pyright: ignore[reportUnknownMemberType] # data frame types
    given = show(
        spec=steadied(fitted),
        width="stretch",
        theme=None,
        key=key,
        alt=cut(says, 500),
        on_select="rerun" if selects else "ignore",
    )
    if not selects:
        return {}
    state = cast("Mapping[str, Mapping[str, object]]", given)
    # Points come as a list, a span as one mapping of a field to its ends.
    return {
        name: cast(
            "Sequence[Mapping[str, object]]", points if isinstance(points, list) else [points]
        )
        for name, points in state["selection"].items()
        if points and isinstance(points, (list, dict))
    }


def table(
    rows: Sequence[object],
    *,
    name: str,
    key: str,
    columns: Mapping[str, object] | None = None,
    data: Sequence[object] | None = None,
    selects: bool = False,
    height: int | None = None,
) -> int | None:
    """Show rows as a table that can be sorted, searched and downloaded.

    Args:
        rows: dataclasses or mappings, at most a page's worth (1,000).
        name: of the downloaded files, without ending.
        key: unique on the page.
        columns: column -> label or ``st.column_config`` entry, in the order shown; None: all.
        data: what is downloaded; None: the same rows.
        selects: whether one row can be chosen.
        height: in pixels; None: as high as its rows, up to ten.

    Returns:
        The place of the chosen row in ``rows``, if one is.

    """
    shown = arrow(rows, list(columns) if columns is not None else None)
    draw = cast("Callable[..., object]", st.dataframe)  # pyright: ignore[reportUnknownMemberType] # data frame types
    given = draw(
        shown,
        hide_index=True,
        column_config=columns,
        key=key,
        height="auto" if height is None else height,
        placeholder="–",
        **({"on_select": "rerun", "selection_mode": "single-row"} if selects else {}),
    )
    downloads.of_rows(rows if data is None else data, name=name, key=key)
    if not selects:
        return None
    chosen = cast("Mapping[str, Mapping[str, Sequence[int]]]", given)["selection"]["rows"]
    return chosen[0] if chosen and chosen[0] < len(rows) else None


def link(
    label: str | Sequence[str],
    to: str,
    view: View,
    *,
    icon: str | None = None,
    help_text: str | None = None,
    width: int | Literal["content", "stretch"] = "content",
) -> None:
    """A link to a page with a view; the label is plain text, or several, joined by a dot.

    It stays in the tab; one in Markdown would open another, where the password is asked again.
    """
    parts = [label] if isinstance(label, str) else label
    st.page_link(
        page(to),
        label=" · ".join(plain(part) for part in parts),
        icon=icon,
        help=help_text,
        width=width,
        query_params=view.params(),
    )


def open_page(to: str, view: View) -> None:
    """Go to a page with a view, as a link would; for what was chosen in a figure or table."""
    st.switch_page(page(to), query_params=view.params())


def computed(markdown: str) -> None:
    """Answer "How was this computed?" for whoever opens it; the text is ours, in Markdown."""
    with st.expander("How was this computed?", icon=":material/function:"):
        st.markdown(markdown)


def empty(sentence: str, command: str | None = None) -> None:
    """Nothing here: why, and the command that would bring some."""
    st.info(plain(sentence), icon=":material/inbox:")
    if command:
        st.code(command, language="sh")


@contextmanager
def guarded(what: str, *, again: bool = True) -> Generator[None]:
    """Whatever goes wrong inside is told as a sentence.

    Args:
        what: was being shown, in words.
        again: look again by a timer; not in a fragment that has one, as timers may not nest.

    """
    try:
        yield
    except (BusyError, EnvironmentRefusal, UnreachableError) as error:
        said = f"The store does not answer just now ({error}). This page looks again by itself."
        st.warning(plain(cut(said, 500)), icon=":material/sync:")
        if again:
            look_again()
    except BarographError as error:
        st.error(plain(cut(f"{what} cannot be shown: {error}", 500)), icon=":material/error:")
    except Exception as error:  # noqa: BLE001 - the last resort: even a bug is told as a sentence
        said = f"{what} cannot be shown: a bug of ours ({type(error).__name__}: {error})"
        st.error(plain(cut(said, 500)), icon=":material/bug_report:")


def look_again() -> None:
    """Draw the whole page again in a moment."""
    st.session_state["looked_at_s"] = time.monotonic()
    st.fragment(_again, run_every=_RETRY_S)()


def _again() -> None:
    """The first run belongs to the page that failed, the next ones to the timer."""
    if time.monotonic() - float(st.session_state.get("looked_at_s", 0.0)) > _RETRY_S / 2:
        st.rerun()
