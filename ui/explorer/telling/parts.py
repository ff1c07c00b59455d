"""The sentences of the page Trial, each with the events that it rests on."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, cast

import streamlit as st

from analysis.wording import count
from barograph.clock import US_PER_S
from barograph.units import format_bytes
from store.pages.trial import JudgedRow
from store.story import EndRow, KillRow
from ui.explorer import frame
from ui.explorer.address import Filters, View
from ui.explorer.telling.facts import Facts
from ui.explorer.theme import chip
from ui.palette import LOOKS, look_of
from ui.stories.said import Said
from ui.stories.trial import COUNTS_AS
from ui.text import UNKNOWN, after, moment

_AROUND_US: Final = 2 * US_PER_S
_MOST_SENTENCES: Final = 60
_CHARS: Final = 400
_WHEN_PX: Final = 84
_MOST_CEILINGS: Final = 10
_MOST_CONTESTANTS: Final = 12
_MOST_MARKS: Final = 12
_MOST_LINKS: Final = 60
"""Of marks. With more of them, which no browser draws at once, those of a ceiling are one link."""
_HARNESSES: Final = "What other harnesses would have called it is not computed yet."


def answer(facts: Facts) -> str:
    """The page's sentence: whom the kernel killed, or how else it ended."""
    number = facts.begun.try_no
    kills = [kill for kill in facts.story.kills if kill.try_no == number]
    if not kills:
        return facts.told.answer
    first = kills[0]
    limit = first.limit_bytes or facts.told.memory.ceiling_bytes
    victims = list(dict.fromkeys(frame.cut(_victim(kill), 40) for kill in kills))
    who = victims[0] if len(victims) == 1 else f"{', '.join(victims[:-1])} and {victims[-1]}"
    times = f", {len(kills)} times" if len(kills) > len(victims) else ""
    whose = "a ceiling above its own" if first.by_parent else "its memory ceiling"
    at = "" if limit is None else f" of {format_bytes(limit)}"
    when = after(first.t_us, facts.start_us).removeprefix("+")
    return f"The kernel killed {who}{times} at {whose}{at}, {when} into the try"


def _victim(kill: KillRow) -> str:
    return kill.victim_comm or "a process"


def story(facts: Facts, view: View) -> None:
    """What happened, in order of time; each time leads to its seconds in the figure."""
    st.markdown("#### What happened")
    st.caption("A time leads to the seconds around it, in the figure above.")
    happened = facts.told.happened
    _sentences(happened[:_MOST_SENTENCES], facts, view)
    if len(happened) > _MOST_SENTENCES:
        st.caption(f"{len(happened) - _MOST_SENTENCES:,} more sentences are left out.")
    st.markdown("#### Memory")
    _sentences(facts.told.memory.said, facts, view)


def _sentences(all_said: Sequence[Said], facts: Facts, view: View) -> None:
    """Each with its evidence; one of a moment begins with a link to the seconds around it."""
    untimed: list[str] = []
    for said in all_said:
        words = frame.plain(said.text, _CHARS)
        if said.hue is not None:
            words = f"**{LOOKS[said.hue].mark}** {words}"
        if said.evidence:
            words += f" :small[:gray[{frame.plain(', '.join(said.evidence))}]]"
        if said.t_us is None:
            untimed.append(f"- {words}")
            continue
        window = (max(0, said.t_us - _AROUND_US), said.t_us + _AROUND_US)
        to = replace(view, trial=facts.told.trial, try_no=facts.told.try_no, window=window)
        with st.container(horizontal=True, gap=None):
            # A space that does not break: a time and its unit stay together.
            when = after(said.t_us, facts.start_us).replace(" ", "\u00a0")
            frame.link(when, "trial", to, icon="", width=_WHEN_PX)
            with st.container():
                st.markdown(words)
    if untimed:
        st.markdown("\n".join(untimed))


def verdict(facts: Facts) -> None:
    """The policy's verdict, what it rests on, and under which policy it was computed."""
    st.markdown("#### Verdict")
    said = facts.told.verdict
    if said is None:
        st.caption("There is no verdict before the try has ended.")
        return
    counts = COUNTS_AS[said.counts_as]
    st.markdown(
        f"**{frame.plain(chip(said.cause))}** · {said.family}, {said.confidence} · "
        f"counts as {frame.plain(counts)}"
    )
    lines = [f"- {frame.plain(item.sentence(), _CHARS)}" for item in said.evidence]
    if said.also:
        lines.append(f"- also held: {frame.plain(', '.join(said.also))}")
    if lines:
        st.markdown("\n".join(lines))
    here = ", judged on this page: the store has not got to it yet" if facts.judged_here else ""
    st.caption(
        frame.plain(
            f"computed under policy {said.policy_version} ({said.policy_digest[:12]}), "
            f"evidence {said.evidence_digest[:8]}{here}"
        )
    )


def saved(facts: Facts, view: View) -> None:
    """What ceiling would have been enough."""
    st.markdown("#### What would have saved it")
    if not facts.told.enough.said:
        st.caption("Memory did not end it, so no ceiling would have.")
        return
    _sentences(facts.told.enough.said, facts, view)


def harness(facts: Facts) -> None:
    """The raw facts that a harness sees, without a verdict of its own."""
    st.markdown("#### What the harness saw")
    end = next((one for one in facts.story.ends if one.try_no == facts.begun.try_no), None)
    if end is None:
        st.caption("The try has not ended.")
        return
    st.markdown("\n".join(f"- {frame.plain(line, _CHARS)}" for line in _raw(end)))
    st.caption(_HARNESSES)


def _raw(end: EndRow) -> list[str]:
    ran = {True: "ran", False: "did not run", None: "is not known to have run"}[end.verifier_ran]
    codes = ", ".join(
        f"{who} exit {UNKNOWN if code is None else code}"
        for who, code in (
            ("agent", end.agent_exit),
            ("sandbox", end.sandbox_exit),
            ("verifier", end.verifier_exit),
        )
    )
    lines = [f"the try ended: {end.how}", codes, f"the verifier {ran}"]
    rewards = cast("dict[str, object]", json.loads(end.rewards or "{}"))
    given = ", ".join(f"{key} {value}" for key, value in rewards.items())
    lines.append(f"reward: {given or 'none'}")
    raised = cast("list[dict[str, object]]", json.loads(end.exceptions or "[]"))
    lines += [f"{one.get('type')}: {one.get('message')}" for one in raised]
    if end.timed_out_phase is not None:
        lines.append(f"out of time in phase {end.timed_out_phase}")
    return lines


def elsewhere(facts: Facts, view: View, conditions: Sequence[str]) -> None:
    """The same task under every ceiling: a mark a try, each a link to it, or all of a ceiling."""
    st.markdown("#### The same task under every ceiling")
    shown = [one for one in facts.siblings if one.row.outcome]
    present = {one.row.condition for one in shown}
    names = [name for name in conditions if name in present]
    names += sorted(present - set(names))
    if not names:
        st.caption("No try of this task has ended yet.")
        return
    hidden = len(names) - _MOST_CEILINGS
    names = names[:_MOST_CEILINGS]
    widths = [2, *(1 for _ in names)]
    for column, name in zip(st.columns(widths)[1:], names, strict=True):
        column.markdown(f"**{frame.plain(name, 20)}**")
    groups = [
        (contestant, list(group))
        for contestant, group in groupby(sorted(shown, key=_contestant), key=_contestant)
    ]
    for contestant, mine in groups[:_MOST_CONTESTANTS]:
        first, *cells = st.columns(widths, vertical_alignment="center")
        first.markdown(frame.plain(contestant, 40))
        for cell, name in zip(cells, names, strict=True):
            with cell, st.container(horizontal=True, gap=None, vertical_alignment="center"):
                _marks(mine, name, facts, view, single=len(shown) <= _MOST_LINKS)
    used = {look_of(one.cause) for one in shown}
    legend = [f"{look.mark} {look.words}" for look in LOOKS.values() if look in used]
    legend.append("[ ] this trial")
    legend += [f"{hidden:,} more ceilings"] if hidden > 0 else []
    rest = len(groups) - _MOST_CONTESTANTS
    legend += [f"{rest:,} more agents"] if rest > 0 else []
    st.caption(frame.plain(" · ".join(legend)))


def _marks(
    judged: Sequence[JudgedRow], condition: str, facts: Facts, view: View, *, single: bool
) -> None:
    """A mark an attempt, each a link to it, or all together to the list of them."""
    here = sorted(
        (one for one in judged if one.row.condition == condition), key=lambda one: one.row.attempt
    )
    if here and not single:
        marks = [
            f"[{look_of(one.cause).mark}]"
            if one.row.trial == facts.told.trial
            else look_of(one.cause).mark
            for one in here[:_MOST_MARKS]
        ]
        filters = Filters(
            tasks=(facts.told.task,), agents=(_contestant(here[0]),), conditions=(condition,)
        )
        said = f"{count(len(here), 'attempt')} at {frame.plain(condition, 20)}"
        frame.link(" ".join(marks), "trials", view.filtered(filters), icon="", help_text=said)
        return
    for one in here[:_MOST_MARKS]:
        mark = look_of(one.cause).mark
        if one.row.trial == facts.told.trial:
            st.markdown(f"**{frame.plain(f'[{mark}]')}**", width="content")
        else:
            said = frame.plain(f"attempt {one.row.attempt}: {one.cause}", 60)
            frame.link(mark, "trial", view.only(one.row.trial), icon="", help_text=said)
    if len(here) > _MOST_MARKS:
        st.caption(f"and {len(here) - _MOST_MARKS:,} more", width="content")


def _contestant(one: JudgedRow) -> str:
    row = one.row
    return row.agent if row.model is None else f"{row.agent} ({row.model})"


def tries(facts: Facts, view: View) -> None:
    """A choice of tries, where there are several."""
    if len(facts.story.begun) == 1:
        return
    ends = {end.try_no: end.how for end in facts.story.ends}
    standing = facts.story.trial.standing_try
    with st.container(horizontal=True):
        for one in facts.story.begun:
            how = ends.get(one.try_no, "not ended")
            counts = ", the outcome" if one.try_no == standing else ""
            chosen = one.try_no == facts.begun.try_no
            frame.link(
                f"Try {one.try_no}: {how}{counts}",
                "trial",
                view.only(facts.told.trial, one.try_no),
                icon=":material/radio_button_checked:"
                if chosen
                else ":material/radio_button_unchecked:",
            )


def notes(facts: Facts) -> list[str]:
    """Small and honest: which try this is, when, and how far to trust it."""
    told = facts.told
    said = [
        told.task,
        _named(facts),
        told.condition,
        f"attempt {told.attempt}",
        f"trial {told.trial}",
    ]
    if told.tries > 1:
        said.append(f"try {told.try_no} of {told.tries}")
    said.append(f"began {moment(told.started_t_us)} on {frame.cut(facts.begun.host, 40)}")
    if all(one.try_no != told.try_no for one in facts.story.usage):
        said.append("no telemetry")
    if told.verdict is not None:
        said.append(f"computed under policy {told.verdict.policy_version}")
    return [frame.cut(text, 80) for text in said]


def _named(facts: Facts) -> str:
    row = facts.story.trial
    return row.agent if row.model is None else f"{row.agent} ({row.model})"
