"""Array types and the counts that every test starts from.

Counts of one condition are kept as a table of tasks x strata, where a stratum is an
agent: the exact test conditions on each (task, agent), the sign-flip test and the
"tasks like these" intervals work on the rows. A stratum without attempts has n = 0 and
takes no part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Attempts and events of one condition (or one agent in it).

    Raises:
        ValueError: shapes differ, or there are more events than attempts.

    """

    name: str
    tasks: tuple[str, ...]
    n: IntArray
    """(tasks, strata): attempts."""
    x: IntArray
    """(tasks, strata): attempts with the event."""

    def __post_init__(self) -> None:
        """Check the shapes once, so that no test has to."""
        if self.n.shape != self.x.shape or self.n.shape[:1] != (len(self.tasks),):
            raise ValueError(f"shapes differ: {self.n.shape}, {self.x.shape}, {len(self.tasks)}")
        if bool(((self.x < 0) | (self.x > self.n)).any()):
            raise ValueError("more events than attempts")

    def only(self, kept: BoolArray) -> "Arm":
        """Return the arm with the strata outside ``kept`` (tasks, strata) emptied.

        Tasks that lose all their strata go.
        """
        rows = np.flatnonzero(kept.any(axis=1))
        return Arm(
            name=self.name,
            tasks=tuple(self.tasks[row] for row in rows.tolist()),
            n=np.where(kept, self.n, 0)[rows],
            x=np.where(kept, self.x, 0)[rows],
        )


def arm(name: str, n: Sequence[int] | IntArray, x: Sequence[int] | IntArray) -> Arm:
    """Make an arm with one stratum a task and tasks named by their number.

    Args:
        name: of the arm.
        n: attempts of each task.
        x: events of each task.

    Returns:
        An arm of shape (tasks, 1).

    """
    attempts = np.asarray(n, dtype=np.int64).reshape(-1, 1)
    return Arm(
        name=name,
        tasks=tuple(str(number) for number in range(len(attempts))),
        n=attempts,
        x=np.asarray(x, dtype=np.int64).reshape(-1, 1),
    )


def divided(numerator: IntArray | FloatArray, denominator: IntArray | FloatArray) -> FloatArray:
    """Divide where the denominator is above 0; elsewhere the quotient is 0."""
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def over_strata(values: FloatArray, n: IntArray) -> FloatArray:
    """Average each task's strata that have attempts: (tasks, strata) -> (tasks,).

    Every agent weighs the same within a task, however often it was tried.
    """
    there = n > 0
    return divided(np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1))
