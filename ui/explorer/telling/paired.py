"""The pair on the page: both tries' memory from their beginnings, or why there is no pair."""

from typing import Final

import streamlit as st

from barograph.clock import US_PER_S
from store.rows import TrialRow
from ui.explorer import frame, theme
from ui.explorer.address import View
from ui.explorer.charts import pair
from ui.explorer.charts.base import record
from ui.explorer.data import data
from ui.explorer.once import once
from ui.explorer.telling import pairs
from ui.explorer.telling.facts import Facts, gather, head, lanes

_PAIR_SLICES: Final = 600


def show(facts: Facts, view: View) -> None:
    """Choose a pair and draw it, or say why there is none."""
    st.markdown("#### The pair: the same task and agent with less room, and with more")
    if facts.mine is None:
        st.caption("Once this try has ended, it can be compared.")
        return
    found = pairs.pair_of(facts.mine, facts.siblings)
    if found is None:
        st.caption(frame.plain(pairs.no_pair(facts.mine, facts.siblings)))
        return
    traces = [_trace(gather(_head(one.row.trial), one.row.try_no)) for one in found]
    killed, passed = found
    sentence = (
        f"{killed.row.task} by {killed.row.agent}: killed at {killed.row.condition}, "
        f"passed at {passed.row.condition}"
    )
    look = theme.current()
    frame.figure(
        once(look, pair.figure, traces, look),
        [{"condition": trace.condition, **record(one)} for trace in traces for one in trace.slices],
        name=f"pair-{facts.told.trial}",
        key=f"pair-{facts.told.trial}-{facts.told.try_no}",
        title=sentence,
        caption=f"{sentence}; both from the beginning of the try",
        says=sentence,
    )
    other = next((one for one in found if one.row.trial != facts.told.trial), None)
    if other is not None:
        frame.link(
            f"Open the other one ({frame.cut(other.row.condition, 30)})",
            "trial",
            view.only(other.row.trial, other.row.try_no),
        )


def _head(trial: str) -> TrialRow:
    return head(trial) or data().reader.trial(trial)


def _trace(facts: Facts) -> pair.Trace:
    kills = [kill for kill in facts.story.kills if kill.try_no == facts.begun.try_no]
    passed = facts.mine is not None and facts.mine.counts_as == "pass"
    return pair.Trace(
        condition=facts.told.condition,
        cause="unknown" if facts.mine is None else facts.mine.cause,
        started_t_us=facts.start_us,
        duration_s=(facts.end_us - facts.start_us) / US_PER_S,
        ceiling_bytes=facts.told.memory.ceiling_bytes,
        peak_bytes=facts.told.memory.peak_bytes,
        killed_t_us=kills[0].t_us if kills and not passed else None,
        victim=kills[0].victim_comm if kills else None,
        slices=lanes(
            facts.told.trial,
            facts.begun.try_no,
            low_us=facts.start_us,
            high_us=facts.end_us,
            slices=_PAIR_SLICES,
        ),
    )
