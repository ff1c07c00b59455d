"""Does the ranking of two agents change with the ceiling, and how sure is that?

Two questions that are often taken for one. *Interaction*: does the gap between the agents
change (it may shrink from 10 points to 2)? Per task the difference of differences, with a
sign-flip test by task. *Reversal*: does the other one win? That needs evidence on both
sides of 0, so its p-value is the larger of the two one-sided exact ones, at ceiling a in
one direction and at b in the other (an intersection-union test, as Gail and Simon 1985 for
two groups): at level alpha without any correction, and honest where a big gap at one ceiling
meets a doubtful one at the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from analysis.arrays import Arm
from analysis.comparison import ENDPOINT_WORDS, Comparison, compare
from analysis.contrast import contrast_results, make_contrast
from analysis.grid import Endpoint, Grid
from analysis.multiplicity import holm
from analysis.result import Result

_LEVEL_POINTS: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """The gap between two agents at ceiling b against that at ceiling a."""

    agents: tuple[str, str]
    """(x, y); gaps are x - y."""
    a: str
    b: str
    endpoint: Endpoint
    gap_a: Comparison
    """x - y at ceiling a: exact stratified test, strata are tasks."""
    gap_b: Comparison
    these: Result
    """Change of the gap in points; interval only."""
    like: Result
    """Change of the gap in points; sign-flip test by task."""
    reversal_p: float | None
    """P-value of "the same agent leads at both, or they are level at one"; None when a
    guard refused at a ceiling."""
    leads_a: str | None
    """Who is ahead at ceiling a; None when level."""
    leads_b: str | None
    p_holm: float | None = None
    """Sign-flip p-value adjusted over all interactions asked together."""
    reversal_p_holm: float | None = None

    @property
    def reversed(self) -> bool:
        """Whether the agents change places in the data, however surely."""
        return None not in {self.leads_a, self.leads_b} and self.leads_a != self.leads_b


def interaction(
    grid: Grid, agents: tuple[str, str], a: str, b: str, *, endpoint: Endpoint = "score"
) -> Interaction:
    """Ask whether the gap between two agents differs between two ceilings.

    Args:
        grid: counts under one treatment.
        agents: (x, y).
        a: the reference ceiling.
        b: the other.
        endpoint: ``score`` or ``infra``.

    Returns:
        The change of the gap x - y with its tests, and the gap at each ceiling.

    Raises:
        QuestionError: no such agent or condition.

    """
    x, y = agents
    arms = {
        (agent, condition): grid.arm(condition, endpoint, agents=[agent], name=agent)
        for agent in agents
        for condition in (a, b)
    }
    gaps = [
        _gap(arms[x, condition], arms[y, condition], endpoint, condition) for condition in (a, b)
    ]
    these, like = contrast_results(
        make_contrast([arms[y, a], arms[x, a], arms[y, b], arms[x, b]], [1, -1, -1, 1]),
        question=f"Change of the gap {x} minus {y} from {a} to {b}",
        estimand="mean over tasks of the difference of differences of rates",
        tested=None,
    )
    return Interaction(
        agents=agents,
        a=a,
        b=b,
        endpoint=endpoint,
        gap_a=gaps[0],
        gap_b=gaps[1],
        these=these,
        like=like,
        reversal_p=_reversal_p(gaps[0], gaps[1]),
        leads_a=_leader(gaps[0], agents),
        leads_b=_leader(gaps[1], agents),
    )


def adjusted(family: Sequence[Interaction]) -> tuple[Interaction, ...]:
    """Adjust the p-values of interactions that are asked together, by Holm."""
    changes = holm([item.like.p_value for item in family])
    reversals = holm([item.reversal_p for item in family])
    return tuple(
        replace(item, p_holm=change, reversal_p_holm=reversal)
        for item, change, reversal in zip(family, changes, reversals, strict=True)
    )


def _gap(x: Arm, y: Arm, endpoint: Endpoint, condition: str) -> Comparison:
    return compare(
        y,
        x,
        endpoint=endpoint,
        agents=(x.name, y.name),
        question=f"{ENDPOINT_WORDS[endpoint]} of {x.name} minus {y.name} at {condition}",
    )


def _reversal_p(gap_a: Comparison, gap_b: Comparison) -> float | None:
    fewer_a, more_a, fewer_b, more_b = gap_a.p_less, gap_a.p_greater, gap_b.p_less, gap_b.p_greater
    if fewer_a is None or more_a is None or fewer_b is None or more_b is None:
        return None
    return min(max(fewer_a, more_b), max(more_a, fewer_b))


def _leader(gap: Comparison, agents: tuple[str, str]) -> str | None:
    estimate = gap.these.estimate
    if estimate is None or abs(estimate) < _LEVEL_POINTS:
        return None
    return agents[0] if estimate > 0 else agents[1]
