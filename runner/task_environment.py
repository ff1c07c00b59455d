"""What a task's [environment] says about its machine: resources, network, paths.

No resource stated means no policy at all, as in Harbor; it does not mean some default.
A sweep that wants multiples of such a task's spec has to declare the spec itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

from barograph.units import MIB, parse_bytes
from runner.fields import Table
from runner.task_format import REMEDY

Network = Literal["public", "no-network"]

STORAGE_NOT_ENFORCED: Final = "storage_not_enforced"
"""Flag of a task that states ``storage_mb``, which the local driver cannot hold."""

DEFAULT_WORKDIR: Final = "/app"

_MOST_MB: Final = 16 << 20
_MOST_CORES: Final = 4096.0
_SYSTEM: Final = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "proc",
    "sbin",
    "sys",
    "usr",
)
_OURS: Final = ("logs", "run", "solution", "tests")
_RESERVED: Final = frozenset((*_SYSTEM, *_OURS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """The memory and CPU that somebody says a task needs; None where nobody says."""

    memory_bytes: int | None = None
    cpu_cores: float | None = None


def resources(environment: Table) -> tuple[Spec, tuple[str, ...]]:
    """What the task asks for, and which of it cannot be held here.

    ``memory_mb`` and ``storage_mb``, or their older spellings with a suffix.

    Raises:
        InputError: not a size or number of cores, or both spellings at once.

    """
    memory_bytes = _size(environment, "memory")
    storage_bytes = _size(environment, "storage")
    spec = Spec(
        memory_bytes=memory_bytes,
        cpu_cores=environment.positive("cpus", high=_MOST_CORES, unit="cores"),
    )
    return spec, () if storage_bytes is None else (STORAGE_NOT_ENFORCED,)


def _size(environment: Table, older: str) -> int | None:
    newer = f"{older}_mb"
    megabytes = environment.integer(newer, low=1, high=_MOST_MB)
    text = environment.take(older)
    if text is None:
        return None if megabytes is None else megabytes * MIB
    if megabytes is not None:
        raise environment.wrong(
            older, f"given beside {newer}", value=text, remedy=f"keep {newer} only"
        )
    if not isinstance(text, str):
        raise environment.wrong(
            older, "not a size with a suffix", value=text, remedy=f'"2G", or {newer} = 2048'
        )
    return parse_bytes(text, where=environment.where, field=environment.name(older))


def network_for_task(environment: Table, *, phases: Iterable[Table]) -> Network:
    """One network mode for the whole task.

    Args:
        environment: the [environment] table.
        phases: tables that may repeat the mode, but not change it.

    Raises:
        InputError: an allowlist, contradicting fields, or a phase of its own mode.

    """
    network = _environment_network(environment)
    for phase in phases:
        mode = _network_mode(phase)
        if mode is not None and mode != network:
            raise phase.wrong(
                "network_mode",
                f"other than the environment's ({network}), which is not supported yet",
                value=mode,
                remedy="use one network mode for the whole task",
            )
    return network


def _environment_network(environment: Table) -> Network:
    mode = _network_mode(environment)
    allowed = environment.flag("allow_internet")
    if allowed is None:
        return mode or "public"
    older: Network = "public" if allowed else "no-network"
    if mode is not None and mode != older:
        raise environment.wrong(
            "allow_internet",
            f'contradicts network_mode = "{mode}"',
            value=allowed,
            remedy="keep network_mode only",
        )
    return older


def _network_mode(table: Table) -> Network | None:
    match table.choice("network_mode", ("public", "no-network", "allowlist")):
        case "allowlist":
            problem = "a network allowlist is not supported yet"
            raise table.wrong("network_mode", problem, value="allowlist", remedy=REMEDY)
        case "no-network":
            return "no-network"
        case "public":
            return "public"
        case _:
            return None


def working_directory(environment: Table) -> str:
    """``workdir``: an absolute path that is not one of the system's or the harness' own.

    Raises:
        InputError: any other path.

    """
    workdir = environment.text("workdir")
    if workdir is None:
        return DEFAULT_WORKDIR
    path = PurePosixPath(workdir)
    inside = path.parts[1:]
    if not path.is_absolute() or not inside or ".." in inside or inside[0] in _RESERVED:
        raise environment.wrong(
            "workdir",
            "cannot be the working directory",
            value=workdir,
            remedy='write an absolute path of the task\'s own, such as "/app"',
        )
    return str(path)


def environment_variables(table: Table) -> dict[str, str]:
    """The ``env`` table; templates that would pull in the host's secrets are refused.

    Raises:
        InputError: not a table of texts, or a ``${...}`` in a value.

    """
    values = table.mapping("env")
    for name, value in values.items():
        if "${" in value:
            raise table.wrong(
                f"env.{name}",
                "values taken from the host's environment are not supported yet",
                value=value,
                remedy="write the value itself",
            )
    return values
