"""Trials: which ones, and what went wrong?

What is filtered, sorted and paged is the store's work; the browser gets one page. Filters are
in the address under the names that every page uses, so that a link from a figure opens this
list as it was meant. A row leads to its trial twice: by choosing it, and by an ordinary link,
which can be opened in a tab of its own, copied and sent.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from store.pages import trials as asked
from store.pages.trials import MOST_ROWS, SORTS, CauseCount, ListedTrial, Sort, Wanted
from store.rows import SweepRow
from ui.explorer import frame, listing, theme
from ui.explorer.address import KEYS, View
from ui.explorer.charts.cells import BAR_PX
from ui.explorer.data import cached, sweeps

_PAGES: Final = (50, 100, 250, MOST_ROWS)
_ORDERS: Final[dict[Sort, str]] = {
    "started": "began",
    "cause": "ended in",
    "task": "task",
    "agent": "agent",
    "ceiling": "ceiling",
    "attempt": "attempt",
    "peak": "peak",
    "share": "peak / ceiling",
    "kills": "kills",
    "victim": "victim",
    "reward": "reward",
    "duration": "duration",
}
_WAYS: Final = {"down": "highest, latest first", "up": "lowest, earliest first"}
_COMPUTED: Final = """
- A trial is shown by its **outcome**, the first try that stands; one without an outcome by its
  latest try.
- **Ended in** is the cause that the verdict policy gives, from the evidence of that try alone
  (docs/verdicts.md).
- **Peak** is the highest memory ever charged to the sandbox, by the kernel's own counter. At 99%
  of the ceiling or above it was cut off: the bar ends open and the number is a lower bound.
- **Memory** shows usage as an area with the interval peak as a line above it, from the try's
  beginning to its end; the horizontal line is the ceiling (left out where it is more than three
  times the peak), a red mark a kill at its moment.
"""

_page = cached(asked.page)
_causes = cached(asked.causes)
_sparks = cached(asked.sparks)
_kills = cached(asked.kill_moments)


def render() -> None:
    """Draw the page."""
    view = View.current(sweeps())
    frame.problems(view)
    row = next((one for one in sweeps() if one.sweep == view.sweep), None)
    if row is None:
        frame.answer("There is no trial: no sweep was planned in this data folder")
        frame.empty("Trials are listed here as soon as a sweep has begun.", "barograph demo")
        return
    top = st.container()
    wanted = _filters(row, view)
    counts = _causes(replace(wanted, causes=(), most=0))
    wanted = replace(wanted, causes=_chips(counts, view))
    kept = [one for one in counts if not wanted.causes or one.ended_in in wanted.causes]
    total = sum(one.trials for one in kept)
    with top:
        _answer(row, wanted, kept, total)
    if total == 0:
        _nothing(view, wanted)
        return
    wanted = _order_and_page(wanted, total)
    rows = _page(wanted)
    if chosen := _table(rows, view, wanted, total):
        frame.open_page("trial", view.only(chosen.trial, chosen.try_no))
    frame.computed(_COMPUTED)


def _answer(row: SweepRow, wanted: Wanted, kept: list[CauseCount], total: int) -> None:
    notes = [row.name, f"{row.trials:,} planned"]
    if wanted.agents or wanted.conditions or wanted.tasks or wanted.causes or wanted.text:
        notes.append("filtered")
    versions = {one.policy_version for one in _page(replace(wanted, most=1))} - {None}
    notes += [f"computed under policy {version}" for version in versions]
    waiting = sum(one.trials for one in kept if one.ended_in == asked.UNJUDGED)
    if waiting:
        notes.append(f"{waiting:,} ended and are not judged yet")
    frame.answer(listing.sentence(kept) if total else "No trial fits", notes=notes)


def _nothing(view: View, wanted: Wanted) -> None:
    if wanted != Wanted(sweep=wanted.sweep):
        st.info("Nothing fits all of these filters.", icon=":material/filter_alt_off:")
        frame.link("Show all trials", "trials", View(sweep=view.sweep), icon=":material/undo:")
        return
    frame.empty("No trial of this sweep has begun yet.", "barograph status")


def _filters(row: SweepRow, view: View) -> Wanted:
    """Text, agents, conditions and tasks; each is in the address."""
    text, agents, conditions, tasks = st.columns([3, 2, 2, 3])
    with text:
        said = st.text_input(
            "Task, trial, victim or command",
            key=KEYS["text"],
            bind="query-params",
            max_chars=100,
            placeholder="python3",
        )
    with agents:
        some_agents = _choice("Agent", "agents", row.agents or [], view.filters.agents)
    with conditions:
        known = row.conditions or []
        some_conditions = _choice("Ceiling", "conditions", known, view.filters.conditions)
    with tasks:
        some_tasks = _choice("Task", "tasks", sorted(row.tasks), view.filters.tasks)
    return Wanted(
        sweep=row.sweep,
        agents=some_agents,
        conditions=some_conditions,
        tasks=some_tasks,
        text=said or None,
    )


def _choice(
    label: str, field: str, known: list[str], asked_for: tuple[str, ...]
) -> tuple[str, ...]:
    """Some of a list; what the address names may be more than the plan knows (models)."""
    options = list(dict.fromkeys([*known, *asked_for]))
    chosen = st.multiselect(
        label,
        options,
        key=KEYS[field],
        bind="query-params",
        placeholder="all",
    )
    return tuple(chosen)


def _chips(counts: tuple[CauseCount, ...], view: View) -> tuple[str, ...]:
    """What trials ended in, with counts, to choose from."""
    known = {one.ended_in: one.trials for one in counts}
    options = list(dict.fromkeys([*known, *view.filters.causes]))
    if not options:
        return ()
    asked_for = view.filters.causes
    # By hand, because a bound widget writes its labels into the address, and these have counts.
    # Under a key with what the address says, a link that says something else is obeyed.
    key = f"causes-{'|'.join(asked_for)}"
    chosen = st.pills(
        "Ended in",
        options,
        selection_mode="multi",
        default=asked_for,
        key=key,
        format_func=lambda end: f"{frame.plain(listing.chip_of(end), 40)} {known.get(end, 0):,}",
    )
    if tuple(chosen) != asked_for:
        st.query_params[KEYS["causes"]] = chosen
        st.rerun()
    return asked_for


def _order_and_page(wanted: Wanted, total: int) -> Wanted:
    """Sorting and paging, both in the address."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sort = st.selectbox(
            "Sort by",
            list(_ORDERS),
            format_func=lambda one: _ORDERS[one],
            key="sort",
            bind="query-params",
            width=170,
        )
        down = st.selectbox(
            "Order",
            list(_WAYS),
            format_func=lambda way: _WAYS[way],
            key="order",
            bind="query-params",
            width=200,
        )
        most = st.selectbox("A page has", _PAGES, key="rows", bind="query-params", width=110)
        pages = -(-total // most)
        number = 1
        if pages > 1:
            number = st.number_input(
                f"Page of {pages:,}",
                min_value=1,
                max_value=pages,
                key="page",
                bind="query-params",
                width=150,
            )
    known: Sort = sort if sort in SORTS else "started"
    skip = (number - 1) * most
    return replace(wanted, sort=known, descending=down == "down", most=most, skip=skip)


def _table(
    rows: tuple[ListedTrial, ...], view: View, wanted: Wanted, total: int
) -> ListedTrial | None:
    look = theme.current()
    shown = listing.lines(rows, _sparks(rows), _kills(rows), view, look)
    first, last = wanted.skip + 1, wanted.skip + len(rows)
    st.caption(
        f"{first:,} to {last:,} of {total:,}. Choose a row to open the trial, "
        "or follow its link to open it beside."
    )
    place = frame.table(
        shown,
        name="trials",
        key="trials-table",
        data=rows,
        selects=True,
        height=min(38 + 35 * len(shown), 740),
        columns=_columns(rows, look),
    )
    return None if place is None else rows[place]


def _columns(rows: tuple[ListedTrial, ...], look: theme.Theme) -> dict[str, object]:
    column = st.column_config
    ends = sorted({row.cause or row.state for row in rows})
    return {
        "trial": column.LinkColumn(
            "trial", display_text=r"trial=(\w{6})", help="its page, in a tab of its own", width=70
        ),
        "ended": column.MultiselectColumn(
            "ended in",
            options=[listing.chip_of(end) for end in ends],
            color=listing.chip_colours(ends, look),
            width=150,
        ),
        "task": column.TextColumn("task", width=150),
        "agent": column.TextColumn("agent", width=80),
        "ceiling": column.TextColumn("ceiling", width=80),
        "attempt": column.NumberColumn("try", help="attempt", width=40),
        "peak": column.TextColumn("peak, MiB", width=80, alignment="right"),
        "held": column.ImageColumn(
            "peak / ceiling", help="open: the ceiling cut the peak off", width=BAR_PX[0] + 18
        ),
        "memory": column.ImageColumn("memory over time", width=BAR_PX[0] + 18),
        "victim": column.TextColumn("killed", width=90),
        "kills": column.NumberColumn("kills", width=50),
        "reward": column.NumberColumn("reward", format="%.2f", width=65),
        "duration": column.NumberColumn("s", help="duration, seconds", format="%.1f", width=60),
    }
