"""Real cgroups for tests, version 1 or 2, that are always removed again.

A *cell* is one cgroup in every hierarchy that a target is read from. The same tests run on
whichever version has this machine's memory controller: version 1 on a hybrid host, version
2 in the virtual machine.
"""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from collector.probes.hierarchies import memory_version, mounts
from tests.needs import need_cgroup_v1, need_cgroup_v2

MIB: Final = 1 << 20
PYTHON: Final = (sys.executable, "-S", "-E", "-c")
"""An interpreter that starts fast and imports nothing of ours."""

_NUMBERS = itertools.count(1)
_MOVE: Final = (
    'n=$1; shift; while [ $n -gt 0 ]; do echo $$ > "$1"; shift; n=$((n-1)); done; exec "$@"'
)


def eat(size_bytes: int, *, hold_s: float = 0.0) -> list[str]:
    """A command that touches ``size_bytes`` of memory, holds it, and ends."""
    return [*PYTHON, f"import time; b = b'x' * {size_bytes}; time.sleep({hold_s})"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cgroup."""

    version: int
    folders: dict[str, str]
    """Controller -> folder, as a target names them."""
    kernel_path: str

    @property
    def memory(self) -> Path:
        """The folder with the memory controller's files."""
        return Path(self.folders["memory" if self.version == 1 else "unified"])

    @property
    def kills(self) -> int:
        """The kernel's own count of kills in it: the truth that tests compare with."""
        name = "memory.oom_control" if self.version == 1 else "memory.events"
        table = dict(line.split() for line in (self.memory / name).read_text().splitlines())
        return int(table["oom_kill"])

    def limit(self, size_bytes: int) -> None:
        """Set the ceiling, for memory and swap alike."""
        if self.version == 1:
            (self.memory / "memory.limit_in_bytes").write_text(str(size_bytes))
        else:
            (self.memory / "memory.max").write_text(str(size_bytes))
            with contextlib.suppress(OSError):
                (self.memory / "memory.swap.max").write_text("0")

    def start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a command that is in the cgroup from its first instruction on.

        It leads a session of its own, as a command in a sandbox does.
        """
        files = [f"{folder}/cgroup.procs" for folder in self.folders.values()]
        return subprocess.Popen(
            ["/bin/sh", "-c", _MOVE, "sh", str(len(files)), *files, *command],
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )

    def run(self, command: Sequence[str]) -> tuple[int, int]:
        """Run a command to its end; its pid and exit code (negative: by signal)."""
        process = self.start(command)
        return process.pid, process.wait()

    def remove(self) -> None:
        """Kill what is left in it and remove it; nothing when it is gone."""
        deadline = time.monotonic() + 10.0
        for folder in map(Path, self.folders.values()):
            while folder.exists():
                for pid in (folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                assert time.monotonic() < deadline, f"{folder} cannot be removed"
                time.sleep(0.01)


def need_memory_cgroup() -> int:
    """Root and a writable memory controller; its version."""
    version = memory_version(mounts())
    if version == 1:
        need_cgroup_v1()
    else:
        need_cgroup_v2()
    assert version is not None
    return version


@contextlib.contextmanager
def cell(*, parent: Cell | None = None, limit_bytes: int | None = None) -> Generator[Cell]:
    """Make a cgroup, below another or at the top; remove it in the end."""
    made = make_cell(parent=parent)
    try:
        if limit_bytes is not None:
            made.limit(limit_bytes)
        yield made
    finally:
        made.remove()


def make_cell(*, parent: Cell | None = None) -> Cell:
    """Make a cgroup that the caller removes."""
    version = need_memory_cgroup()
    found = mounts()
    name = f"barograph-test-{os.getpid()}-{next(_NUMBERS)}"
    kernel_path = f"{parent.kernel_path if parent else ''}/{name}"
    folders = {
        controller: f"{root}{kernel_path}"
        for controller, root in found.items()
        if version == 1 or controller == "unified"
    }
    for folder in folders.values():
        Path(folder).mkdir()
    if parent is not None and version == 2:
        control = Path(parent.folders["unified"]) / "cgroup.subtree_control"
        control.write_text("+memory +cpu +pids +io")
    return Cell(version=version, folders=folders, kernel_path=kernel_path)


def host_kills() -> int:
    """``oom_kill`` of ``/proc/vmstat``: every kill since boot."""
    table = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    return int(table["oom_kill"])
