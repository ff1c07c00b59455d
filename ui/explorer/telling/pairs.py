"""Whom to compare a try with: the same task and agent, killed with less, passing with more."""

from collections.abc import Sequence

from store.pages.trial import JudgedRow

Pair = tuple[JudgedRow, JudgedRow]
"""The killed one, the one that passed."""


def pair_of(mine: JudgedRow, others: Sequence[JudgedRow]) -> Pair | None:
    """The pair that says most about ``mine``.

    Killed, it is compared with the pass under the smallest ceiling above its own (what would
    have been enough); passed, with the kill under the largest ceiling below (what was just
    too little). Any other try gets the closest pair of its task and agent. Among equals the
    same attempt goes first, then the earlier one.

    Args:
        mine: the try that is looked at.
        others: standing tries of the same task in the sweep, ``mine`` among them or not.

    """
    alike = [
        one
        for one in others
        if one.row.outcome and _who(one) == _who(mine) and one.row.trial != mine.row.trial
    ]
    kills = [mine] if _killed(mine) else [one for one in alike if _killed(one)]
    passes = [mine] if _passed(mine) else [one for one in alike if _passed(one)]
    found = [
        (killed, passed) for killed in kills for passed in passes if _size(killed) < _size(passed)
    ]
    return min(found, key=lambda pair: _distance(pair, mine), default=None)


def no_pair(mine: JudgedRow, others: Sequence[JudgedRow]) -> str:
    """Why there is no pair, in a sentence."""
    alike = [one for one in others if one.row.outcome and _who(one) == _who(mine)]
    kills = sum(_killed(one) for one in alike)
    passes = sum(_passed(one) for one in alike)
    of = f"of {len(alike)} ended tries of this task by this agent"
    if kills == 0:
        return f"There is no pair to show: {of} no ceiling killed any."
    if passes == 0:
        return f"There is no pair to show: {of} {kills} were killed and none passed."
    return f"There is no pair to show: {of} none passed under a higher ceiling than a killed one."


def _who(one: JudgedRow) -> tuple[str, str | None]:
    return one.row.agent, one.row.model


def _killed(one: JudgedRow) -> bool:
    return one.ceiling_kill and one.counts_as != "pass"


def _passed(one: JudgedRow) -> bool:
    return one.counts_as == "pass"


def _size(one: JudgedRow) -> float:
    return float("inf") if one.row.ceiling_bytes is None else one.row.ceiling_bytes


def _distance(pair: Pair, mine: JudgedRow) -> tuple[float, float, bool, int]:
    """How far apart the ceilings are, then how alike the two are otherwise."""
    killed, passed = pair
    other = passed if killed.row.trial == mine.row.trial else killed
    return (
        _size(passed),
        -_size(killed),
        other.row.attempt != mine.row.attempt,
        other.row.started_t_us,
    )
