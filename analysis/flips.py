"""Which tasks changed between two ceilings: the table behind a mean.

A mean of +2 points may be one task that came within reach or ten that moved a little. Each
row has both counts, the change, how far the task went (from never to always solved, say),
and an exact p-value with its Benjamini-Hochberg value over the table: with two attempts no
single task can be significant, and the table says so by the smallest p it could have.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.arrays import Arm
from analysis.contrast import make_contrast
from analysis.exact import strat_exact_counts
from analysis.multiplicity import benjamini_hochberg
from analysis.signflip import ROUNDING

Solved = Literal["never", "sometimes", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One task at two ceilings."""

    task: str
    passed_a: int
    attempts_a: int
    passed_b: int
    attempts_b: int
    change_points: float
    """Change of the solved share, agents weighing the same."""
    was: Solved
    now: Solved
    p_value: float
    """Exact, strata are agents; a screen, not a finding."""
    q_value: float
    """Benjamini-Hochberg over all tasks of the table."""
    min_attainable_p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """All tasks that changed between two ceilings, largest gain first."""

    a: str
    b: str
    changed: tuple[Flip, ...]
    gained: int
    lost: int
    unchanged: int


def flips(a: Arm, b: Arm) -> Flips:
    """List the tasks whose solved share differs between two ceilings.

    Args:
        a: passes at the reference.
        b: passes at the other, same tasks and strata.

    Returns:
        Changed tasks, and how many gained, lost or stayed.

    """
    contrast = make_contrast([a, b], [-1, 1])
    first, second = contrast.arms
    tests = [
        strat_exact_counts(first.x[place], first.n[place], second.x[place], second.n[place])
        for place in range(len(first.tasks))
    ]
    screened = benjamini_hochberg([test.p_value for test in tests])
    rows = [
        Flip(
            task=first.tasks[place],
            passed_a=int(first.x[place].sum()),
            attempts_a=int(first.n[place].sum()),
            passed_b=int(second.x[place].sum()),
            attempts_b=int(second.n[place].sum()),
            change_points=100 * float(contrast.values[place]),
            was=_solved(int(first.x[place].sum()), int(first.n[place].sum())),
            now=_solved(int(second.x[place].sum()), int(second.n[place].sum())),
            p_value=tests[place].p_value,
            q_value=screened[place],
            min_attainable_p=tests[place].min_attainable_p,
        )
        for place in np.flatnonzero(np.abs(contrast.values) > ROUNDING).tolist()
    ]
    rows.sort(key=lambda row: (-row.change_points, row.task))
    gained = sum(row.change_points > 0 for row in rows)
    return Flips(
        a=a.name,
        b=b.name,
        changed=tuple(rows),
        gained=gained,
        lost=len(rows) - gained,
        unchanged=len(first.tasks) - len(rows),
    )


def _solved(passed: int, attempts: int) -> Solved:
    if passed == 0:
        return "never"
    return "always" if passed == attempts else "sometimes"
