"""A bench for single programs of the pack: a task's paths, a ceiling, and nothing else.

Peaks must not depend on the parts of this product that they are used to test, so this is
not the local sandbox: no supervisor, no collector, only a folder per trial with the host's
programs mounted into it, and a memory cgroup, v1 or v2, from which the peak is read.

What a program *needs* is the smallest ceiling under which it ends well. That is less than
the peak it reaches with room, because page cache of the files it reads and writes counts as
memory but can be given back; so both are measured.
"""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
TASKS: Final = EXAMPLES / "tasks"
PROGRAMS: Final = EXAMPLES / "agents" / "programs"
MIB: Final = 1 << 20

Way = Literal["lean", "heavy"]
WAYS: Final[tuple[Way, ...]] = ("lean", "heavy")

_JAIL: Final = Path(__file__).with_name("jail.sh")
_V1: Final = Path("/sys/fs/cgroup/memory")
_V2: Final = Path("/sys/fs/cgroup")
_NUMBERS: Final = itertools.count()


def task_names() -> list[str]:
    """Every task of the pack, sorted."""
    return sorted(path.parent.name for path in TASKS.glob("*/task.toml"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one command went."""

    exit_code: int
    """Negative for a signal, as subprocess says it; a shell inside says 137 for SIGKILL."""
    peak_bytes: int
    cpu_s: float
    output: str

    @property
    def killed(self) -> bool:
        """By SIGKILL, which is what the kernel's OOM killer sends."""
        return self.exit_code in {-9, 137}


class _Cgroup:
    """A memory cgroup of our own, gone after use."""

    def __init__(self, name: str, ceiling_bytes: int | None) -> None:
        self._v1 = (_V1 / "cgroup.procs").exists()
        self.folder = (_V1 if self._v1 else _V2) / name
        self.folder.mkdir()
        if ceiling_bytes is None:
            return
        if self._v1:
            (self.folder / "memory.limit_in_bytes").write_text(str(ceiling_bytes))
        else:
            (self.folder / "memory.max").write_text(str(ceiling_bytes))
            (self.folder / "memory.swap.max").write_text("0")

    def peak_bytes(self) -> int:
        name = "memory.max_usage_in_bytes" if self._v1 else "memory.peak"
        return int((self.folder / name).read_text())

    def close(self) -> None:
        """Remove it; every process in it has been waited for."""
        self.folder.rmdir()


class Desk:
    """One task laid out as a sandbox lays it out: /app filled, the rest empty."""

    def __init__(self, root: Path, task: str, *, ceiling_bytes: int | None = None) -> None:
        """Lay out and set up.

        Args:
            root: a folder to be made, on a disk: in memory, files would count as memory.
            task: its name.
            ceiling_bytes: for the set-up; what comes after has its own.

        """
        self.task = task
        self.root = root
        self.app = root / "app"
        for name in ("logs/verifier", "tests", "solution", "tmp", "stage"):
            (root / name).mkdir(parents=True)
        environment = TASKS / task / "environment"
        shutil.copytree(environment / "files", self.app)
        shutil.copy(environment / "setup.sh", root / "stage" / "setup.sh")
        self.setup = self.run("sh /stage/setup.sh", ceiling_bytes=ceiling_bytes)
        self._given = {path.name for path in self.app.iterdir()}

    def run(self, command: str, *, ceiling_bytes: int | None = None) -> Ran:
        """Run a shell command in /app, alone in a cgroup with this ceiling (None: no ceiling)."""
        cgroup = _Cgroup(f"bgpack-{os.getpid()}-{next(_NUMBERS)}", ceiling_bytes)
        prefix = os.path.realpath(sys.base_prefix)
        jail = ("unshare", "--mount", "sh", str(_JAIL), str(self.root), str(cgroup.folder), prefix)
        environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}
        with tempfile.TemporaryFile() as output:
            try:
                process = subprocess.Popen(
                    (*jail, command), stdout=output, stderr=output, env=environment
                )
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                peak_bytes = cgroup.peak_bytes()
            finally:
                cgroup.close()
            output.seek(0)
            return Ran(
                exit_code=process.returncode,
                peak_bytes=peak_bytes,
                cpu_s=used.ru_utime + used.ru_stime,
                output=output.read(4096).decode(errors="replace"),
            )

    def program(self, way: Way, *, ceiling_bytes: int | None = None) -> Ran:
        """Run one of the agents' programs as they do."""
        shutil.copy(PROGRAMS / self.task / f"{way}.py", self.app / "solve.py")
        return self.run("python3 -I -S solve.py", ceiling_bytes=ceiling_bytes)

    def solution(self, *, ceiling_bytes: int | None = None) -> Ran:
        """Run the task author's solution, as the oracle agent does."""
        shutil.copytree(TASKS / self.task / "solution", self.root / "solution", dirs_exist_ok=True)
        return self.run("sh /solution/solve.sh", ceiling_bytes=ceiling_bytes)

    def verify(self, *, ceiling_bytes: int | None = None, without: Collection[str] = ()) -> Ran:
        """Run the task's verifier; what it left is read by :meth:`left`.

        Args:
            ceiling_bytes: as for :meth:`run`.
            without: files of its ``tests`` to leave out, in order to break it.

        """
        for name in ("reward.txt", "reward.json"):
            (self.root / "logs" / "verifier" / name).unlink(missing_ok=True)
        shutil.copytree(
            TASKS / self.task / "tests",
            self.root / "tests",
            ignore=shutil.ignore_patterns(*without),
            dirs_exist_ok=True,
        )
        ran = self.run("sh /tests/test.sh", ceiling_bytes=ceiling_bytes)
        shutil.rmtree(self.root / "tests")
        (self.root / "tests").mkdir()
        return ran

    def left(self, name: str) -> str | None:
        """The content of a reward file of the last verification; None: there is none."""
        file = self.root / "logs" / "verifier" / name
        return file.read_text() if file.exists() else None

    def forget(self) -> None:
        """Take away what programs left behind, so that the next cannot shine or trip by it."""
        left = [path for path in self.app.iterdir() if path.name not in self._given]
        for path in (*left, *(self.root / "tmp").iterdir()):
            path.unlink()
