"""Overview: what did the ceilings do to this sweep?

The verdict of the report is the page's sentence; the curve shows it; the causes say why;
the two figures in points say where the gain comes from and what it must be held against.
Everything is computed from the cell table, so the page costs the same for any number of
trials. While the sweep runs the page draws itself again every few seconds.
"""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from analysis.errors import NoTrialsError
from analysis.result import FRAME_WORDS, Frame
from analysis.sweep_report import SweepAnalysis
from analysis.wording import count
from barograph.errors import BarographError
from barograph.units import format_bytes
from store.pages import overview
from store.pages.overview import KilledTrial, SweepProgress
from store.rows import SweepRow
from ui.explorer import frame, overview_rows, theme
from ui.explorer.address import Filters, View
from ui.explorer.analysed import Found, analysed, cells, conditions_of
from ui.explorer.charts.base import record
from ui.explorer.charts.budget import budget, gains
from ui.explorer.charts.curve import infra_errors, scores
from ui.explorer.charts.outcomes import outcomes
from ui.explorer.data import cached, data, sweeps
from ui.explorer.once import once
from ui.explorer.views.parts import whose
from ui.palette import hue_of
from ui.reports.numbers import p_cell

_AGAIN_S: Final = 3.0
_WAITING_S: Final = 1.0
_MOST_KILLS: Final = 6
_MOST_PANELS: Final = 12
_FRAMES: Final[dict[str, Frame]] = {
    "these tasks": "these_tasks",
    "tasks like these": "tasks_like_these",
}

_causes = cached(overview.causes)
_ceilings = cached(overview.ceilings)
_progress = cached(overview.progress)
_overridden = cached(overview.overridden)
_kills = cached(overview.newest_kills)


def render() -> None:
    """Draw the page."""
    rows = sweeps()
    view = View.current(rows)
    frame.problems(view)
    row = next((each for each in rows if each.sweep == view.sweep), None)
    if row is None:
        frame.empty("There is no sweep in this data folder yet.", "barograph demo --small")
        frame.look_again()
        return
    # Both end by themselves: what they wait for draws the whole page again, without them.
    every = _AGAIN_S if _runs(row) else _WAITING_S if _waits(row) else None
    st.fragment(_page, run_every=every)(view, every)


def _runs(row: SweepRow) -> bool:
    return row.finished_t_us is None and row.standing < row.trials


def _waits(row: SweepRow) -> bool:
    """Whether the analysis of what is counted by now is still being made."""
    try:
        found = analysed(row)
    except BarographError:
        return False  # told where the page is drawn
    return found is None or not found.current


def _page(view: View, every: float | None) -> None:
    with frame.guarded("Overview", again=every is None):
        row = next(each for each in sweeps() if each.sweep == view.sweep)
        if every is not None and not _runs(row) and not _waits(row):
            st.rerun()
        try:
            found = analysed(row)
        except NoTrialsError:
            _nothing_yet(row)
            return
        progress = _progress(row.sweep)
        if found is None:
            notes = [row.name, *overview_rows.notes(row, progress, None)]
            frame.answer("The tests behind the verdict are being made.", notes=notes)
            _outcomes(row, conditions_of(row, cells(row.sweep)))
            _newest(view, row)
            return
        _whole(view, row, progress, found)


def _nothing_yet(row: SweepRow) -> None:
    notes = overview_rows.notes(row, _progress(row.sweep), None)
    frame.answer("No trial has an outcome yet.", notes=notes)
    frame.empty(
        "There is nothing to compare before trials end.",
        f"barograph status --dir {data().options.folder}",
    )


def _whole(view: View, row: SweepRow, progress: SweepProgress, found: Found) -> None:
    analysis = found.analysis
    first, verdict, beside = overview_rows.clauses(analysis)
    notes = [row.name, *overview_rows.notes(row, progress, analysis)]
    if not found.current:
        notes.append(f"tests as of {count(analysis.n_trials, 'trial')}; newer ones are being made")
    frame.answer(first, more=verdict, notes=notes)
    which = _frame()
    whose(_overridden(row.sweep))
    _curve(row, analysis, which)
    _numbers(analysis, which)
    for said in beside:
        st.markdown(frame.plain(frame.tame(said)))
    _outcomes(row, analysis.conditions)
    _newest(view, row)
    _points(row, analysis)
    _method()


def _frame() -> Frame:
    chosen = st.segmented_control(
        "Intervals for",
        list(_FRAMES),
        default="these tasks",
        required=True,
        key="frame",
        bind="query-params",
        help="These tasks: only attempts would differ. Tasks like these: the tasks would, too.",
    )
    return _FRAMES[chosen or "these tasks"]


def _curve(row: SweepRow, found: SweepAnalysis, which: Frame) -> None:
    points = overview_rows.curve_points(found, which)
    parts = overview_rows.infra_parts(points, _causes(row.sweep))
    known = {each.condition: each.multiple for each in _ceilings(row.sweep)}
    axis = theme.ceiling_axis(overview_rows.multiples(known, found.conditions))
    look = theme.current()
    shown = found.agents[:_MOST_PANELS]
    frame.figure(
        [
            (
                once(
                    look,
                    scores,
                    agent,
                    points,
                    axis=axis,
                    look=look,
                    shape=theme.shape_of(agent, found.agents),
                ),
                once(look, infra_errors, agent, points, parts, axis=axis, look=look),
            )
            for agent in shown
        ],
        points,
        name=f"{row.name}-curve",
        key="curve",
        title=found.verdict,
        caption=_curve_caption(found, which),
        says="Score and infra errors of an agent against the memory ceiling",
    )


def _curve_caption(found: SweepAnalysis, which: Frame) -> str:
    hidden = len(found.agents) - _MOST_PANELS
    more = f" {hidden} more agents are in the data." if hidden > 0 else ""
    return f"Lines are 95% intervals for {FRAME_WORDS[which]}; n counts trials.{more}"


def _numbers(found: SweepAnalysis, which: Frame) -> None:
    rows = overview_rows.numbers(found, which)
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    shown = [
        {
            **record(row),
            "ceiling": frame.cut(row.ceiling, 24),
            "infra_p": p_cell(row.infra_p),
            "change_p": p_cell(row.change_p),
        }
        for row in rows
    ]
    frame.table(
        shown,
        data=rows,
        name="ceilings",
        key="numbers",
        columns={
            "ceiling": "ceiling",
            "trials": number("trials", format="localized"),
            "infra": number("infra errors %", format="%.1f"),
            "infra_ci": text("95% CI", alignment="right"),
            "infra_p": text("p (Holm)", alignment="right"),
            "score": number("score %", format="%.1f"),
            "score_ci": text("95% CI", alignment="right"),
            "change": number(f"points vs {frame.cut(found.reference, 20)}", format="%+.1f"),
            "change_ci": text("95% CI", alignment="right"),
            "change_p": text("p (Holm)", alignment="right"),
        },
    )
    said = f"All agents together, {FRAME_WORDS[which]}. {overview_rows.methods(rows)}"
    st.caption(frame.plain(said))


def _outcomes(row: SweepRow, conditions: Sequence[str]) -> None:
    st.markdown("##### What became of the trials")
    causes = _causes(row.sweep)
    agents = overview_rows.in_order(causes, row.agents or [])
    parts = overview_rows.outcome_parts(causes, agents, conditions)
    look = theme.current()
    frame.figure(
        [once(look, outcomes, agent, parts, conditions, look) for agent in agents[:_MOST_PANELS]],
        parts,
        name=f"{row.name}-outcomes",
        key="outcomes",
        title=f"What became of the trials of {row.name}",
        caption="A number counts trials; hover for their causes.",
    )


def _newest(view: View, row: SweepRow) -> None:
    kills = _kills(row.sweep, _MOST_KILLS)
    if not kills:
        return
    st.markdown("##### Ended by their ceiling, newest first")
    for place, column in enumerate(st.columns(2)):
        with column:
            for kill in kills[place::2]:
                frame.link(
                    _kill(kill),
                    "trial",
                    view.only(kill.trial, kill.try_no),
                    icon=":material/memory_alt:",
                )
    ended = [each for each in _causes(row.sweep) if hue_of(each.cause) == "memory"]
    trials = sum(each.trials for each in ended)
    if trials > len(kills):
        filters = Filters(causes=tuple(sorted({each.cause for each in ended})))
        label = f"all {trials:,} trials that memory ended"
        frame.link(label, "trials", view.filtered(filters), icon=":material/table_rows:")


def _kill(kill: KilledTrial) -> list[str]:
    victim = frame.cut(kill.kill_victim or "a process", 16)
    return [
        frame.cut(kill.task, 20),
        frame.cut(kill.agent, 12),
        frame.cut(kill.condition, 10),
        f"{victim} killed at {format_bytes(kill.ceiling_bytes)}",
    ]


def _points(row: SweepRow, found: SweepAnalysis) -> None:
    look = theme.current()
    left, right = st.columns(2)
    parts, noise = overview_rows.gain_parts(found), overview_rows.noise_parts(found)
    with left:
        if parts:
            st.markdown("##### Where the gain comes from")
            steps = list(dict.fromkeys(part.step for part in parts))
            frame.figure(
                once(look, gains, parts, steps, look),
                parts,
                name=f"{row.name}-gain",
                key="gain",
                title=f"Where the change of the score of {row.name} comes from",
                caption="95% intervals for tasks like these.",
            )
    with right:
        if noise:
            st.markdown("##### Noise budget: how far the score moves by itself")
            frame.figure(
                once(look, budget, noise, look),
                noise,
                name=f"{row.name}-noise",
                key="noise",
                title=f"Noise budget of {row.name}",
                caption="What hours and hosts add is not separated yet.",
            )


def _method() -> None:
    frame.computed(
        "A trial counts by its first try that stands. An **infra error** is not solved in the "
        "score; what a suspect counts as is in `barograph report`. Rates are means over tasks "
        "(these tasks) or pooled (tasks like these). p: exact stratified test by task and agent, "
        "or sign-flip by task; Holm over the ceilings. The gain is split by coupling attempts "
        "within task and agent, so that its two parts add up to the change exactly. All of it is "
        "in `docs/statistics.md`, and every record in `barograph report --json`."
    )
