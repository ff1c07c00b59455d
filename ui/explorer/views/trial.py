"""Trial: why did this one fail?

The page's sentence names whom the kernel killed. Below it the autopsy, all lanes on one axis;
a span chosen in it (or with the slider, by keyboard) goes into the address and is read again
at its own resolution. Then the story with its evidence, the verdict and what people say
beside it, what would have been enough, and the pair. While a try runs, sentence and figure
are one fragment that looks again by itself; the forms are outside of it, so that nobody loses
what they are typing.
"""

from dataclasses import replace
from typing import Final, cast

import streamlit as st

from barograph.clock import US_PER_S
from store.pages.trials import Wanted
from store.pages.trials import page as trials_page
from store.rows import SweepRow, TrialRow
from ui.explorer import frame, theme
from ui.explorer.address import View
from ui.explorer.charts import autopsy, autopsy_rest
from ui.explorer.charts.autopsy_shown import Autopsy
from ui.explorer.charts.base import record
from ui.explorer.data import cached, data, sweeps
from ui.explorer.once import once
from ui.explorer.telling import facts as gathered
from ui.explorer.telling import paired, parts, words
from ui.explorer.telling.facts import Facts
from ui.palette import CAUSE_HUES
from ui.text import UNKNOWN

_EVERY_S: Final = 2.0
_SHORTEST_S: Final = 0.5
_MOST_ROWS: Final = 1000
_WHOLE_ID: Final = 12
_PEAK_KINDS: Final = {
    1: "peaks are the kernel's since the sandbox began, not those of each second",
    2: "peaks are the highest that polling saw: lower bounds",
}
_COMPUTED: Final = """
- **Memory**: the area is usage at each read; where a slice of the figure holds several samples,
  its mean, with a band from the lowest to the highest. The line is the highest peak between two
  reads, by the kernel's own counter. At most 1,000 slices are drawn; a narrower span is read
  again, down to single samples. Kills are never cut into slices.
- **Ceiling** (solid) and **floor** (dotted) are what was really applied; the **spec** is the tick
  at the left. An open circle is a peak that the ceiling cut off.
- **CPU** and **pressure** are changes of the kernel's counters over each slice's time.
- **Neighbours** are other tries of this store that ran on the same host; their kills are marks.
- The **verdict** follows from the evidence of this try alone, by the policy named beside it.
- All times are from the writers' clocks, in UTC.
"""

_killed = cached(trials_page)


def render() -> None:
    """Draw the page."""
    known = sweeps()
    view = View.current(known)
    frame.problems(view)
    sweep = next((one for one in known if one.sweep == view.sweep), None)
    if sweep is None:
        frame.answer("There is no trial: no sweep was planned in this data folder")
        frame.empty("A trial can be looked at as soon as it has begun.", "barograph demo")
        return
    row = _found(view)
    if row is None:
        _choose(view, sweep)
        return
    view = replace(view, sweep=row.sweep, trial=row.trial)
    facts = gathered.gather(row, view.try_no)
    live = facts.running and view.live
    st.fragment(_top, run_every=_EVERY_S if live else None)(row, view)
    shown = gathered.autopsy(facts, view.window)
    left, right = st.columns([3, 2], gap="large")
    with left:
        parts.story(facts, view)
    with right:
        parts.verdict(facts)
        words.show(facts, shown)
        parts.saved(facts, view)
        parts.harness(facts)
    paired.show(facts, view)
    parts.elsewhere(facts, view, sweep.conditions or ())
    _evidence(facts)
    frame.computed(_COMPUTED)


def _found(view: View) -> TrialRow | None:
    """The trial that the address names: by its id, or by what is like nothing else."""
    if view.trial is None:
        return None
    row = gathered.head(view.trial) if len(view.trial) == _WHOLE_ID else None
    if row is not None:
        return row
    found = data().reader.trials_called(view.trial, sweep=view.sweep)
    return found[0] if len(found) == 1 else None


def _choose(view: View, sweep: SweepRow) -> None:
    """No trial, or none that is known: which ones there are."""
    if view.trial is None:
        frame.answer("Which trial? None is named in this address")
    else:
        frame.answer(f"There is no one trial called {frame.cut(view.trial, 40)!r} here")
    causes = tuple(cause for cause, hue in CAUSE_HUES.items() if hue == "memory")
    killed = _killed(Wanted(sweep=sweep.sweep, causes=causes, most=12))
    if killed:
        st.markdown("The latest that died for memory:")
    for one in killed:
        victim = frame.cut(one.kill_victim or "a process", 24)
        where = ", ".join(frame.cut(x, 30) for x in (one.task, one.contestant, one.condition))
        frame.link(f"{victim} in {where}", "trial", view.only(one.trial))
    frame.link("All trials", "trials", View(sweep=sweep.sweep), icon=":material/table_rows:")


def _top(row: TrialRow, view: View) -> None:
    """Sentence and figure; a fragment of its own while the try runs."""
    with frame.guarded("This trial"):
        fresh = gathered.head(row.trial) or row
        facts = gathered.gather(fresh, view.try_no)
        was_running = st.session_state.get("trial-ran") == (row.trial, facts.begun.try_no)
        if facts.running:
            st.session_state["trial-ran"] = (row.trial, facts.begun.try_no)
        elif was_running:
            # It has ended since: the rest of the page has something to say now.
            del st.session_state["trial-ran"]
            st.rerun()
        named = any(kill.try_no == facts.begun.try_no for kill in facts.story.kills)
        frame.answer(
            parts.answer(facts),
            more=[facts.told.answer] if named else [],
            notes=parts.notes(facts),
        )
        parts.tries(facts, view)
        if view.window is not None and gathered.span(facts, view.window) == gathered.span(
            facts, None
        ):
            st.caption("The span in this address is not within the try: all of it is shown.")
        _figure(facts, view)


def _figure(facts: Facts, view: View) -> None:
    shown = gathered.autopsy(facts, view.window)
    if not shown.slices and not shown.kills and not shown.phases and not shown.commands:
        frame.empty("Nothing is known of this try but that it began: there is nothing to draw.")
        return
    key = f"autopsy-{facts.told.trial}-{facts.told.try_no}-{shown.low_us}-{shown.high_us}"
    if facts.running:
        key = f"autopsy-{facts.told.trial}-{facts.told.try_no}"
    look = theme.current()
    chosen = frame.figure(
        once(look, autopsy.figure, shown, look),
        _rows(shown),
        name=f"trial-{facts.told.trial}",
        key=key,
        title=parts.answer(facts),
        caption=_caption(facts, shown),
        says=parts.answer(facts),
        selects=True,
    )
    _zoom(facts, view, shown)
    ends = next((next(iter(one.values())) for one in chosen.get(autopsy.WINDOW, ())), None)
    if ends is not None:
        span = autopsy.span_of(cast("list[float]", ends), shown)
        if span is not None:
            _look_at(span)


def _rows(shown: Autopsy) -> list[dict[str, object]]:
    """The slices as they are downloaded, with the kills of each beside it."""
    rows: list[dict[str, object]] = []
    for one in shown.slices:
        victims = [
            kill.victim_comm or UNKNOWN
            for kill in shown.kills
            if one.first_t_us < kill.t_us <= one.t_us
        ]
        rows.append(record(one) | {"kills": ", ".join(victims)})
    return rows


def _caption(facts: Facts, shown: Autopsy) -> str:
    said: list[str] = []
    if shown.limits.cut_off:
        said.append("○ the ceiling cut the peak off: how much more was wanted does not show")
    killed = [kill.exec_ordinal for kill in shown.kills if kill.exec_ordinal is not None]
    _, left_out = autopsy_rest.drawn_commands(shown.commands, killed, shown.low_us, shown.high_us)
    if left_out:
        said.append(f"{left_out:,} shorter commands are not drawn")
    kinds = {one.peak_kind for one in shown.slices}
    said += [words for kind, words in _PEAK_KINDS.items() if kind in kinds]
    if len(shown.slices) == 1:
        said.append("one sample only")
    said += autopsy.missing(shown)
    if facts.running:
        said.append("it runs: what is here is what is known so far")
    return "; ".join(said)


def _zoom(facts: Facts, view: View, shown: Autopsy) -> None:
    """Another span, by keyboard or at a click; dragging in the figure does the same."""
    whole_s = (facts.end_us - facts.start_us) / US_PER_S
    if whole_s < 2 * _SHORTEST_S or facts.running:
        return
    low, high = ((at - facts.start_us) / US_PER_S for at in (shown.low_us, shown.high_us))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.slider(
            "Seconds shown",
            0.0,
            whole_s,
            (low, high),
            step=max(0.1, round(whole_s / 500, 1)),
            format="%.1f",
            key=f"span-{facts.told.trial}-{facts.told.try_no}-{shown.low_us}-{shown.high_us}",
            width=420,
        )
        one = view.only(facts.told.trial, facts.told.try_no)
        if shown.kills:
            at = shown.kills[0].t_us
            around = (at - 2 * US_PER_S, at + US_PER_S)
            frame.link("Around the kill", "trial", replace(one, window=around))
        if (shown.low_us, shown.high_us) != (facts.start_us, facts.end_us):
            frame.link("The whole try", "trial", one)
    if chosen != (low, high) and chosen[1] - chosen[0] >= _SHORTEST_S:
        begin, end = (facts.start_us + round(at * US_PER_S) for at in chosen)
        _look_at((begin, end))


def _look_at(span: tuple[int, int]) -> None:
    """Put a span into the address and draw it."""
    text = f"{span[0]}-{span[1]}"
    if st.query_params.get("window") != text:
        st.query_params["window"] = text
        st.rerun()


def _evidence(facts: Facts) -> None:
    """The events behind the sentences, as rows."""
    number = facts.begun.try_no
    story = facts.story
    groups: dict[str, list[object]] = {
        "Kills": [one for one in story.kills if one.try_no == number],
        "Commands": [one for one in story.execs if one.try_no == number],
        "Phases": [one for one in story.phases if one.try_no == number],
        "Sandbox": [one for one in story.sandboxes if one.try_no == number],
        "States": [one for one in story.states if one.try_no == number],
        "Counters": [one for one in story.sandbox_ends if one.try_no == number],
        "End": [one for one in story.ends if one.try_no == number],
    }
    kept = {name: rows for name, rows in groups.items() if rows}
    if not kept:
        return
    with st.expander("The events behind the sentences", icon=":material/receipt_long:"):
        for (name, rows), tab in zip(kept.items(), st.tabs(list(kept)), strict=True):
            with tab:
                if len(rows) > _MOST_ROWS:
                    st.caption(f"The first {_MOST_ROWS:,} of {len(rows):,}.")
                frame.table(
                    rows[:_MOST_ROWS],
                    name=f"trial-{facts.told.trial}-{name.lower()}",
                    key=f"events-{facts.told.trial}-{name.lower()}",
                )
