"""Where a score's change comes from: infra errors removed, or new solves?

From ceiling a to b a task's score rises because attempts that infrastructure ended now
get their chance (``infra_removed``), or because attempts that failed now succeed
(``new_solves``). Pairing each attempt at a with each at b (independent coupling) makes the
two parts add up to the change exactly, whatever the counts, and unbiased, since each is a
product of independent rates:

    infra_removed = e_a s_b - s_a e_b        new_solves = f_a s_b - s_a f_b

If more room changes nothing but the kills, new solves are exactly 0 in expectation.
Kitagawa's split of the same change stands beside it; it needs a valid attempt in every
task and gives no variance, so nothing is tested with it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.arrays import Arm, FloatArray, IntArray, divided, over_strata
from analysis.contrast import UNEQUAL, t_interval
from analysis.guards import DataSize, data_size
from analysis.record import SYMMETRIC, Asked, Tested, make_result
from analysis.result import Result
from analysis.signflip import exact_or_drawn

COUPLING: Final = "attempts at the two ceilings are coupled at random within task and agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChange:
    """The two parts of one task's change, as proportions."""

    task: str
    infra_removed: float
    new_solves: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """The change of the score from ceiling a to b in two parts."""

    a: str
    b: str
    infra_removed: Result
    """In points, tasks like these; sign-flip test by task."""
    new_solves: Result
    tasks: tuple[TaskChange, ...]
    transitions: tuple[tuple[float, float, float], ...]
    """3 x 3, rows at a and columns at b in the order solved, infra, not solved: share of
    coupled attempts, mean over tasks; the sum is 1."""
    kitagawa_infra: float | None
    """The change by fewer infra errors at the mean conditional score; None where a task
    has no valid attempt."""
    kitagawa_solves: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome3:
    """Solved, infra and attempts of one ceiling over the same tasks and strata."""

    solved: Arm
    infra: Arm

    def only(self, kept: IntArray) -> "Outcome3":
        """Keep the strata where ``kept`` is above 0."""
        return Outcome3(solved=self.solved.only(kept > 0), infra=self.infra.only(kept > 0))

    def parts(self) -> tuple[IntArray, IntArray, IntArray]:
        """Counts of solved, infra and not solved."""
        rest = self.solved.n - self.solved.x - self.infra.x
        return self.solved.x, self.infra.x, rest


def decompose(a: Outcome3, b: Outcome3) -> Decomposition:
    """Split the change of the score from a to b.

    Args:
        a: outcomes at the reference ceiling.
        b: outcomes at the other, same tasks and strata.

    Returns:
        Both parts with intervals and sign-flip tests over tasks, the parts of each task,
        and the transition table.

    """
    common = np.minimum(a.solved.n, b.solved.n)
    first, second = a.only(common), b.only(common)
    size = data_size([first.solved, second.solved])
    n_a, n_b = first.solved.n, second.solved.n
    s_a, e_a, f_a = first.parts()
    s_b, e_b, f_b = second.parts()
    infra, solves = e_a * s_b - s_a * e_b, f_a * s_b - s_a * f_b
    removed = over_strata(divided(infra, n_a * n_b), n_a)
    gained = over_strata(divided(solves, n_a * n_b), n_a)
    equal = size.attempts_min == size.attempts_max and bool((n_a > 0).all())
    step = f"from {a.solved.name} to {b.solved.name}"
    kitagawa = _kitagawa(first, second)
    return Decomposition(
        a=a.solved.name,
        b=b.solved.name,
        infra_removed=_part(
            f"Score gained {step} by infra errors removed", removed, infra if equal else None, size
        ),
        new_solves=_part(
            f"Score gained {step} by new solves", gained, solves if equal else None, size
        ),
        tasks=tuple(
            TaskChange(task=task, infra_removed=float(less), new_solves=float(more))
            for task, less, more in zip(first.solved.tasks, removed, gained, strict=True)
        ),
        transitions=_transitions(first, second),
        kitagawa_infra=kitagawa[0] if kitagawa else None,
        kitagawa_solves=kitagawa[1] if kitagawa else None,
    )


def _part(question: str, values: FloatArray, whole: IntArray | None, size: DataSize) -> Result:
    flips = exact_or_drawn(None if whole is None else whole.sum(axis=1), values)
    there = size.n_trials > 0
    interval = t_interval(values) if there else None
    warnings: list[str] = []
    if there and interval is None and len(values) > 1:
        warnings.append("every task changed by the same, so no interval over tasks is known")
    if whole is None:
        warnings.append(UNEQUAL)
    return make_result(
        Asked(
            question=question,
            estimand="mean over tasks of the coupled change",
            frame="tasks_like_these",
            unit="points",
            assumptions=(SYMMETRIC, COUPLING),
        ),
        estimate=float(values.mean()) if there else None,
        interval=interval,
        size=size,
        informative=flips.informative,
        tested=Tested(
            p_value=flips.p_value, method=flips.method, min_attainable_p=flips.min_attainable_p
        ),
        warnings=warnings,
    )


def _transitions(a: Outcome3, b: Outcome3) -> tuple[tuple[float, float, float], ...]:
    if not a.solved.tasks:
        return ()
    n_a, n_b = a.solved.n, b.solved.n
    rows: list[tuple[float, float, float]] = []
    for before in a.parts():
        shares = [
            float(over_strata(divided(before * after, n_a * n_b), n_a).mean())
            for after in b.parts()
        ]
        rows.append((shares[0], shares[1], shares[2]))
    return tuple(rows)


def _kitagawa(a: Outcome3, b: Outcome3) -> tuple[float, float] | None:
    """Kitagawa's (1955) split of score = valid share x conditional score, mean over tasks."""
    valid_a, valid_b = a.solved.n - a.infra.x, b.solved.n - b.infra.x
    there = a.solved.n > 0
    if not a.solved.tasks or bool(((valid_a == 0) | (valid_b == 0))[there].any()):
        return None
    share_a, share_b = divided(valid_a, a.solved.n), divided(valid_b, b.solved.n)
    solve_a, solve_b = divided(a.solved.x, valid_a), divided(b.solved.x, valid_b)
    infra = (share_b - share_a) * (solve_a + solve_b) / 2
    solves = (solve_b - solve_a) * (share_a + share_b) / 2
    n = a.solved.n
    return float(over_strata(infra, n).mean()), float(over_strata(solves, n).mean())
