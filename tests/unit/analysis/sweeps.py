"""Whole sweeps drawn by seed, with ceilings that really end trials."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.rows import JudgedTrial, TrialRow, judge_rows
from analysis.verdicts.reading import policy_v1
from tests.unit.analysis.toy import FAILED, KILLED, PASSED, trial

CEILINGS: Final = ("1x", "1.5x", "2x", "3x", "5x", "uncapped")
ROOM: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 99.0)


def drawn_rows(
    seed: int, *, tasks: int = 12, attempts: int = 2, ceilings: Sequence[str] = CEILINGS
) -> list[TrialRow]:
    """Draw a sweep of two agents, of which one needs more memory and is better with it."""
    generator = np.random.default_rng(seed)
    rows: list[TrialRow] = []
    for task in range(tasks):
        needs = float(generator.choice([0.5, 1.2, 1.8, 2.5, 4.0]))
        skill = float(generator.beta(0.8, 0.6))
        for agent, hungry in (("brute", 0.9), ("thrifty", 0.1)):
            for condition in ceilings:
                room = ROOM[CEILINGS.index(condition)]
                for attempt in range(1, attempts + 1):
                    heavy = generator.random() < hungry
                    solved = generator.random() < min(1.0, skill + 0.3 * heavy)
                    killed = heavy and needs > room
                    evidence = KILLED if killed else PASSED if solved else FAILED
                    rows.append(trial(f"task{task:03}", condition, attempt, evidence, agent=agent))
    return rows


def judged_sweep(seed: int, *, tasks: int = 12, attempts: int = 2) -> tuple[JudgedTrial, ...]:
    """Draw a sweep and judge it by policy 1."""
    return judge_rows(policy_v1(), drawn_rows(seed, tasks=tasks, attempts=attempts))
