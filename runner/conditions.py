"""The treatment: floor and ceiling for memory and CPU, as multiples or absolute.

Floor (what is guaranteed) and ceiling (where the kernel kills or throttles) are two
settings, because mixing them up is how most noise gets in: a task may run fine on its
spec as floor and still be killed by the same number as ceiling. A condition is stated
once for all tasks; what it means for one task is resolved against that task's spec, or
against the sweep's default spec where the task states none. A multiple of nothing is an
error and never a guess.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from barograph.errors import InputError
from barograph.units import MIB, format_bytes, parse_bytes, parse_cores, parse_multiple
from runner.errors import SweepFileError
from runner.fields import Table, as_mapping
from runner.task_environment import Spec

UNCAPPED: Final = "uncapped"

LEAST_MEMORY_BYTES: Final = 4 * MIB
"""Below this not even a shell can be started, so a trial would measure nothing."""

LEAST_CORES: Final = 0.01
"""The kernel's smallest CPU quota: 1 ms in a period of 100 ms."""

_LARGEST_MULTIPLE: Final = 1000.0
_MOST_MEMORY_BYTES: Final = 1 << 50
_MOST_CORES: Final = 4096.0

Resource = Literal["memory", "cpu"]


@dataclass(frozen=True, slots=True)
class Multiple:
    """So many times the task's spec."""

    factor: float

    def __str__(self) -> str:
        """As written in a sweep file: ``1.5x``."""
        return f"{self.factor:g}x"


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes or cores, the same for every task."""

    amount: float

    def __str__(self) -> str:
        """As a sweep file may write it."""
        return f"{self.amount:g}" if self.amount != int(self.amount) else f"{int(self.amount)}"


Bound = Multiple | Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Floor and ceiling of one resource."""

    floor: Bound | None = None
    """None: nothing is guaranteed."""
    ceiling: Bound | None = None
    """None: uncapped."""

    def settings(self) -> dict[str, object]:
        """As a sweep file would write it, defaults filled in."""
        floor = None if self.floor is None else str(self.floor)
        return {"floor": floor, "ceiling": UNCAPPED if self.ceiling is None else str(self.ceiling)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One column of a sweep."""

    name: str
    memory: Range
    cpu: Range = field(default_factory=Range)
    timeout_multiplier: float = 1.0
    """Applied to the agent's time limit only: the verifier's clock is no treatment."""

    def settings(self) -> dict[str, object]:
        """As a sweep file would write it, defaults filled in."""
        return {
            "name": self.name,
            "memory": self.memory.settings(),
            "cpu": self.cpu.settings(),
            "timeout_multiplier": self.timeout_multiplier,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a condition asks for one task; None: nothing guaranteed, or uncapped."""

    memory_floor_bytes: int | None
    memory_ceiling_bytes: int | None
    cpu_floor_cores: float | None
    cpu_ceiling_cores: float | None
    memory_floor_multiple: float | None
    memory_ceiling_multiple: float | None
    spec: Spec
    """What the multiples were, or would have been, applied to."""
    spec_from: Literal["task", "sweep"] | None
    """Who stated the spec's memory; None where nobody did."""


def read_condition(table: Table) -> Condition:
    """Read one ``[[conditions]]`` table.

    Raises:
        SweepFileError: a field is missing, unknown or out of range.

    """
    name = read_name(table)
    if "memory" not in table:
        raise table.missing("memory", remedy='write memory = { floor = "1x", ceiling = "2x" }')
    condition = Condition(
        name=name,
        memory=_range(table, "memory"),
        cpu=_range(table, "cpu") if "cpu" in table else Range(),
        timeout_multiplier=table.positive("timeout_multiplier", high=1000, unit="times") or 1.0,
    )
    table.done()
    return condition


def read_name(table: Table) -> str:
    """Read ``name``: a short word for tables and files.

    Raises:
        SweepFileError: missing, or not such a word.

    """
    remedy = "write 1 to 64 letters, digits or . _ + -, beginning with a letter or digit"
    name = table.text("name")
    if name is None:
        raise table.missing("name", remedy=remedy)
    plain = name.isascii() and name[0].isalnum() and len(name) <= 64  # noqa: PLR2004 - said above
    if not plain or not all(letter.isalnum() or letter in "._+-" for letter in name):
        raise table.wrong("name", "not a plain name", value=name, remedy=remedy)
    return name


def resolve(condition: Condition, task: str, spec: Spec, default: Spec, *, where: Path) -> Limits:
    """What ``condition`` asks for a task of this spec.

    Args:
        condition: the treatment.
        task: the task's name, for errors.
        spec: what the task states.
        default: what the sweep file states for tasks that state nothing.
        where: the sweep file, for errors.

    Raises:
        SweepFileError: a multiple of a spec that nobody states, a ceiling below its floor,
            or less than anything can run in.

    """
    used = Spec(
        memory_bytes=spec.memory_bytes or default.memory_bytes,
        cpu_cores=spec.cpu_cores or default.cpu_cores,
    )
    memory = _Resolver(condition, "memory", condition.memory, used.memory_bytes, task, where)
    cpu = _Resolver(condition, "cpu", condition.cpu, used.cpu_cores, task, where)
    memory_floor, memory_ceiling = memory.bounds(LEAST_MEMORY_BYTES)
    cpu_floor, cpu_ceiling = cpu.bounds(LEAST_CORES)
    spec_from: Literal["task", "sweep"] | None = None
    if used.memory_bytes is not None:
        spec_from = "task" if spec.memory_bytes else "sweep"
    return Limits(
        memory_floor_bytes=None if memory_floor is None else round(memory_floor),
        memory_ceiling_bytes=None if memory_ceiling is None else round(memory_ceiling),
        cpu_floor_cores=cpu_floor,
        cpu_ceiling_cores=cpu_ceiling,
        memory_floor_multiple=_factor(condition.memory.floor),
        memory_ceiling_multiple=_factor(condition.memory.ceiling),
        spec=used,
        spec_from=spec_from,
    )


def _range(table: Table, key: Resource) -> Range:
    value = table.take(key)
    if as_mapping(value) is None:  # a single bound is both: floor and ceiling at once
        bound = _bound(table, key, key, value)
        return Range(floor=bound, ceiling=bound)
    inner = table.inner(key, value)
    if "ceiling" not in inner:
        raise inner.missing("ceiling", remedy=f'write a bound, or "{UNCAPPED}"')
    ceiling = _bound(inner, "ceiling", key, inner.take("ceiling"))
    floor = _bound(inner, "floor", key, inner.take("floor")) if "floor" in inner else None
    inner.done()
    return Range(floor=floor, ceiling=ceiling)


def _bound(table: Table, key: str, resource: Resource, value: object) -> Bound | None:
    if value == UNCAPPED and key != "floor":
        return None
    amount = "'512M'" if resource == "memory" else "1.5 or '500m'"
    unit = "size" if resource == "memory" else "number of cores"
    uncapped = "" if key == "floor" else f" or '{UNCAPPED}'"
    remedy = f"write a multiple of the spec such as '1.5x', a {unit} such as {amount}{uncapped}"
    factor = parse_multiple(value)
    if factor is not None:
        if not 0 < factor <= _LARGEST_MULTIPLE:
            raise table.wrong(key, "out of range", value=value, remedy=remedy)
        return Multiple(factor)
    try:
        parse = parse_bytes if resource == "memory" else parse_cores
        return Amount(parse(value))
    except InputError as wrong:
        raise table.wrong(key, wrong.problem, value=value, remedy=remedy) from wrong


def _factor(bound: Bound | None) -> float | None:
    return bound.factor if isinstance(bound, Multiple) else None


@dataclass(frozen=True, slots=True)
class _Resolver:
    """One resource of one condition for one task; its fields make the errors' sentences."""

    condition: Condition
    resource: Resource
    stated: Range
    spec: float | None
    task: str
    where: Path

    def bounds(self, least: float) -> tuple[float | None, float | None]:
        floor = self._resolve("floor", self.stated.floor, least)
        ceiling = self._resolve("ceiling", self.stated.ceiling, least)
        if floor is not None and ceiling is not None and ceiling < floor:
            raise self._error(
                "ceiling",
                self.stated.ceiling,
                f"below the floor for task {self.task!r}: "
                f"{self._shown(ceiling)} under {self._shown(floor)}",
                "raise the ceiling or lower the floor",
            )
        return floor, ceiling

    def _resolve(self, key: str, bound: Bound | None, least: float) -> float | None:
        if bound is None:
            return None
        if isinstance(bound, Amount):
            amount = bound.amount
        elif self.spec is not None:
            amount = bound.factor * self.spec
        else:
            raise self._error(
                key,
                bound,
                f"a multiple, but task {self.task!r} states no {self._in_task()}",
                f"state a default: [spec] {self._in_spec()}",
            )
        if amount < least:
            raise self._error(
                key,
                bound,
                f"{self._shown(amount)} for task {self.task!r} is too little to run anything",
                f"ask for {self._shown(least)} or more",
            )
        most = _MOST_MEMORY_BYTES if self.resource == "memory" else _MOST_CORES
        if amount > most:
            raise self._error(
                key,
                bound,
                f"{self._shown(amount)} for task {self.task!r} is more than any machine has",
                f"ask for {self._shown(most)} at most"
                + ("" if key == "floor" else f', or write "{UNCAPPED}"'),
            )
        return amount

    def _error(self, key: str, bound: Bound | None, problem: str, remedy: str) -> SweepFileError:
        return SweepFileError(
            problem,
            where=self.where,
            field=f'condition "{self.condition.name}" {self.resource}.{key}',
            value=str(bound),
            remedy=remedy,
        )

    def _shown(self, amount: float) -> str:
        return format_bytes(round(amount)) if self.resource == "memory" else f"{amount:g} cores"

    def _in_task(self) -> str:
        return "environment.memory_mb" if self.resource == "memory" else "environment.cpus"

    def _in_spec(self) -> str:
        return 'memory = "2G"' if self.resource == "memory" else "cpus = 1"
