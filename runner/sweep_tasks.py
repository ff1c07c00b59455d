"""The tasks of a sweep file: globs for directories, narrowed by name."""

import fnmatch
import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runner.errors import SweepFileError
from runner.fields import Table
from runner.tasks import Task, load_task


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskChoice:
    """The ``[tasks]`` table."""

    paths: tuple[str, ...]
    """Globs relative to the sweep file's folder; ``**`` crosses folders."""
    include: tuple[str, ...] = ()
    """Patterns of names; empty: all."""
    exclude: tuple[str, ...] = ()
    dataset: str | None = None
    """What the tasks are called together."""

    def settings(self) -> dict[str, object]:
        """As a sweep file would write it, defaults filled in."""
        return {
            "paths": list(self.paths),
            "include": list(self.include),
            "exclude": list(self.exclude),
            "dataset": self.dataset,
        }

    def load(self, file: Path) -> tuple[Task, ...]:
        """Find and load the tasks, sorted by name.

        A name is the folder's or the one in its ``task.toml``. What is excluded by its
        folder's name is not even read, so that a task which cannot run here can be left
        out.

        Args:
            file: the sweep file.

        Raises:
            SweepFileError: a pattern that matches nothing, no task left, a name used twice.
            TaskError: a task that cannot be run.

        """
        unused = {*self.include, *self.exclude}
        tasks: dict[str, Task] = {}
        for folder in self._folders(file):
            if _matches(folder.name, self.exclude, unused):
                continue
            task = load_task(folder)
            names = (folder.name, task.name)
            if any(_matches(name, self.exclude, unused) for name in names):
                continue
            if self.include and not any(_matches(name, self.include, unused) for name in names):
                continue
            if task.name in tasks:
                raise SweepFileError(
                    f"two tasks have this name: {tasks[task.name].directory} and {folder}",
                    where=file,
                    field="tasks.paths",
                    value=task.name,
                    remedy="rename one, or exclude the folder of one",
                )
            tasks[task.name] = task
        self._refuse_unused(unused, file)
        if not tasks:
            raise SweepFileError(
                "no task is left after include and exclude", where=file, field="tasks.include"
            )
        return tuple(tasks[name] for name in sorted(tasks))

    def _folders(self, file: Path) -> list[Path]:
        base = file.resolve().parent
        found: set[Path] = set()
        for pattern in self.paths:
            matches = glob.glob(pattern, root_dir=base, recursive=True)  # noqa: PTH207 - absolute patterns too
            folders = {(base / match).resolve() for match in matches}
            # A README beside the tasks is no mistake; a path written out is meant as a task.
            if glob.has_magic(pattern):
                folders = {one for one in folders if one.is_dir() and one.name != "__pycache__"}
            if not folders:
                raise SweepFileError(
                    "no task directory matches",
                    where=file,
                    field="tasks.paths",
                    value=pattern,
                    remedy=f"write paths relative to {base}",
                )
            found |= folders
        return sorted(found)

    def _refuse_unused(self, unused: set[str], file: Path) -> None:
        for key, patterns in (("include", self.include), ("exclude", self.exclude)):
            for pattern in patterns:
                if pattern in unused:
                    raise SweepFileError(
                        "no task has such a name",
                        where=file,
                        field=f"tasks.{key}",
                        value=pattern,
                        remedy="write the name of a task's folder, or a pattern for it",
                    )


def read_task_choice(table: Table) -> TaskChoice:
    """Read the ``[tasks]`` table of a sweep file.

    Raises:
        SweepFileError: it is missing or wrong.

    """
    tasks = table.table("tasks")
    remedy = 'write [tasks] with paths = ["tasks/*"]'
    if tasks is None:
        raise table.missing("tasks", remedy=remedy)
    paths = tasks.texts("paths")
    if not paths:
        raise tasks.missing("paths", remedy=remedy)
    choice = TaskChoice(
        paths=paths,
        include=tasks.texts("include") or (),
        exclude=tasks.texts("exclude") or (),
        dataset=tasks.text("dataset"),
    )
    tasks.done()
    return choice


def _matches(name: str, patterns: Iterable[str], unused: set[str]) -> bool:
    hits = [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]
    unused.difference_update(hits)
    return bool(hits)
