"""Small data sets that several tests share, and rows made from counts."""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.arrays import Arm, arm
from analysis.cells import Cell, Outcomes
from analysis.grid import Grid, make_grid
from analysis.rows import TrialRow

# The toy sweep: 6 tasks x 5 attempts at ceilings a and b, (pass, infra, fail) a task.
TOY_A = [(5, 0, 0), (3, 1, 1), (1, 3, 1), (0, 2, 3), (2, 0, 3), (0, 0, 5)]
TOY_B = [(5, 0, 0), (4, 0, 1), (4, 1, 0), (0, 0, 5), (3, 0, 2), (1, 0, 4)]


def toy_arm(name: str, outcome: int) -> Arm:
    """Solved (0), infra (1) or failed (2) attempts of the toy sweep at ceiling a or b."""
    table = TOY_A if name == "a" else TOY_B
    return arm(name, [5] * len(table), [row[outcome] for row in table])


def cells_of(
    counts: Mapping[tuple[str, str], Sequence[tuple[int, int, int]]],
) -> list[Cell]:
    """Make cells from (agent, condition) -> (pass, infra, fail) of each task."""
    return [
        Cell(
            sweep="s",
            model=None,
            agent=agent,
            task=f"task{place:02}",
            condition=condition,
            outcomes=Outcomes(passed=passed, infra=infra, fail=fail, killed=infra, certain=infra),
        )
        for (agent, condition), rows in counts.items()
        for place, (passed, infra, fail) in enumerate(rows)
    ]


def toy_grid(*, times: int = 1) -> Grid:
    """The toy sweep as a grid; ``times`` repeats its tasks under other names."""
    return make_grid(
        cells_of({("only", "a"): TOY_A * times, ("only", "b"): TOY_B * times}),
        conditions=["a", "b"],
    )


def many_arms(seed: int, *, tasks: int = 14, attempts: int = 3) -> tuple[Arm, Arm]:
    """Two arms drawn from a U-shaped population of tasks."""
    generator = np.random.default_rng(seed)
    chance = generator.beta(0.4, 0.4, tasks)
    first, second = (
        arm(name, [attempts] * tasks, generator.binomial(attempts, chance)) for name in "ab"
    )
    return first, second


def trial(
    task: str,
    condition: str,
    attempt: int,
    evidence: Mapping[str, object],
    *,
    agent: str = "brute",
    command: str | None = None,
) -> TrialRow:
    """One row; phase and command of a kill follow the evidence."""
    phase = evidence.get("oom_phase")
    return TrialRow(
        sweep="s",
        trial=f"{agent}-{task}-{condition}-{attempt}",
        task=task,
        agent=agent,
        condition=condition,
        attempt=attempt,
        evidence=evidence,
        oom_phase=phase if isinstance(phase, str) else None,
        oom_command=command,
    )


PASSED: Mapping[str, object] = {"verifier_ran": True, "passed": True}
FAILED: Mapping[str, object] = {"verifier_ran": True, "passed": False}
KILLED: Mapping[str, object] = {"oom_group_kill": 1, "oom_kill": 3, "oom_phase": "agent"}
CHILD_KILLED: Mapping[str, object] = {**FAILED, "oom_kill": 1, "oom_phase": "agent"}
