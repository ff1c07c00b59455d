"""Is this request one that a sandbox can be made from? Checked before anything is touched."""

import re
from pathlib import PurePosixPath
from typing import Final

from runner.sandboxes.errors import SandboxInputError, SandboxRefusal
from runner.sandboxes.port import DriverContext, SandboxRequest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_FOLDER_ID: Final = re.compile(r"[a-z0-9-]{1,32}", re.ASCII)
_FILES_OF_CGROUPS: Final = frozenset({"tasks", "notify_on_release"})
"""Names of version 1's own files that the pattern lets through."""
_NOT_WRITABLE: Final = (
    *("/bin", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt/barograph"),
    *("/proc", "/sbin", "/sys", "/usr"),
)
_SMALLEST_CEILING_BYTES: Final = 1 << 20
_SMALLEST_PIDS: Final = 4


def check_context(context: DriverContext) -> None:
    """Refuse a context that no cgroup can be named by.

    Raises:
        SandboxInputError: what is wrong.

    """
    if not _FOLDER_ID.fullmatch(context.folder_id):
        raise SandboxInputError(
            "cannot name a cgroup",
            field="folder_id",
            value=context.folder_id,
            remedy="use 1 to 32 of a-z, 0-9 and -",
        )


def check(request: SandboxRequest, cap_bytes: int) -> None:
    """Refuse a request that contradicts itself or the cap.

    Args:
        request: what is asked.
        cap_bytes: of memory, shared by all sandboxes.

    Raises:
        SandboxInputError: what is wrong, and what would be right.
        SandboxRefusal: more memory is asked for than sandboxes may have here.

    """
    if not _NAME.fullmatch(request.name) or request.name in _FILES_OF_CGROUPS:
        _wrong(request, "name", request.name, "use 1 to 64 of A-Z, a-z, 0-9, _ and -")
    _check_memory(request, cap_bytes)
    _check_cpu(request)
    if request.pids_limit < _SMALLEST_PIDS:
        _wrong(request, "pids_limit", request.pids_limit, f"give {_SMALLEST_PIDS} or more")
    _check_workdir(request)
    for name, value in request.environment.items():
        if not name or "=" in name or "\0" in name + value:
            _wrong(request, "environment", name, "use names without '=' and values without NUL")


def _check_memory(request: SandboxRequest, cap_bytes: int) -> None:
    floor, ceiling = request.memory_floor_bytes, request.memory_ceiling_bytes
    if ceiling is not None and ceiling < _SMALLEST_CEILING_BYTES:
        _wrong(request, "memory_ceiling_bytes", ceiling, "give 1 MiB or more; no program runs in")
    if floor is not None and floor < 0:
        _wrong(request, "memory_floor_bytes", floor, "give 0 or more")
    if floor is not None and ceiling is not None and floor > ceiling:
        _wrong(request, "memory_floor_bytes", floor, f"give at most the ceiling, {ceiling}")
    largest = max(floor or 0, ceiling or 0)
    if largest > cap_bytes:
        raise SandboxRefusal(
            f"more memory than all sandboxes together may use here ({cap_bytes} bytes)",
            where=f"sandbox {request.name}",
            field="memory_floor_bytes" if ceiling is None else "memory_ceiling_bytes",
            value=largest,
            remedy="ask for less, raise the parent cap, or use a machine with more memory",
        )


def _check_cpu(request: SandboxRequest) -> None:
    floor, ceiling = request.cpu_floor_cores, request.cpu_ceiling_cores
    if ceiling is not None and not ceiling > 0:
        _wrong(request, "cpu_ceiling_cores", ceiling, "give more than 0")
    if floor is not None and not floor > 0:
        _wrong(request, "cpu_floor_cores", floor, "give more than 0")
    if floor is not None and ceiling is not None and floor > ceiling:
        _wrong(request, "cpu_floor_cores", floor, f"give at most the ceiling, {ceiling}")


def _check_workdir(request: SandboxRequest) -> None:
    path = PurePosixPath(request.workdir)
    plain = path.is_absolute() and ".." not in path.parts and "\0" not in request.workdir
    if not plain or str(path) != request.workdir or len(path.parts) == 1:
        _wrong(request, "workdir", request.workdir, "give an absolute path below /, e.g. '/app'")
    if any(path.is_relative_to(place) for place in _NOT_WRITABLE):
        _wrong(
            request, "workdir", request.workdir, "give a place that tasks can write, e.g. '/app'"
        )


def _wrong(request: SandboxRequest, field: str, value: object, remedy: str) -> None:
    raise SandboxInputError(
        "not possible",
        where=f"sandbox {request.name!r}",
        field=field,
        value=value,
        remedy=remedy,
    )
