"""The cell table as arrays: tasks x agents x conditions, sliced into arms.

Tests want arrays and people want names; the grid keeps both together. It holds counts
under one treatment, so that headline and sensitivity run through the same code.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.arrays import Arm, IntArray
from analysis.cells import Cell, Outcomes
from analysis.errors import NoTrialsError, QuestionError
from analysis.verdicts.outcomes import Treatment

Endpoint = Literal["score", "infra"]
Count = Literal["score", "infra", "killed", "certain", "likely", "possible"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Counts of one sweep under one treatment."""

    treatment: Treatment
    tasks: tuple[str, ...]
    agents: tuple[str, ...]
    conditions: tuple[str, ...]
    n: IntArray
    """(tasks, agents, conditions): trials that count."""
    counts: dict[Count, IntArray]
    """Events of the same shape: score = passed, infra = infra errors of the treatment,
    killed = not passed and ended by the ceiling; certain, likely, possible = infra errors
    of any class by confidence (not cumulated)."""
    totals: dict[str, Outcomes]
    """Condition -> its outcomes, all agents and tasks together."""

    def arm(
        self,
        condition: str,
        count: Count = "score",
        *,
        agents: Sequence[str] | None = None,
        name: str | None = None,
    ) -> Arm:
        """Cut out one condition.

        Args:
            condition: its name.
            count: which events.
            agents: the strata; None for all.
            name: of the arm; the condition's by default.

        Returns:
            Attempts and events of shape (tasks, agents).

        Raises:
            QuestionError: no such condition or agent.

        """
        place = self._place(self.conditions, condition, "condition")
        columns = [self._place(self.agents, agent, "agent") for agent in agents or self.agents]
        return Arm(
            name=name or condition,
            tasks=self.tasks,
            n=self.n[:, columns, place],
            x=self.counts[count][:, columns, place],
        )

    @staticmethod
    def _place(known: tuple[str, ...], name: str, what: str) -> int:
        if name not in known:
            remedy = f"use one of {', '.join(known)}"
            raise QuestionError(f"no such {what}", field=what, value=name, remedy=remedy)
        return known.index(name)


def make_grid(
    cells: Iterable[Cell],
    *,
    conditions: Sequence[str],
    agents: Sequence[str] | None = None,
    treatment: Treatment = "headline",
) -> Grid:
    """Arrange cells by task, agent and condition.

    Args:
        cells: of one sweep.
        conditions: the ceilings in their order, tightest first; all that cells name.
        agents: contestants in their order; None: in alphabetical order.
        treatment: what suspects count as.

    Returns:
        The grid, tasks in alphabetical order.

    Raises:
        NoTrialsError: there are no cells.
        QuestionError: a cell's condition or agent is not listed.

    """
    listed = list(cells)
    if not listed:
        raise NoTrialsError("no trial has ended yet", remedy="run the sweep, then ask again")
    tasks = sorted({cell.task for cell in listed})
    present = {cell.contestant for cell in listed}
    named = tuple(agents) if agents is not None else tuple(sorted(present))
    for what, known, used in (
        ("condition", conditions, {cell.condition for cell in listed}),
        ("agent", named, present),
    ):
        for unknown in sorted(used - set(known)):
            remedy = f"list it: known are {', '.join(known)}"
            raise QuestionError(f"{what} not listed", field=what, value=unknown, remedy=remedy)
    return _fill(listed, tuple(tasks), named, tuple(conditions), treatment)


def _fill(
    cells: Sequence[Cell],
    tasks: tuple[str, ...],
    agents: tuple[str, ...],
    conditions: tuple[str, ...],
    treatment: Treatment,
) -> Grid:
    shape = (len(tasks), len(agents), len(conditions))
    n = np.zeros(shape, dtype=np.int64)
    names: tuple[Count, ...] = ("score", "infra", "killed", "certain", "likely", "possible")
    counts: dict[Count, IntArray] = {name: np.zeros(shape, dtype=np.int64) for name in names}
    totals = dict.fromkeys(conditions, Outcomes())
    rows, columns, layers = (
        {name: place for place, name in enumerate(axis)} for axis in (tasks, agents, conditions)
    )
    for cell in cells:
        place = rows[cell.task], columns[cell.contestant], layers[cell.condition]
        got = cell.outcomes
        n[place] += got.n
        counts["score"][place] += got.passed
        counts["infra"][place] += got.infra_errors(treatment)
        counts["killed"][place] += got.killed
        counts["certain"][place] += got.certain
        counts["likely"][place] += got.likely
        counts["possible"][place] += got.possible
        totals[cell.condition] += got
    return Grid(
        treatment=treatment,
        tasks=tasks,
        agents=agents,
        conditions=conditions,
        n=n,
        counts=counts,
        totals=totals,
    )
