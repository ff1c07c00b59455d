"""Live: what is happening now?

One fragment draws everything and runs again every second; it is never nested and never left
out, because Streamlit's timers outlive fragments that are (nested ones stay on the screen, and
one that is no longer drawn has crashed the page). Pausing sets its timer to none and keeps
the moment: the view stands still, the app does not.
"""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from store.pages.live import BEGINNING, LaneRow, RecentKillRow, Wanted
from store.rows import SweepRow
from ui.explorer import frame, looking, theme
from ui.explorer import moment as words
from ui.explorer.address import KEYS, View
from ui.explorer.charts.lanes import CLICKED, lane_spec, lanes
from ui.explorer.data import sweeps
from ui.explorer.moment import Moment
from ui.explorer.views.parts import hosts
from ui.palette import LOOKS
from ui.text import UNKNOWN, ago, clock_time, mebibytes
from ui.text import moment as written

_EVERY_S: Final = 1.0
_A_PAGE: Final = (15, 30, 60, 120)
_PAGE_KEY: Final = "lanes-page"
_PHASES: Final = ("environment", "setup", "agent", "verifier", BEGINNING)
_DIGITS: Final = 4
_WINDOWS: Final = {"whole sweep": None, "last hour": 3600, "last 10 minutes": 600}
_NO_CALLS: Final = "no call is recorded: the agents make none, or nothing listens in between"
_COMPUTED: Final = """
- **Lanes** are tries that have begun and not ended. The bar is the newest sample's usage; the
  thin tick the highest interval peak since the try began (or of the last hour), the thick one
  the ceiling that was really applied. They are sorted by that peak's share of the ceiling.
- **Infra errors so far** counts outcomes that the verdict policy calls infra errors among those
  that it has judged and that count. The bound is a confidence sequence (beta mixture, Robbins):
  it holds at every look, so you may stop when you like what you see. It mixes all ceilings and
  agents and describes this sweep only.
- **Pace** is outcomes over the last two minutes; **left** is what is planned divided by it.
- **Weather**: up to 600 tries are drawn one by one, more are counted in slices that add up; kills
  are never counted into slices.
- All times are the server's, in UTC.
"""


def render() -> None:
    """Draw the page."""
    known = sweeps()
    view = View.current(known)
    frame.problems(view)
    chosen = next((row for row in known if row.sweep == view.sweep), None)
    live = _switch(view) if chosen is not None else True
    st.fragment(_draw, run_every=_EVERY_S if live else None)(chosen, view, live=live)


def _switch(view: View) -> bool:
    """The one switch; in the address it is ``live=off``."""
    # The address decides once; a default that follows it would be another switch each time.
    st.session_state.setdefault("live-on", view.live)
    with st.container(horizontal=True, horizontal_alignment="right"):
        live = st.toggle(
            "Live",
            key="live-on",
            help="Off: the view stands still at this moment; everything else goes on.",
        )
    if live:
        looking.thaw()
        st.query_params.pop("live", None)
    else:
        st.query_params["live"] = "off"
    return live


def _draw(sweep: SweepRow | None, view: View, *, live: bool) -> None:
    """The fragment."""
    with frame.guarded("What runs now", again=False):
        if sweep is None:
            _no_sweep()
            return
        top = st.container()
        wanted = _wanted(sweep, view) if looking.anything(sweep.sweep) else Wanted()
        seen = looking.look(sweep.sweep, wanted) if live else looking.frozen(sweep.sweep)
        if seen is None:
            return
        with top:
            _top(seen, view, live=live)
        if looking.anything(sweep.sweep):
            _lanes(seen, wanted, view, live=live)
        _weather(seen, view)
        frame.computed(_COMPUTED)


def _no_sweep() -> None:
    if sweeps():
        st.rerun()
    frame.answer("Nothing is happening: no sweep has been planned in this data folder")
    frame.empty("A sweep is shown here from the moment it is planned.", "barograph demo")


def _top(seen: Moment, view: View, *, live: bool) -> None:
    at = f"as of {written(seen.now_us)}"
    frame.answer(words.sentence(seen), notes=[at if live else f"frozen {at}", *words.notes(seen)])
    rate = words.infra(seen.progress)
    numbers = [
        ("Running", f"{seen.span.begun:,}", f"of {seen.campaign.concurrency or UNKNOWN} at once"),
        ("Ended", f"{seen.progress.ended:,}", f"of {seen.campaign.trials:,}"),
        ("Infra errors so far", rate.value, rate.says),
        ("Pace", words.pace(seen), "outcomes a minute, over the last two"),
        ("API latency", UNKNOWN, _NO_CALLS),
    ]
    for column, (label, value, says) in zip(st.columns([2, 2, 5, 3, 4]), numbers, strict=True):
        with column, st.container(gap=None):
            st.metric(label, value)
            st.caption(frame.plain(says))
    left, right = st.columns([1, 1], gap="large")
    with left:
        _kills(seen, view)
    with right:
        hosts(seen.hosts, seen.now_us)


def _kills(seen: Moment, view: View) -> None:
    total = seen.kills[0].kills if seen.kills else 0
    st.markdown(f"**Killed by the kernel, newest first** ({len(seen.kills)} of {total:,})")
    if not seen.kills:
        st.caption("No process was killed for memory so far.")
    for row in seen.kills:
        frame.link(_killed(row, seen.now_us), "trial", view.only(row.trial, row.try_no))


def _killed(row: RecentKillRow, now_us: int) -> str:
    """One kill in a line."""
    victim = frame.cut(row.victim or "a process", 24)
    where = " · ".join(_named(row.task, row.agent, row.condition))
    size = "" if row.ceiling_bytes is None else f" ({mebibytes(row.ceiling_bytes)} MiB)"
    mark = LOOKS["memory"].mark
    return f"{mark} {ago(now_us, row.at_us)}: {victim} · {where}{size}"


def _named(*names: str | None) -> list[str]:
    return [frame.cut(name, 28) for name in names if name is not None]


def _wanted(sweep: SweepRow, view: View) -> Wanted:
    """The filters, above the lanes; each is in the address."""
    st.markdown("**Running now, tightest against their ceiling first**")
    columns = st.columns([3, 3, 3, 3, 2])
    with columns[0]:
        text = st.text_input(
            "Task or trial", key=KEYS["text"], bind="query-params", max_chars=100, live=True
        )
    with columns[1]:
        agents = _some("Agent", "agents", sweep.agents or [], view.filters.agents)
    with columns[2]:
        conditions = _some("Ceiling", "conditions", sweep.conditions or [], view.filters.conditions)
    with columns[3]:
        phases = st.multiselect(
            "Phase", _PHASES, key="phase", bind="query-params", placeholder="all"
        )
    with columns[4]:
        most = st.selectbox("Lanes a page", _A_PAGE, key="rows", bind="query-params", index=0)
    return Wanted(
        text=text or None,
        agents=agents,
        conditions=conditions,
        phases=tuple(phases),
        most=most,
        skip=most * (_page_asked() - 1),
    )


def _some(label: str, field: str, known: list[str], asked: tuple[str, ...]) -> tuple[str, ...]:
    """Some of a list, and what the address asks for beyond it, so that it is seen to be asked."""
    options = list(dict.fromkeys([*known, *asked]))
    chosen = st.multiselect(label, options, key=KEYS[field], bind="query-params", placeholder="all")
    return tuple(chosen)


def _page_asked() -> int:
    """The page of lanes: needed before it is drawn, so the address is read for it once."""
    kept = st.session_state.get(_PAGE_KEY)
    if isinstance(kept, int):
        return max(1, kept)
    text = st.query_params.get(_PAGE_KEY, "")
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 1


def _lanes(seen: Moment, wanted: Wanted, view: View, *, live: bool) -> None:
    rows, of, skip = _page(seen, wanted, live=live)
    if not rows:
        _no_lanes(seen)
    else:
        clicked = frame.picture(
            lane_spec(lanes(rows, seen.now_us), theme.current()),
            rows,
            name="lanes",
            key="lanes",
            caption=_hidden(len(rows), of, skip, seen.span.begun),
            says=f"{len(rows)} running trials, each with its memory against its ceiling",
            selects=True,
        )
        trials = {row.trial: row.try_no for row in rows}
        for point in clicked.get(CLICKED, ()):
            trial = str(point.get("trial"))
            if trial in trials:
                frame.open_page("trial", view.only(trial, trials[trial]))
        with st.expander("Links to these trials", icon=":material/link:"):
            for row in rows:
                label = [row.trial[:6], *_named(row.task, row.agent, row.condition)]
                frame.link(label, "trial", view.only(row.trial, row.try_no), icon="")
    pages = max(1, -(-of // wanted.most))
    if pages > 1:
        st.pagination(pages, key=_PAGE_KEY, bind="query-params")


def _page(seen: Moment, wanted: Wanted, *, live: bool) -> tuple[Sequence[LaneRow], int, int]:
    """Lanes of the wanted page, how many there are on all pages, and how many come before."""
    if not live:
        left = words.matching(seen.lanes, wanted)
        skip = wanted.skip if wanted.skip < len(left) else 0
        return left[skip : skip + wanted.most], len(left), skip
    if seen.lanes or not wanted.skip:
        return seen.lanes, seen.lanes[0].matching if seen.lanes else 0, wanted.skip
    # The page that was looked at is gone, because trials ended: show the first.
    first = looking.look(seen.campaign.sweep, _first(wanted))
    return _page(first or seen, _first(wanted), live=live)


def _first(wanted: Wanted) -> Wanted:
    return Wanted(
        text=wanted.text,
        agents=wanted.agents,
        conditions=wanted.conditions,
        phases=wanted.phases,
        most=wanted.most,
    )


def _hidden(shown: int, of: int, skip: int, begun: int) -> str:
    """No lane is hidden without a count."""
    said = f"showing {shown:,} of {of:,}"
    if shown < of:
        said += f" ({skip + 1:,} to {skip + shown:,}, tightest against their ceiling first)"
    if of < begun:
        said += f"; filters leave out {begun - of:,} of {begun:,}"
    return f"{said}. Thick tick: the ceiling; thin tick: the highest peak. Click a lane to open it."


def _no_lanes(seen: Moment) -> None:
    if seen.span.begun:
        st.info(f"None of the {seen.span.begun:,} running trials matches the filters.")
    elif seen.state == "running":
        st.info("No trial runs at this moment; the next one begins soon.")
    elif seen.state == "planned":
        frame.empty("No trial has begun.", "barograph run SWEEP.toml")
    else:
        st.info("Nothing runs. What ran, and what died, is below.")


def _weather(seen: Moment, view: View) -> None:
    st.markdown("**The weather: what ran, what died, and how the hosts were**")
    last = st.segmented_control(
        "Window",
        list(_WINDOWS),
        default="whole sweep",
        required=True,
        key="last",
        bind="query-params",
    )
    found = looking.weather_of(seen, window=view.window, last_s=_WINDOWS[last or "whole sweep"])
    if found is None:
        st.info("Nothing has begun, so there is no weather yet.")
        return
    asked = found.asked
    between = f"{written(asked.from_us)} to {clock_time(asked.to_us)}"
    if not found.hosts:
        between += "; no telemetry of hosts"
    frame.picture(
        looking.picture_of(found, theme.current(), api_says=_NO_CALLS),
        found.bins or found.bars,
        name="weather",
        key="weather",
        caption=between,
        says="Host load, memory pressure, kills and trials on one time axis",
    )
