"""One small file a standing sandbox, so that the next campaign finds what this one left.

It is written before the first cgroup is made and removed after the last one is gone; a
``kill -9`` at any moment in between leaves a record. Its supervisor holds a lock on the file for
as long as it lives, which tells a sandbox that is just being cleaned up by its supervisor
from one that nobody looks after any more: the kernel drops the lock with the process,
and no pid has to be believed.
"""

import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from barograph.envelope import Belongs
from runner.sandboxes.port import Standing
from runner.sandboxes.supervisor import removal

_SUFFIX: Final = ".json"
_STEP_S: Final = 0.02
_REMOVE_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a sandbox's things are on the host."""

    scratch: Path
    """A folder of its own."""
    record: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What has to be known to clean up after a sandbox."""

    standing: Standing
    scratch: Path
    """The sandbox's own folder."""
    supervisor_pid: int


def path_of(folder: Path, name: str) -> Path:
    """Where the record of a sandbox lies."""
    return folder / (name + _SUFFIX)


def write(path: Path, record: Record) -> None:
    """Write a record; a reader sees all of it or nothing.

    Raises:
        OSError: it could not be written.

    """
    standing = record.standing
    belongs = standing.belongs
    text = json.dumps(
        {
            "name": standing.name,
            "belongs": [belongs.sweep, belongs.trial, belongs.try_no, belongs.target],
            "cgroups": dict(standing.cgroups),
            "kernel_path": standing.kernel_path,
            "cgroup_version": standing.cgroup_version,
            "oom_scope": standing.oom_scope,
            "scratch": str(record.scratch),
            "supervisor_pid": record.supervisor_pid,
        }
    )
    draft = path.with_suffix(".new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)  # nobody would ever look for it
        raise


def read(path: Path) -> Record | None:
    """Read a record; None where it is not one (torn by a full disk, or not ours)."""
    try:
        data = cast("dict[str, object]", json.loads(path.read_text(encoding="utf-8")))
        sweep, trial, try_no, target = cast("list[object]", data["belongs"])
        cgroups = cast("dict[str, object]", data["cgroups"])
        standing = Standing(
            name=str(data["name"]),
            belongs=Belongs(
                sweep=_text(sweep),
                trial=_text(trial),
                try_no=try_no if isinstance(try_no, int) else None,
                target=_text(target),
            ),
            cgroups={str(name): str(place) for name, place in cgroups.items()},
            kernel_path=str(data["kernel_path"]),
            cgroup_version=_version(data["cgroup_version"]),
            oom_scope="sandbox" if data["oom_scope"] == "sandbox" else "process",
        )
        pid = data["supervisor_pid"]
        return Record(
            standing=standing,
            scratch=Path(str(data["scratch"])),
            supervisor_pid=pid if isinstance(pid, int) else 0,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def paths(folder: Path) -> list[Path]:
    """All records in a folder, by name."""
    return sorted(folder.glob("*" + _SUFFIX)) if folder.is_dir() else []


@contextmanager
def unattended(path: Path, patience_s: float) -> Generator[bool]:
    """Wait until no supervisor holds the record, and hold it.

    Yields:
        Whether that is so; False where a supervisor still lives after ``patience_s``.

    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield True
        return
    deadline = time.monotonic() + patience_s
    held = False
    try:
        while not held:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                held = True
            except BlockingIOError:
                if time.monotonic() > deadline:
                    break
                time.sleep(_STEP_S)
        yield held
    finally:
        os.close(fd)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _version(value: object) -> Literal[1, 2]:
    return 1 if value == 1 else 2


def remove_all(standing: Standing, place: Place) -> list[str]:
    """Remove a dead sandbox's files, cgroups and record, from the runner's own process.

    Returns:
        One sentence for each thing that would not go; the record stays if there is any.

    """
    problem = removal.remove_tree(str(place.scratch))
    problems = [problem] if problem else []
    paths = list(dict.fromkeys(standing.cgroups.values()))
    problems += removal.remove_cgroups(paths, _REMOVE_TIMEOUT_S)
    if not problems:
        place.record.unlink(missing_ok=True)
    return problems
