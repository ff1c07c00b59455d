"""Make a sandbox's cgroups, set floor and ceiling, and read back what the kernel made of it.

Floor and ceiling are two things. The *ceiling* kills: ``memory.max`` (version 1:
``memory.limit_in_bytes``), with no swap beside it, so that it means memory and not
patience. The *floor* is guaranteed: ``memory.min`` (version 1 has only a soft limit that
says who is reclaimed last). ``memory.high`` is never set: it throttles instead of
killing, a third condition that no harness asks for.

A sandbox lies two levels down, ``barograph/<folder>/<sandbox>``. The middle level holds the
cap that all sandboxes of a campaign share, "uncapped" ones included, so that the host
survives them. CPU weights of the levels above are raised to that of all cores: to the
kernel a group competes as one, and all sandboxes together are not worth one process.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from runner.sandboxes.errors import SandboxFailedError, SandboxRefusal
from runner.sandboxes.hierarchies import UNIFIED, Hierarchies
from runner.sandboxes.port import SandboxRequest, Standing
from runner.sandboxes.supervisor import removal

TOP: Final = "barograph"
_PERIOD_US: Final = 100_000
_SMALLEST_QUOTA_US: Final = 1_000
_V1_SHARES, _V1_SHARES_RANGE = 1024, (2, 262_144)
_V2_WEIGHT, _V2_WEIGHT_RANGE = 100, (1, 10_000)
_UNLIMITED_BYTES: Final = 1 << 62
"""Version 1 reports no limit as the largest multiple of a page."""
_CONTROLLERS: Final = ("memory", "cpu", "pids", "io")
_REMOVE_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What is in force, as read back; None: no limit."""

    memory_floor_bytes: int | None
    memory_ceiling_bytes: int | None
    cpu_floor_cores: float | None
    cpu_ceiling_cores: float | None
    pids_limit: int | None
    swap_held: bool
    """Whether swap is closed to the sandbox, or the machine has none."""


class Group:
    """The middle level: all sandboxes of one data folder on this machine."""

    def __init__(self, hierarchies: Hierarchies, folder_id: str) -> None:
        """Nothing is made before ``raise_up``."""
        self.hierarchies = hierarchies
        self._folder_id = folder_id

    def paths(self, sandbox: str | None = None) -> dict[str, str]:
        """Controller to absolute path: of a sandbox, or of the middle level itself."""
        inner = f"{TOP}/{self._folder_id}" + (f"/{sandbox}" if sandbox else "")
        return {name: f"{mount}/{inner}" for name, mount in self.hierarchies.mounts.items()}

    def kernel_path(self, sandbox: str) -> str:
        """The memory cgroup as the kernel log prints it."""
        return f"{self.hierarchies.kernel_prefix}/{TOP}/{self._folder_id}/{sandbox}"

    def raise_up(self, cap_bytes: int) -> int:
        """Make the levels above the sandboxes and set the cap; again: set it anew.

        Returns:
            The cap in force, as read back.

        Raises:
            SandboxRefusal: the cgroup file system does not let us.

        """
        cores = os.cpu_count() or 1
        try:
            if self.hierarchies.version == 2:  # noqa: PLR2004 - a version is a version
                return self._raise_up_v2(cap_bytes, cores)
            return self._raise_up_v1(cap_bytes, cores)
        except OSError as error:
            raise SandboxRefusal(
                f"cgroups cannot be made here ({error.strerror})",
                where=error.filename,
                remedy="run as root on a machine whose cgroup file system is writable",
            ) from error

    def _raise_up_v1(self, cap_bytes: int, cores: int) -> int:
        paths = self.paths()
        for path in paths.values():
            Path(path).mkdir(parents=True, exist_ok=True)
        shares = _within(_V1_SHARES * cores, _V1_SHARES_RANGE)
        for level in (Path(paths["cpu"]).parent, Path(paths["cpu"])):
            _put(level / "cpu.shares", shares)
        memory = Path(paths["memory"])
        swap_too = memory / "memory.memsw.limit_in_bytes"
        if swap_too.exists():
            _put(swap_too, -1)  # or a lower cap than before would lie below it
        _put(memory / "memory.limit_in_bytes", cap_bytes)
        if swap_too.exists():
            _put(swap_too, cap_bytes)
        return _whole(memory / "memory.limit_in_bytes")

    def _raise_up_v2(self, cap_bytes: int, cores: int) -> int:
        path = Path(self.paths()[UNIFIED])
        for level in (path.parent.parent, path.parent, path):
            level.mkdir(exist_ok=True)
            offered = (level / "cgroup.controllers").read_text(encoding="ascii").split()
            active = (level / "cgroup.subtree_control").read_text(encoding="ascii").split()
            wanted = [name for name in _CONTROLLERS if name in offered and name not in active]
            if wanted:
                _put(level / "cgroup.subtree_control", " ".join(f"+{name}" for name in wanted))
            if level != path.parent.parent:
                _put(level / "cpu.weight", _within(_V2_WEIGHT * cores, _V2_WEIGHT_RANGE))
        _put(path / "memory.max", cap_bytes)
        if (path / "memory.swap.max").exists():
            _put(path / "memory.swap.max", 0)
        return _whole(path / "memory.max")

    def add(self, request: SandboxRequest) -> Applied:
        """Make a sandbox's cgroups and set what was asked.

        Raises:
            SandboxFailedError: a cgroup of this name is there, or the kernel refused; what
                was made has been removed.

        """
        paths = self.paths(request.name)
        made: list[str] = []
        try:
            for path in dict.fromkeys(paths.values()):
                Path(path).mkdir()
                made.append(path)
            if self.hierarchies.version == 2:  # noqa: PLR2004 - a version is a version
                applied = _apply_v2(Path(paths[UNIFIED]), request)
                self.share_floors()
            else:
                applied = _apply_v1({name: Path(path) for name, path in paths.items()}, request)
        except OSError as error:
            removal.remove_cgroups(made, _REMOVE_TIMEOUT_S)
            raise SandboxFailedError(
                f"the cgroup could not be set up ({error.strerror})", where=error.filename
            ) from error
        return applied

    def share_floors(self) -> None:
        """Version 2: guarantee to the levels above what the sandboxes were guaranteed.

        Protection is handed down: a child's ``memory.min`` is worth nothing beyond its
        parents'. To be called whenever a sandbox came or went.
        """
        if self.hierarchies.version == 1:
            return
        path = Path(self.paths()[UNIFIED])
        floors = 0
        for file in path.glob("*/memory.min"):
            with suppress(OSError):  # another thread removes that sandbox just now
                floors += _whole(file)
        for level in (path, path.parent):
            with suppress(FileNotFoundError):  # the last one is gone, and so are the levels
                _put(level / "memory.min", floors)

    def take_down(self) -> None:
        """Remove the levels above the sandboxes, where nothing is in them any more."""
        for path in dict.fromkeys(self.paths().values()):
            for level in (Path(path), Path(path).parent):
                try:
                    level.rmdir()
                except OSError:
                    break  # gone, or somebody else's sandboxes stand in it


def _apply_v1(paths: Mapping[str, Path], request: SandboxRequest) -> Applied:
    memory, cpu = paths["memory"], paths["cpu"]
    swap_too = memory / "memory.memsw.limit_in_bytes"
    if request.memory_ceiling_bytes is not None:
        _put(memory / "memory.limit_in_bytes", request.memory_ceiling_bytes)
        if swap_too.exists():
            _put(swap_too, request.memory_ceiling_bytes)
    if request.memory_floor_bytes is not None:
        _put(memory / "memory.soft_limit_in_bytes", request.memory_floor_bytes)
    if request.cpu_ceiling_cores is not None:
        _put(cpu / "cpu.cfs_period_us", _PERIOD_US)
        _put(cpu / "cpu.cfs_quota_us", _quota_us(request.cpu_ceiling_cores))
    if request.cpu_floor_cores is not None:
        shares = round(request.cpu_floor_cores * _V1_SHARES)
        _put(cpu / "cpu.shares", _within(shares, _V1_SHARES_RANGE))
    _put(paths["pids"] / "pids.max", request.pids_limit)
    quota_us = _whole(cpu / "cpu.cfs_quota_us")
    floored = request.cpu_floor_cores is not None
    return Applied(
        memory_floor_bytes=_limit(memory / "memory.soft_limit_in_bytes"),
        memory_ceiling_bytes=_limit(memory / "memory.limit_in_bytes"),
        cpu_floor_cores=_whole(cpu / "cpu.shares") / _V1_SHARES if floored else None,
        cpu_ceiling_cores=None if quota_us < 0 else quota_us / _whole(cpu / "cpu.cfs_period_us"),
        pids_limit=_limit(paths["pids"] / "pids.max"),
        swap_held=swap_too.exists() or _no_swap(),
    )


def _apply_v2(path: Path, request: SandboxRequest) -> Applied:
    swap = path / "memory.swap.max"
    if request.memory_ceiling_bytes is not None:
        _put(path / "memory.max", request.memory_ceiling_bytes)
    if swap.exists():
        _put(swap, 0)
    if request.memory_floor_bytes is not None:
        _put(path / "memory.min", request.memory_floor_bytes)
    _put(path / "memory.oom.group", int(request.oom_scope == "sandbox"))
    if request.cpu_ceiling_cores is not None:
        _put(path / "cpu.max", f"{_quota_us(request.cpu_ceiling_cores)} {_PERIOD_US}")
    if request.cpu_floor_cores is not None:
        weight = round(request.cpu_floor_cores * _V2_WEIGHT)
        _put(path / "cpu.weight", _within(weight, _V2_WEIGHT_RANGE))
    _put(path / "pids.max", request.pids_limit)
    quota, period = (path / "cpu.max").read_text(encoding="ascii").split()
    floored = request.cpu_floor_cores is not None
    return Applied(
        memory_floor_bytes=_whole(path / "memory.min") or None,
        memory_ceiling_bytes=_limit(path / "memory.max"),
        cpu_floor_cores=_whole(path / "cpu.weight") / _V2_WEIGHT if floored else None,
        cpu_ceiling_cores=None if quota == "max" else int(quota) / int(period),
        pids_limit=_limit(path / "pids.max"),
        swap_held=swap.exists() or _no_swap(),
    )


def kill_path(standing: Standing) -> str:
    """The cgroup to kill a sandbox by: all its processes are in it, and no others."""
    return standing.cgroups["pids" if standing.cgroup_version == 1 else UNIFIED]


def group_kill_set(memory_cgroup: str, version: Literal[1, 2]) -> bool:
    """Whether the kernel itself kills everything in this cgroup when its ceiling is hit."""
    return version != 1 and _whole(Path(memory_cgroup) / "memory.oom.group") == 1


def _quota_us(cores: float) -> int:
    return max(round(cores * _PERIOD_US), _SMALLEST_QUOTA_US)


def _within(value: int, bounds: tuple[int, int]) -> int:
    return min(max(value, bounds[0]), bounds[1])


def _put(path: Path, value: int | str) -> None:
    """Write one value in one ``write``, as cgroup files want it."""
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(value).encode())
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        os.close(fd)


def _whole(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))


def _limit(path: Path) -> int | None:
    text = path.read_text(encoding="ascii").strip()
    return None if text == "max" or int(text) >= _UNLIMITED_BYTES else int(text)


def _no_swap() -> bool:
    return len(Path("/proc/swaps").read_text(encoding="utf-8").splitlines()) <= 1
