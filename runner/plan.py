"""The plan: every trial of a sweep in the order in which it is begun; pure, by seed.

Condition and hour must not be confounded: if all trials at 1x ran first, a slow API in
that hour would look like an effect of the ceiling. So the plan is *blocked* and
*interleaved*. A block holds every cell (condition, agent, task) exactly once, which is
one attempt of each. Inside a block there is one round for every condition; a round
visits every (agent, task) once, and gives it the next condition of a cycle that begins
at another place for each. So in every round the conditions are as even as whole numbers
allow, and after all rounds every pair has met every condition. The order inside a round,
the order of the conditions in the cycle and the places where it begins are shuffled by
seed.

The shuffle sorts by a hash instead of drawing from a generator, so that the order is the
same in every version of Python, and is fixed by the golden order in the tests.

Each trial has a seed of its own, for whatever its agent draws. Trials of one task under
different ceilings do *not* share it: a model would not answer twice alike either, and
the tests of analysis take trials as independent given their cell.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from barograph.ids import trial_id
from runner.sweeps import Sweep

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """One trial: what it is, when it is due, and what its agent draws from."""

    trial: str
    """Its id; see ``barograph.ids.trial_id``."""
    order: int
    """Place in the plan, from 0."""
    block: int
    """Which balanced block, from 0."""
    condition: str
    agent: str
    task: str
    attempt: int
    """The planned repeat, 1..k; equal to the block's number + 1."""
    seed: int
    """0 .. 2^31 - 1."""


class Cell(NamedTuple):
    """What is repeated: one task under one condition by one agent."""

    condition: str
    agent: str
    task: str


def plan(sweep: Sweep, sweep_id: str) -> tuple[PlannedTrial, ...]:
    """All trials of a sweep in their order.

    Args:
        sweep: the checked file.
        sweep_id: only names the trials; the order does not depend on it.

    """
    planned: list[PlannedTrial] = []
    for block in range(sweep.attempts):
        cells = block_order(
            seed=sweep.seed,
            block=block,
            conditions=[condition.name for condition in sweep.conditions],
            agents=[agent.name for agent in sweep.agents],
            tasks=[task.name for task in sweep.tasks],
        )
        planned += (
            _trial(cell, sweep, sweep_id, block=block, order=order)
            for order, cell in enumerate(cells, start=len(planned))
        )
    return tuple(planned)


def block_order(
    *,
    seed: int,
    block: int,
    conditions: Sequence[str],
    agents: Iterable[str],
    tasks: Sequence[str],
) -> list[Cell]:
    """Every cell once, interleaved and shuffled; see the module's docstring.

    Args:
        seed: of the sweep.
        block: its number; each has an order of its own.
        conditions: names, as are ``agents`` and ``tasks``; their order does not matter.
        agents: see ``conditions``.
        tasks: see ``conditions``.

    """
    pairs = _shuffled([(agent, task) for agent in agents for task in tasks], seed, block, "pairs")
    cycle = _shuffled(conditions, seed, block, "conditions")
    order: list[Cell] = []
    for turn in range(len(cycle)):
        met = [
            Cell(cycle[(place + turn) % len(cycle)], agent, task)
            for place, (agent, task) in enumerate(pairs)
        ]
        order += _shuffled(met, seed, block, f"round {turn}")
    return order


def _trial(cell: Cell, sweep: Sweep, sweep_id: str, *, block: int, order: int) -> PlannedTrial:
    attempt = block + 1
    return PlannedTrial(
        trial=trial_id(
            sweep=sweep_id,
            condition=cell.condition,
            agent=cell.agent,
            task=cell.task,
            attempt=attempt,
        ),
        order=order,
        block=block,
        condition=cell.condition,
        agent=cell.agent,
        task=cell.task,
        attempt=attempt,
        seed=_number(sweep.seed, "agent", *cell, attempt) >> 225,
    )


def _shuffled(items: Sequence[_Item], *key: object) -> list[_Item]:
    """``items`` in an order that depends on what they are and on ``key``, nothing else."""
    return sorted(items, key=lambda item: _number(*key, item))


def _number(*key: object) -> int:
    """256 bits that look random, from values that JSON can hold."""
    text = json.dumps(key, ensure_ascii=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
