"""The parts of a sweep's analysis: a row a ceiling, a ranking a ceiling, what suspects change.

Each builder takes the grid and returns frozen rows; nothing here decides what to say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from analysis.cells import Outcomes
from analysis.comparison import ENDPOINT_WORDS, Comparison, compare, with_holm
from analysis.counterfactual import FailedAnyway, failed_anyway
from analysis.decomposition import Decomposition, Outcome3, decompose
from analysis.flips import Flips, flips
from analysis.grid import Endpoint, Grid
from analysis.interaction import Interaction, adjusted, interaction
from analysis.rates import ConditionRates, condition_rates, rate
from analysis.result import Result
from analysis.trend import Trend, trend


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow:
    """One agent at one ceiling."""

    agent: str
    rates: ConditionRates
    score_change: Comparison | None
    """Against the reference ceiling, Holm over the ceilings; None at the reference."""
    infra_change: Comparison | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingRow:
    """One ceiling, all agents together, with each agent beside it."""

    condition: str
    n: int
    """Trials that count."""
    outcomes: Outcomes
    rates: ConditionRates
    score_change: Comparison | None
    """Against the reference ceiling, Holm over the ceilings; None at the reference."""
    infra_change: Comparison | None
    agents: tuple[AgentRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The agents at one ceiling, best score first."""

    condition: str
    order: tuple[str, ...]
    scores: tuple[float, ...]
    """0 to 1, in the same order; agents without trials are left out."""
    gaps: tuple[Comparison, ...]
    """Each agent against the next one below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityRow:
    """One ceiling with suspects counted as infra errors."""

    condition: str
    suspects: int
    """Trials that count differently than in the headline."""
    infra: Result
    infra_change: Comparison | None


def ceiling_rows(grid: Grid, reference: str) -> tuple[CeilingRow, ...]:
    """Build the table of ceilings.

    Args:
        grid: headline counts.
        reference: the ceiling that all others are compared with.

    Returns:
        One row a ceiling, in the grid's order.

    """
    together = {name: _changes(grid, reference, name, None) for name in _ENDPOINTS}
    alone = {
        agent: {name: _changes(grid, reference, name, agent) for name in _ENDPOINTS}
        for agent in grid.agents
    }
    return tuple(
        CeilingRow(
            condition=condition,
            n=grid.totals[condition].n,
            outcomes=grid.totals[condition],
            rates=condition_rates(grid, condition),
            score_change=together["score"].get(condition),
            infra_change=together["infra"].get(condition),
            agents=tuple(
                AgentRow(
                    agent=agent,
                    rates=condition_rates(grid, condition, agents=[agent]),
                    score_change=alone[agent]["score"].get(condition),
                    infra_change=alone[agent]["infra"].get(condition),
                )
                for agent in grid.agents
            ),
        )
        for condition in grid.conditions
    )


_ENDPOINTS: tuple[Endpoint, Endpoint] = ("score", "infra")


def _changes(
    grid: Grid, reference: str, endpoint: Endpoint, agent: str | None
) -> dict[str, Comparison]:
    """Compare every ceiling with the reference: one Holm family."""
    agents = grid.agents if agent is None else (agent,)
    base = grid.arm(reference, endpoint, agents=agents)
    family = [
        compare(base, grid.arm(other, endpoint, agents=agents), endpoint=endpoint, agents=agents)
        for other in grid.conditions
        if other != reference
    ]
    return {comparison.b: comparison for comparison in with_holm(family)}


def trends(grid: Grid) -> dict[Endpoint, Trend]:
    """Test the trend of both endpoints; empty with a single ceiling."""
    if len(grid.conditions) < 2:  # noqa: PLR2004 - a trend needs two
        return {}
    return {
        endpoint: trend(
            [grid.arm(condition, endpoint) for condition in grid.conditions],
            endpoint=endpoint,
            words=ENDPOINT_WORDS[endpoint],
        )
        for endpoint in _ENDPOINTS
    }


def rankings(grid: Grid) -> tuple[Ranking, ...]:
    """Rank the agents at each ceiling, with a test between neighbours in rank."""
    rows: list[Ranking] = []
    for condition in grid.conditions:
        scores: list[tuple[float, str]] = []
        for agent in grid.agents:
            estimate = condition_rates(grid, condition, agents=[agent]).score.estimate
            if estimate is not None:
                scores.append((-estimate, agent))
        scores.sort()
        order = tuple(agent for _, agent in scores)
        gaps = tuple(
            compare(
                grid.arm(condition, agents=[below], name=below),
                grid.arm(condition, agents=[above], name=above),
                endpoint="score",
                agents=(above, below),
                question=f"Score of {above} minus {below} at {condition}",
            )
            for above, below in pairwise(order)
        )
        best_first = tuple(-score for score, _ in scores)
        rows.append(Ranking(condition=condition, order=order, scores=best_first, gaps=gaps))
    return tuple(rows)


def interactions(grid: Grid, reference: str) -> tuple[Interaction, ...]:
    """Ask for every pair of agents and every other ceiling whether the gap changes."""
    return adjusted(
        [
            interaction(grid, pair, reference, other)
            for other in grid.conditions
            if other != reference
            for pair in combinations(grid.agents, 2)
        ]
    )


def steps(grid: Grid, reference: str) -> tuple[Decomposition, ...]:
    """Decompose the change of each step, and that from the reference to the last ceiling."""
    pairs = [*pairwise(grid.conditions), (reference, grid.conditions[-1])]
    return tuple(
        decompose(_outcomes(grid, a), _outcomes(grid, b)) for a, b in dict.fromkeys(pairs) if a != b
    )


def _outcomes(grid: Grid, condition: str) -> Outcome3:
    return Outcome3(solved=grid.arm(condition), infra=grid.arm(condition, "infra"))


def kills_anyway(grid: Grid) -> tuple[FailedAnyway, ...]:
    """Ask what the kills at each ceiling would have become at the last one.

    Returns:
        For each ceiling with kills: all agents together, then each agent with kills.

    """
    last = grid.conditions[-1]
    found: list[FailedAnyway] = []
    for condition in grid.conditions[:-1]:
        for agents in dict.fromkeys([grid.agents, *((agent,) for agent in grid.agents)]):
            killed = grid.arm(condition, "killed", agents=agents)
            if killed.x.any():
                solved = grid.arm(last, agents=agents)
                found.append(failed_anyway(killed, solved, agents=agents))
    return tuple(found)


def flip_tables(grid: Grid, reference: str) -> tuple[Flips, ...]:
    """List the tasks that changed from the reference to each other ceiling."""
    base = grid.arm(reference)
    return tuple(flips(base, grid.arm(other)) for other in grid.conditions if other != reference)


def sensitivity_rows(headline: Grid, sensitive: Grid, reference: str) -> tuple[SensitivityRow, ...]:
    """Redo the infra errors with suspects counted as such; empty without a suspect."""
    if bool((headline.counts["infra"] == sensitive.counts["infra"]).all()):
        return ()
    changes = _changes(sensitive, reference, "infra", None)
    return tuple(
        SensitivityRow(
            condition=condition,
            suspects=int(
                sensitive.arm(condition, "infra").x.sum() - headline.arm(condition, "infra").x.sum()
            ),
            infra=rate(
                sensitive.arm(condition, "infra"),
                frame="these_tasks",
                question=f"Infra-error rate at {condition}, suspects included",
                estimand="infra_rate",
                rare=True,
            ),
            infra_change=changes.get(condition),
        )
        for condition in sensitive.conditions
    )


def pairs_of(agents: Sequence[str]) -> int:
    """Count the pairs of agents."""
    return len(agents) * (len(agents) - 1) // 2
