"""What a sweep file would run: what each ceiling means for each task, and how much it is.

The table of ceilings is the point of a plan: a multiple looks harmless until it is seen
in MiB beside a task's name. The duration is a bound and says so; nobody knows how long an
agent takes before it was run.
"""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.units import format_bytes, format_cores, format_duration
from runner.conditions import UNCAPPED, Bound, Condition, Multiple, Range
from runner.plan import PlannedTrial
from runner.sweeps import Sweep
from runner.tasks import Task
from ui import tables
from ui.palette import DIM
from ui.text import UNKNOWN, mebibytes

_FIRST_TRIALS: Final = 5


def longest_s(sweep: Sweep) -> float | None:
    """How long the sweep takes if every trial uses all its time limits; None: no limit.

    Setting up and clean-up are not in it.
    """
    each = 0.0
    for task in sweep.tasks:
        if task.agent_timeout_s is None:
            return None
        each += sum(
            task.agent_timeout_s * condition.timeout_multiplier + task.verifier_timeout_s
            for condition in sweep.conditions
        )
    return each * len(sweep.agents) * sweep.attempts / sweep.concurrency


def content(
    sweep: Sweep, trials: Sequence[PlannedTrial], *, sweep_id: str | None, done: Collection[str]
) -> dict[str, object]:
    """Give the whole plan as plain data, trials in their order.

    Args:
        sweep: the checked file.
        trials: its plan.
        sweep_id: None while it was never run; then trials have no ids.
        done: trials that have an outcome.

    """
    return {
        "sweep": sweep_id,
        "name": sweep.name,
        "digest": sweep.digest,
        "trials_planned": sweep.trials,
        "trials_done": len(done),
        "longest_s": longest_s(sweep),
        "settings": sweep.settings,
        "tasks": [
            {
                "name": task.name,
                "digest": task.digest,
                "agent_timeout_s": task.agent_timeout_s,
                "verifier_timeout_s": task.verifier_timeout_s,
                "flags": list(task.flags),
                "limits": {
                    condition.name: sweep.limits[condition.name, task.name]
                    for condition in sweep.conditions
                },
            }
            for task in sweep.tasks
        ],
        "trials": [
            {
                "trial": None if sweep_id is None else one.trial,
                "done": one.trial in done,
                "order": one.order,
                "block": one.block,
                "condition": one.condition,
                "agent": one.agent,
                "task": one.task,
                "attempt": one.attempt,
                "seed": one.seed,
            }
            for one in trials
        ],
    }


def render(sweep: Sweep, trials: Sequence[PlannedTrial], *, done: int) -> RenderableType:
    """Show the plan for people: the product, the ceilings, the agents, the beginning."""
    said = tables.answer(
        f"{sweep.name}: {count(sweep.trials, 'trial')} = "
        f"{count(len(sweep.conditions), 'condition')} × {count(len(sweep.tasks), 'task')} × "
        f"{count(len(sweep.agents), 'agent')} × {count(sweep.attempts, 'attempt')}"
    )
    return Group(
        said,
        Text(_settings(sweep) + _so_far(done), style=DIM),
        tables.section("Memory ceiling of each task, MiB", _ceilings(sweep)),
        tables.section("Conditions", _conditions(sweep.conditions)),
        tables.section("Agents", _agents(sweep)),
        tables.section("Begins with", _first(trials)),
        *_doubts(sweep),
    )


def _settings(sweep: Sweep) -> str:
    longest = longest_s(sweep)
    cap = sweep.parent_cap_bytes
    return (
        f"seed {sweep.seed} · {sweep.concurrency} at once · OOM scope {sweep.oom_scope} · "
        f"parent cap {'the default' if cap is None else format_bytes(cap)} · "
        + ("no time limit" if longest is None else f"at most {format_duration(longest)}")
    )


def _so_far(done: int) -> str:
    return f" · {done:,} of them have an outcome in the data folder" if done else ""


def _ceilings(sweep: Sweep) -> RenderableType:
    columns = [tables.text("task", shrink=True), tables.number("spec", dim=True)]
    columns += [tables.number(condition.name) for condition in sweep.conditions]
    columns.append(tables.number("time limit", dim=True))
    return tables.table(columns, (_task_row(sweep, task) for task in sweep.tasks))


def _task_row(sweep: Sweep, task: Task) -> list[str]:
    limits = [sweep.limits[condition.name, task.name] for condition in sweep.conditions]
    ceilings = [mebibytes(one.memory_ceiling_bytes) for one in limits]
    limit = format_duration(task.agent_timeout_s)
    return [task.name, mebibytes(limits[0].spec.memory_bytes), *ceilings, limit]


def _conditions(conditions: Sequence[Condition]) -> RenderableType:
    columns = [
        tables.text("name"),
        tables.number("memory floor"),
        tables.number("memory ceiling"),
        tables.number("CPU floor"),
        tables.number("CPU ceiling"),
        tables.number("agent's time"),
    ]
    rows = (
        [
            one.name,
            *_range(one.memory, memory=True),
            *_range(one.cpu, memory=False),
            f"× {one.timeout_multiplier:g}",
        ]
        for one in conditions
    )
    return tables.table(columns, rows)


def _range(stated: Range, *, memory: bool) -> tuple[str, str]:
    floor = UNKNOWN if stated.floor is None else _bound(stated.floor, memory=memory)
    ceiling = UNCAPPED if stated.ceiling is None else _bound(stated.ceiling, memory=memory)
    return floor, ceiling


def _bound(bound: Bound, *, memory: bool) -> str:
    if isinstance(bound, Multiple):
        return str(bound)
    return format_bytes(round(bound.amount)) if memory else format_cores(bound.amount)


def _agents(sweep: Sweep) -> RenderableType:
    return tables.pairs(
        (
            one.name,
            f"built in ({one.builtin})" if one.builtin else " ".join(one.command),
        )
        for one in sweep.agents
    )


def _first(trials: Sequence[PlannedTrial]) -> RenderableType:
    columns = [
        tables.number("#", dim=True),
        tables.text("task", shrink=True),
        tables.text("agent"),
        tables.text("condition"),
        tables.number("attempt"),
    ]
    rows = (
        [str(one.order + 1), one.task, one.agent, one.condition, str(one.attempt)]
        for one in islice(trials, _FIRST_TRIALS)
    )
    return tables.table(columns, rows)


def _doubts(sweep: Sweep) -> list[RenderableType]:
    flagged = [f"{task.name}: {', '.join(task.flags)}" for task in sweep.tasks if task.flags]
    return [tables.section("Stated by a task, but not held here", tables.bullets(flagged))] * bool(
        flagged
    )
