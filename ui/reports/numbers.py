"""Cells of a results table: estimates, intervals and p-values in the room that a table has."""

from typing import Literal

from analysis.comparison import Comparison
from analysis.rates import ConditionRates
from analysis.result import Frame, Result
from analysis.wording import probability
from ui.text import UNKNOWN, signed


def p_cell(p: float | None) -> str:
    """``.012``, ``< .001``; a dash where a guard withheld it or nothing was tested."""
    return UNKNOWN if p is None else probability(p).removeprefix("p ").removeprefix("= ")


def per_cent_cell(result: Result) -> str:
    """A rate as a number of per cent: ``20.8``."""
    return UNKNOWN if result.estimate is None else f"{100 * result.estimate:.1f}"


def per_cent_interval(result: Result) -> str:
    """The ends of a rate's interval in per cent: ``14–29``."""
    if result.ci_low is None or result.ci_high is None:
        return UNKNOWN
    return f"{100 * result.ci_low:.0f}–{100 * result.ci_high:.0f}"


def points_cell(result: Result) -> str:
    """A difference in points with its sign: ``+6.3``."""
    return UNKNOWN if result.estimate is None else signed(result.estimate)


def points_interval(result: Result) -> str:
    """The ends of a difference's interval: ``+1 to +12``."""
    if result.ci_low is None or result.ci_high is None:
        return UNKNOWN
    return f"{signed(result.ci_low, 0)} to {signed(result.ci_high, 0)}"


def rate_of(rates: ConditionRates, which: Literal["score", "infra"], frame: Frame) -> Result:
    """The rate of an endpoint in a frame."""
    if frame == "these_tasks":
        return rates.score if which == "score" else rates.infra
    return rates.score_like if which == "score" else rates.infra_like


def holm_of(change: Comparison | None, frame: Frame) -> float | None:
    """The adjusted p-value of a comparison in a frame."""
    if change is None:
        return None
    return change.p_holm if frame == "these_tasks" else change.p_holm_like


def change_cells(change: Comparison | None, frame: Frame) -> tuple[str, str]:
    """A difference in points and its interval; the reference itself has neither."""
    if change is None:
        return UNKNOWN, ""
    result = change.these if frame == "these_tasks" else change.like
    return points_cell(result), points_interval(result)
