"""What people say of a trial, and where they say it.

A verdict stays the policy's; what a person says stands beside it, with who said it and when.
Whether anything may be said here was decided by whoever started the explorer, so there is no
button that is only refused later.
"""

import time

import streamlit as st

from analysis.overriding import causes_of
from analysis.verdicts.reading import policy_v1
from barograph.errors import BarographError
from barograph.units import format_duration
from store.rows import WordRow
from ui import words as made
from ui.explorer import frame
from ui.explorer.access import viewer
from ui.explorer.charts.autopsy_shown import Autopsy
from ui.explorer.data import data
from ui.explorer.telling.facts import Facts
from ui.explorer.theme import chip
from ui.stories.trial import COUNTS_AS
from ui.text import after, moment

_CHARS = 4000
_SAID = "words-said"


def show(facts: Facts, shown: Autopsy) -> None:
    """What was said, and the forms where something may be."""
    st.markdown("#### What people say")
    told = facts.told
    for word in told.overrides:
        _override(word)
    for word in told.notes:
        _note(word, facts)
    if not told.overrides and not told.notes:
        st.caption("Nobody has said anything of this trial, its host or its time.")
    if said := st.session_state.pop(_SAID, None):
        st.success(frame.plain(str(said)), icon=":material/check:")
    if not data().may_write:
        st.caption("Read only: start with `barograph explore --write` to say something here.")
        return
    if told.verdict is not None:
        with st.popover("Override the verdict", icon=":material/gavel:"):
            _override_form(facts)
    with st.popover("Leave a note", icon=":material/edit_note:"):
        _note_form(facts, shown)


def _override(word: WordRow) -> None:
    counts = COUNTS_AS.get(str(word.counts_as), str(word.counts_as))
    st.markdown(
        f"**{frame.plain(word.author, 60)}** says **{frame.plain(chip(str(word.cause)), 60)}**, "
        f"which counts as {frame.plain(counts)}:"
    )
    _quote(word)


def _note(word: WordRow, facts: Facts) -> None:
    about: list[str] = []
    if word.try_no is not None and word.try_no != facts.told.try_no:
        about.append(f"of try {word.try_no}")
    if word.host is not None:
        about.append(f"of host {word.host}")
    if word.from_t_us is not None:
        begin = after(word.from_t_us, facts.start_us)
        about.append(f"from {begin} to {after(word.to_t_us, facts.start_us)}")
    said = f" says {word.cause}" if word.kind == "override" else ""
    where = f" {frame.plain(', '.join(about), 120)}" if about else ""
    st.markdown(f"**{frame.plain(word.author, 60)}**{frame.plain(said)}{where}:")
    _quote(word)


def _quote(word: WordRow) -> None:
    st.text(frame.cut(word.text, _CHARS))
    st.caption(frame.plain(moment(word.t_us)))


def _author() -> str:
    """Who says it: the proxy's word where there is one, else what is typed."""
    known = viewer(data().options)
    if known is not None:
        return known
    return st.text_input("Your name", max_chars=100, key="words-author", persist_state="session")


def _override_form(facts: Facts) -> None:
    causes = causes_of(policy_v1())
    author = _author()
    cause = st.selectbox(
        "What ended it", list(causes), format_func=chip, index=None, key="override-cause"
    )
    if cause is not None:
        st.caption(frame.plain(f"counts as {COUNTS_AS[causes[cause].counts_as]}"))
    text = st.text_area("Why", max_chars=1000, key="override-text")
    left, right = st.columns(2)
    with left:
        if st.button("Say so", type="primary", disabled=cause is None, key="override-send"):
            _say_override(facts, cause, text, author)
    with right:
        mine = [word for word in facts.told.overrides if word.author == author]
        if mine and st.button("Take back what I said", key="override-back"):
            _say_override(facts, None, text or "taken back", author)


def _say_override(facts: Facts, cause: str | None, text: str, author: str) -> None:
    try:
        said = made.override(
            data().reader,
            policy_v1(),
            trial=facts.told.trial,
            try_no=facts.told.try_no,
            cause=cause,
            text=text,
            author=author,
        )
        data().append(said.payload, said.belongs)
    except BarographError as error:
        st.error(frame.plain(frame.cut(str(error), 300)))
        return
    _done("Your word is kept beside the policy's.")


def _note_form(facts: Facts, shown: Autopsy) -> None:
    begin, end = (after(at, facts.start_us) for at in (shown.low_us, shown.high_us))
    took = format_duration((shown.high_us - shown.low_us) / 1e6)
    abouts = {
        "this trial": made.About(trial=facts.told.trial, try_no=facts.told.try_no),
        f"the span shown ({begin} to {end}, {took})": made.About(
            host=facts.begun.host,
            start=_written(shown.low_us),
            end=_written(shown.high_us),
        ),
        f"host {frame.cut(facts.begun.host, 40)}": made.About(host=facts.begun.host),
    }
    author = _author_of_note()
    about = st.selectbox("About", list(abouts), key="note-about")
    text = st.text_area("Note", max_chars=_CHARS, key="note-text")
    if not st.button("Leave it", type="primary", key="note-send"):
        return
    try:
        now_us = time.time_ns() // 1000
        said = made.note(data().reader, abouts[about], text=text, author=author, now_us=now_us)
        data().append(said.payload, said.belongs)
    except BarographError as error:
        st.error(frame.plain(frame.cut(str(error), 300)))
        return
    _done(f"Your note on {said.about} is kept.")


def _author_of_note() -> str:
    known = viewer(data().options)
    if known is not None:
        return known
    return st.text_input("Your name", max_chars=100, key="note-author", persist_state="session")


def _written(t_us: int) -> str:
    """A moment as ``ui.words`` reads it."""
    return moment(t_us).removesuffix(" UTC").replace(" ", "T")


def _done(said: str) -> None:
    st.session_state[_SAID] = said
    st.rerun()
