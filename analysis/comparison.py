"""Q2: do two conditions differ? Estimate, intervals, and the tests of both frames.

The p-value for these tasks is the exact stratified one (``exact``); beside it stands the
sign-flip test by task (``signflip``), the one that may be generalised. Where the first is
below .05 and the second is not, the effect sits on few tasks: that is said, with the
smallest set of tasks that carries four fifths of it, because "the ceiling matters on
three tasks" and "the ceiling matters" are different findings.

The same function compares two ceilings (strata: task x agent) and two agents at one
ceiling (strata: task).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from analysis.arrays import Arm
from analysis.contrast import Contrast, contrast_results, make_contrast
from analysis.exact import strat_exact
from analysis.guards import ALPHA
from analysis.intervals import t_two_sided
from analysis.multiplicity import holm
from analysis.odds_ratio import Heterogeneity, common_odds_ratio, equal_odds
from analysis.record import Asked, Tested, make_result
from analysis.result import Result
from analysis.signflip import ROUNDING
from analysis.spread import mean_standard_error

ENDPOINT_WORDS: Final[Mapping[str, str]] = {"score": "Score", "infra": "Infra-error rate"}
CARRIED: Final = 0.8
"""Share of the difference that the smallest set of tasks must carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Arm b against arm a."""

    a: str
    b: str
    endpoint: str
    agents: tuple[str, ...]
    these: Result
    """Difference b - a in points; exact stratified test."""
    like: Result
    """The same difference for tasks like these; sign-flip test by task."""
    mid_p: float | None = None
    """Of the exact test; for whoever chose it before looking."""
    p_less: float | None = None
    """One-sided exact: b has fewer events."""
    p_greater: float | None = None
    p_paired_t: float | None = None
    """Of a t test over task differences, for comparison."""
    p_holm: float | None = None
    """Exact p-value adjusted over its family (one endpoint over the ceilings)."""
    p_holm_like: float | None = None
    odds_ratio: Result | None = None
    """Common odds ratio of the event, b over a."""
    equal_odds: Heterogeneity | None = None
    """Flag of an effect that differs between strata."""
    concentrated_effect: bool = False
    """Exact p < .05 and sign-flip p > .05: the effect sits on few tasks."""
    concentrated_on: tuple[str, ...] = ()
    """Then: the smallest set of tasks carrying 80% of the difference."""
    dropped_tasks: tuple[str, ...] = ()
    """Tasks that only one of the arms has."""


def compare(
    a: Arm, b: Arm, *, endpoint: str, agents: Sequence[str] = (), question: str | None = None
) -> Comparison:
    """Compare two arms over the same tasks and strata.

    Args:
        a: the reference.
        b: the other; same tasks and strata as ``a``.
        endpoint: name of the event, such as ``score`` or ``infra``.
        agents: names of the strata, for the record.
        question: starts the sentence; by default "<endpoint> at <b> minus at <a>".

    Returns:
        The comparison. Strata that only one arm has are dropped; where a whole task goes
        it is named.

    """
    contrast = make_contrast([a, b], [-1, 1])
    first, second = contrast.arms
    test = strat_exact(first, second)
    asked = question or f"{ENDPOINT_WORDS.get(endpoint, endpoint)} at {b.name} minus at {a.name}"
    these, like = contrast_results(
        contrast,
        question=asked,
        estimand="mean over tasks of the difference of rates",
        tested=Tested(p_value=test.p_value, method="exact", min_attainable_p=test.min_attainable_p),
    )
    tested = these.p_value is not None
    concentrated = _concentrated(these, like)
    return Comparison(
        a=a.name,
        b=b.name,
        endpoint=endpoint,
        agents=tuple(agents),
        these=these,
        like=like,
        mid_p=test.mid_p if tested else None,
        p_less=test.p_less if tested else None,
        p_greater=test.p_greater if tested else None,
        p_paired_t=_paired_t(contrast) if tested else None,
        odds_ratio=_odds(contrast, asked),
        equal_odds=equal_odds(first, second),
        concentrated_effect=concentrated,
        concentrated_on=carrying_tasks(contrast) if concentrated else (),
        dropped_tasks=_dropped(a, b),
    )


def with_holm(family: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Adjust the p-values of a family: one endpoint over the ceilings."""
    exact = holm([comparison.these.p_value for comparison in family])
    flips = holm([comparison.like.p_value for comparison in family])
    return tuple(
        replace(comparison, p_holm=p, p_holm_like=p_like)
        for comparison, p, p_like in zip(family, exact, flips, strict=True)
    )


def carrying_tasks(contrast: Contrast, share: float = CARRIED) -> tuple[str, ...]:
    """Return the smallest set of tasks that carries a share of the difference.

    Args:
        contrast: of two arms.
        share: of the absolute sum of differences.

    Returns:
        Task names, the heaviest first; empty when the difference is 0.

    """
    total = float(contrast.values.sum())
    signed = contrast.values * np.sign(total)
    carried = 0.0
    names: list[str] = []
    order: list[int] = np.argsort(-signed, kind="stable").tolist()
    for place in order:
        if carried >= share * abs(total) - ROUNDING:
            break
        carried += float(signed[place])
        names.append(contrast.arms[0].tasks[place])
    return tuple(names)


def _dropped(a: Arm, b: Arm) -> tuple[str, ...]:
    both = ((a.n > 0) & (b.n > 0)).any(axis=1)
    either = ((a.n > 0) | (b.n > 0)).any(axis=1)
    places: list[int] = np.flatnonzero(either & ~both).tolist()
    return tuple(a.tasks[place] for place in places)


def _odds(contrast: Contrast, question: str) -> Result | None:
    common = common_odds_ratio(contrast.arms[0], contrast.arms[1])
    if common is None:
        return None
    return make_result(
        Asked(
            question=f"{question}, as a common odds ratio",
            estimand="Mantel-Haenszel odds ratio over task x agent",
            frame="these_tasks",
            unit="ratio",
            assumptions=("the odds ratio is the same in every task",),
        ),
        estimate=common.estimate,
        interval=common.interval,
        size=contrast.size,
        informative=contrast.informative,
    )


def _paired_t(contrast: Contrast) -> float | None:
    error = mean_standard_error(contrast.values)
    if error is None or error <= ROUNDING:
        return None
    return t_two_sided(float(contrast.values.mean()) / error, len(contrast.values) - 1)


def _concentrated(these: Result, like: Result) -> bool:
    exact, flips = these.p_value, like.p_value
    return exact is not None and flips is not None and exact < ALPHA < flips
