"""A sweep file, read strictly: which tasks, which agents, under which conditions.

A sweep costs hours and money, so a mistake in its file has to come out before the first
trial: every field is checked, every task is loaded, and every condition is resolved for
every task here. What comes back is one frozen value that the plan is a pure function of.

The digest is taken over the file's *meaning* (defaults filled in, order of tables kept)
and the digests of its tasks; a comment or a blank line does not make another sweep, an
edited verifier does. The concurrency is left out: a sweep may go on with another one,
and each campaign says which it used.
"""

import difflib
import hashlib
import json
import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from barograph.facts import OomScope
from barograph.units import format_bytes, parse_bytes, parse_cores
from runner.conditions import Condition, Limits, read_condition, read_name, resolve
from runner.errors import SweepFileError
from runner.fields import Table, read_toml
from runner.sweep_agents import Agent, read_agent
from runner.sweep_tasks import TaskChoice, read_task_choice
from runner.task_environment import Spec
from runner.tasks import Task

_DEFAULT_CONCURRENCY: Final = 4
_MOST_CONCURRENT: Final = 1024
_MOST_ATTEMPTS: Final = 10_000
_MOST_TRIALS: Final = 1_000_000
_SEEDS: Final = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A checked sweep file with its tasks."""

    file: Path
    name: str
    seed: int
    attempts: int
    concurrency: int
    oom_scope: OomScope
    timezone: str
    parent_cap_bytes: int | None
    """Memory that all sandboxes together may use; None: the driver's default."""
    spec: Spec
    """For tasks that state none."""
    choice: TaskChoice
    tasks: tuple[Task, ...]
    """Sorted by name; names are unique."""
    agents: tuple[Agent, ...]
    conditions: tuple[Condition, ...]
    limits: Mapping[tuple[str, str], Limits] = field(repr=False)
    """(condition, task) -> what is asked for."""

    @property
    def trials(self) -> int:
        """How many trials the plan has."""
        return len(self.conditions) * len(self.agents) * len(self.tasks) * self.attempts

    @property
    def settings(self) -> dict[str, object]:
        """The file's meaning, defaults filled in, as JSON values."""
        return self._settings({"concurrency": self.concurrency})

    def _settings(self, more: Mapping[str, object]) -> dict[str, object]:
        return {
            "sweep": {
                "name": self.name,
                "seed": self.seed,
                "attempts": self.attempts,
                "oom_scope": self.oom_scope,
                "timezone": self.timezone,
                "parent_cap": self.parent_cap_bytes,
                **more,
            },
            "spec": {"memory": self.spec.memory_bytes, "cpus": self.spec.cpu_cores},
            "tasks": self.choice.settings(),
            "agents": [agent.settings() for agent in self.agents],
            "conditions": [condition.settings() for condition in self.conditions],
        }

    @property
    def task_digests(self) -> dict[str, str]:
        """Task name -> digest of its directory."""
        return {task.name: task.digest for task in self.tasks}

    @cached_property
    def digest(self) -> str:
        """``sha256:`` and 64 hex digits: equal for what would run the same trials."""
        meaning = {"settings": self._settings({}), "tasks": self.task_digests}
        text = json.dumps(meaning, sort_keys=True, separators=(",", ":"))
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def load_sweep(file: Path) -> Sweep:
    """Read and check a sweep file, its tasks, and every condition for every task.

    Raises:
        SweepFileError: the file is wrong; file, field, value and remedy are named.
        TaskError: a task that it names is.

    """
    table = read_toml(file, what="sweep file", error=SweepFileError)
    sweep = table.table("sweep")
    if sweep is None:
        raise table.missing("sweep", remedy='write a table [sweep] with name = "..."')
    general = _General.read(sweep)
    spec = _spec(table)
    choice = read_task_choice(table)
    agents = _unique(table, "agents", [read_agent(one) for one in table.tables("agents")])
    conditions = _unique(
        table, "conditions", [read_condition(one) for one in table.tables("conditions")]
    )
    table.done()
    tasks = choice.load(file)
    loaded = Sweep(
        file=file.resolve(),
        name=general.name,
        seed=general.seed,
        attempts=general.attempts,
        concurrency=general.concurrency,
        oom_scope=general.oom_scope,
        timezone=general.timezone,
        parent_cap_bytes=general.parent_cap_bytes,
        spec=spec,
        choice=choice,
        tasks=tasks,
        agents=agents,
        conditions=conditions,
        limits=_limits(conditions, tasks, general, spec, file),
    )
    if loaded.trials > _MOST_TRIALS:
        raise sweep.wrong(
            "attempts",
            f"this makes {loaded.trials} trials",
            value=loaded.attempts,
            remedy=f"plan {_MOST_TRIALS} at most",
        )
    return loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class _General:
    """The ``[sweep]`` table."""

    name: str
    seed: int
    attempts: int
    concurrency: int
    oom_scope: OomScope
    timezone: str
    parent_cap_bytes: int | None

    @classmethod
    def read(cls, table: Table) -> "_General":
        name = read_name(table)
        oom_scope: OomScope = "sandbox"
        if table.choice("oom_scope", ("sandbox", "process")) == "process":
            oom_scope = "process"
        seed = table.integer("seed", low=0, high=_SEEDS)
        attempts = table.integer("attempts", low=1, high=_MOST_ATTEMPTS)
        concurrency = table.integer("concurrency", low=1, high=_MOST_CONCURRENT)
        general = cls(
            name=name,
            seed=seed or 0,
            attempts=attempts or 1,
            concurrency=concurrency or _DEFAULT_CONCURRENCY,
            oom_scope=oom_scope,
            timezone=_timezone(table),
            parent_cap_bytes=_size(table, "parent_cap"),
        )
        table.done()
        return general


def _size(table: Table, key: str) -> int | None:
    value = table.take(key)
    if value is None:
        return None
    return parse_bytes(value, where=table.where, field=table.name(key))


def _spec(table: Table) -> Spec:
    spec = table.table("spec")
    if spec is None:
        return Spec()
    memory_bytes = _size(spec, "memory")
    cpus = spec.take("cpus")
    spec.done()
    cores = None
    if cpus is not None:
        cores = parse_cores(cpus, where=spec.where, field=spec.name("cpus"))
    return Spec(memory_bytes=memory_bytes, cpu_cores=cores)


def _timezone(table: Table) -> str:
    """An IANA name; taken on trust where the machine has no time zone data to check it by."""
    name = table.text("timezone") or "UTC"
    known = zoneinfo.available_timezones()
    if name == "UTC" or not known or name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    raise table.wrong(
        "timezone",
        "no such time zone",
        value=name,
        remedy=f'did you mean "{near[0]}"?' if near else 'write an IANA name, "Europe/Berlin"',
    )


def _limits(
    conditions: Iterable[Condition],
    tasks: Iterable[Task],
    general: _General,
    spec: Spec,
    file: Path,
) -> dict[tuple[str, str], Limits]:
    """Resolve everything now: a condition that fits no task must not fail at the 200th trial."""
    limits: dict[tuple[str, str], Limits] = {}
    cap = general.parent_cap_bytes
    for condition in conditions:
        for task in tasks:
            asked = resolve(condition, task.name, task.spec, spec, where=file)
            ceiling = asked.memory_ceiling_bytes or asked.memory_floor_bytes
            if cap is not None and ceiling is not None and ceiling > cap:
                raise SweepFileError(
                    f"below what condition {condition.name!r} asks for task {task.name!r} "
                    f"({format_bytes(ceiling)})",
                    where=file,
                    field="sweep.parent_cap",
                    value=format_bytes(cap),
                    remedy="raise parent_cap, or lower the condition",
                )
            limits[condition.name, task.name] = asked
    return limits


_Named = TypeVar("_Named", Agent, Condition)


def _unique(table: Table, key: str, found: list[_Named]) -> tuple[_Named, ...]:
    if not found:
        raise table.missing(key, remedy=f"write at least one [[{key}]] table")
    names: set[str] = set()
    for index, one in enumerate(found):
        if one.name in names:
            raise table.wrong(
                f"{key}[{index}].name", "this name is taken", value=one.name, remedy="rename one"
            )
        names.add(one.name)
    return tuple(found)
