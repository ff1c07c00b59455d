"""Would the trials that a ceiling killed have failed anyway?

Each kill at ceiling a is an attempt of some task by some agent; what would have become of
it with more room is read off the attempts of the same task and agent at ceiling b, at
random (the independent coupling of ``decomposition``):

    share = Σ_t K_t (1 - s_bt) / Σ_t K_t,   K_t kills at a, s_bt solved share at b.

A high share says that the ceiling mostly killed what would have failed; a low one, that it
cost score. The assumption to doubt: a killed attempt is *not* a random one where an agent
draws between a hungry and a thrifty way, so the share is about such tasks' attempts in
general, and it is stated as an assumption in the record.

The interval must hold at 0%, at 100% and with few kills, where Wald intervals end. So it is
Clopper-Pearson on an effective number of kills, as for rare rates: the variance by
linearisation (both the kills and the solved shares vary), and with few kills the number
is capped at what the attempts at b can tell, ``(ΣK)²/Σ(K²/n_b)``, and at the kills
themselves. Simulated coverage at nominal 95%, over 8 designs from 12 x 2 x 2 to 89 x 2 x 5:
.96 to .99, never below; the tests hold it there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.arrays import Arm, FloatArray, divided
from analysis.guards import FEW_EVENTS, DataSize, data_size
from analysis.intervals import DESIGN_CORRELATION, Interval, clopper_pearson, t_quantile
from analysis.record import Asked, make_result
from analysis.result import Frame, Result
from analysis.signflip import ROUNDING

_ENOUGH: Final = 5
"""Tasks, failures and successes from which on the variance estimate is used uncapped."""
RANDOM_KILLS: Final = "a killed attempt is like any attempt of its task and agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAnyway:
    """The share of the kills at a that would not have been solved at b."""

    a: str
    b: str
    agents: tuple[str, ...]
    kills: int
    these: Result
    like: Result


def failed_anyway(killed: Arm, solved: Arm, *, agents: Sequence[str] = ()) -> FailedAnyway:
    """Estimate which share of the kills at one ceiling would have failed at another.

    Args:
        killed: kills of the ceiling at a, over tasks and agents.
        solved: passes at b, same tasks and strata.
        agents: names of the strata, for the record.

    Returns:
        The share in both frames; kills of tasks without attempts at b are left out.

    """
    use = (killed.x > 0) & (solved.n > 0)
    first, second = killed.only(use), solved.only(use)
    # The size names the kills as events, and both ceilings' attempts of tasks with kills.
    size = data_size([first, second])
    kills = int(first.x.sum())
    counted = DataSize(
        n_tasks=size.n_tasks,
        attempts_min=size.attempts_min,
        attempts_max=size.attempts_max,
        n_trials=size.n_trials,
        n_events=kills,
    )
    question = f"Share of the kills at {killed.name} that would have failed at {solved.name} too"
    frames: tuple[Frame, Frame] = ("these_tasks", "tasks_like_these")
    these, like = (_result(first, second, counted, question, frame) for frame in frames)
    return FailedAnyway(
        a=killed.name,
        b=solved.name,
        agents=tuple(agents),
        kills=kills,
        these=these,
        like=like,
    )


def _result(killed: Arm, solved: Arm, size: DataSize, question: str, frame: Frame) -> Result:
    kills = size.n_events
    failing = 1 - divided(solved.x, solved.n)
    share = float((killed.x * failing).sum()) / kills if kills else None
    interval: Interval | None = None
    if share is not None:
        effective = _effective_kills(killed, solved, failing, share, frame)
        if effective is not None:
            made = clopper_pearson(share * effective, effective)
            method = "Clopper-Pearson on effective kills"
            interval = Interval(low=made.low, high=made.high, method=method)
    reasons: list[str] = []
    if not kills:
        reasons.append(f"no kill by the ceiling at {killed.name}")
    warnings = ["few kills"] if 0 < kills < FEW_EVENTS else []
    return make_result(
        Asked(
            question=question,
            estimand="mean over kills of the share not solved at the other ceiling",
            frame=frame,
            unit="rate",
            assumptions=(RANDOM_KILLS,),
        ),
        estimate=share,
        interval=interval,
        size=size,
        informative=size.n_tasks,
        reasons=reasons,
        warnings=warnings,
    )


def _effective_kills(
    killed: Arm, solved: Arm, failing: FloatArray, share: float, frame: Frame
) -> float | None:
    """How many independent kills the share is worth; None for tasks like these below two."""
    kills, weight = int(killed.x.sum()), killed.x.astype(np.float64)
    failed = share * kills
    many = len(killed.tasks) >= _ENOUGH and _ENOUGH <= failed <= kills - _ENOUGH
    told = kills**2 / float(divided(weight**2, solved.n).sum())
    if frame == "these_tasks":
        chance = divided(killed.x, killed.n)
        spread = divided(failing * (1 - failing), solved.n - 1)
        kill_variance = divided(chance * (1 - chance) * killed.n**2, killed.n - 1)
        variance = float((weight**2 * spread + (failing - share) ** 2 * kill_variance).sum())
        worth = _worth(share, math.sqrt(variance) / kills)
        # One attempt at either ceiling shows no spread, which is not the same as none.
        single = bool((killed.n == 1).any()) or bool((solved.n == 1).any())
        return worth if many and worth and not single else min(worth or told, told, kills)
    tasks = len(killed.tasks)
    if tasks < 2:  # noqa: PLR2004 - one task has no spread
        return None
    deviation = (weight * (failing - share)).sum(axis=1)
    error = math.sqrt(tasks / (tasks - 1) * float((deviation**2).sum())) / kills
    alike = kills / (1 + (kills / tasks - 1) * DESIGN_CORRELATION)
    ratio = t_quantile(kills - 1) / t_quantile(tasks - 1)
    worth = _worth(share, error)
    return (worth if many and worth else min(worth or told, told, alike)) * ratio**2


def _worth(share: float, error: float) -> float | None:
    """Trials of a binomial with this standard error; None where none was seen."""
    return share * (1 - share) / error**2 if error > ROUNDING and 0 < share < 1 else None
