"""A task: Harbor's directory format, read strictly and turned into one value.

The directory stays a valid Harbor task; that it also runs without its image is declared
by ``[metadata.barograph] local = true``, since only its author knows whether it needs
what the image holds. What the format can say but no driver here can do is refused by
name (``task_format``): running a task while ignoring a part of it would give a score
that looks like the task's and is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from runner.digests import directory_digest
from runner.errors import TaskError
from runner.fields import Table, read_text, read_toml
from runner.task_environment import (
    DEFAULT_WORKDIR,
    Network,
    Spec,
    environment_variables,
    network_for_task,
    resources,
    working_directory,
)
from runner.task_format import refuse_unsupported_files, refuse_unsupported_keys

_DEFAULT_VERIFIER_S: Final = 600.0
_DEFAULT_ENVIRONMENT_S: Final = 600.0
_LONGEST_S: Final = 30 * 86_400.0
_NAME: Final = re.compile(r"[^\s/\x00-\x1f][^\x00-\x1f]{0,199}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task, checked. Paths are on the host unless the name says otherwise."""

    name: str
    directory: Path
    digest: str
    spec: Spec
    agent_timeout_s: float | None
    """None: the task sets no limit."""
    verifier_timeout_s: float = _DEFAULT_VERIFIER_S
    environment_timeout_s: float = _DEFAULT_ENVIRONMENT_S
    """For creating the sandbox and, apart from that, for running ``environment/setup.sh``."""
    network: Network = "public"
    workdir: str = DEFAULT_WORKDIR
    """Absolute path inside the sandbox."""
    environment_env: Mapping[str, str] = field(default_factory=dict[str, str])
    verifier_env: Mapping[str, str] = field(default_factory=dict[str, str])
    solution_env: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: tuple[str, ...] = ()
    """What the task states that cannot be held here."""

    @property
    def instruction(self) -> Path:
        """The prompt."""
        return self.directory / "instruction.md"

    @property
    def tests(self) -> Path:
        """The verifier, which enters the sandbox only after the agent ended."""
        return self.directory / "tests"

    @property
    def solution(self) -> Path:
        """The author's own way to solve it; need not be there."""
        return self.directory / "solution"

    @property
    def files(self) -> Path:
        """What is copied into the working directory; need not be there."""
        return self.directory / "environment" / "files"

    @property
    def setup_script(self) -> Path:
        """What is run in the working directory before the agent; need not be there."""
        return self.directory / "environment" / "setup.sh"


def load_task(directory: Path) -> Task:
    """Read and check one task directory.

    Raises:
        TaskError: broken, or asking for what the local driver cannot do; the sentence
            names file, field, value and remedy.

    """
    if not directory.is_dir():
        problem = "this is no folder" if directory.exists() else "there is no such folder"
        raise TaskError(problem, where=directory, remedy="a task is a folder with a task.toml")
    table = read_toml(directory / "task.toml", what="task file", error=TaskError)
    _version(table)
    _refuse_unless_local(table, directory)
    refuse_unsupported_files(directory)
    task = _task(table, directory)
    _parts(directory)
    return task


def _version(table: Table) -> None:
    """``schema_version``, or ``version`` as older tasks call it. Any 1.x reads alike."""
    if "version" in table and "schema_version" in table:
        raise table.wrong(
            "version",
            "given beside schema_version, which is its newer name",
            value=table.take("version"),
            remedy="keep schema_version only",
        )
    key = "version" if "version" in table else "schema_version"
    value = table.text(key)
    table.take("version")  # both names are known, so that errors can propose them
    if value is not None and not re.fullmatch(r"1\.\d{1,3}", value):
        raise table.wrong(key, "no version of the format known here", value=value, remedy='"1.1"')


def _name(table: Table, directory: Path) -> str:
    table.text("source")
    described = table.table("task")
    stated = None
    if described is not None:
        stated = described.text("name")
        if stated is not None and not _NAME.fullmatch(stated):
            raise described.wrong("name", "not a name", value=stated, remedy='"org/name"')
        for key in ("version", "description", "authors", "keywords"):
            described.take(key)
        described.done()
    return stated or directory.resolve().name


def _refuse_unless_local(table: Table, directory: Path) -> None:
    """Everything in [metadata] is free, but for our own table's ``local``."""
    metadata = table.table("metadata")
    ours = None if metadata is None else metadata.table("barograph")
    if ours is not None and ours.flag("local"):
        return
    image = (directory / "environment" / "Dockerfile").is_file()
    needs = "its Dockerfile" if image else "its image"
    raise TaskError(
        f"this task runs in {needs}, and no driver here builds or pulls images yet",
        where=table.where,
        field="metadata.barograph.local",
        remedy="if it also runs on the plain machine, declare [metadata.barograph] local = true",
    )


def _task(table: Table, directory: Path) -> Task:
    name = _name(table, directory)
    parts = {
        key: table.table(key) or Table({}, where=table.where, path=key, error=TaskError)
        for key in ("agent", "environment", "solution", "verifier")
    }
    refuse_unsupported_keys({"": table, **parts})
    agent, environment, verifier = parts["agent"], parts["environment"], parts["verifier"]
    network = network_for_task(environment, phases=(agent, verifier))
    spec, flags = resources(environment)
    environment.text("docker_image")  # which image it is stays Harbor's concern
    task = Task(
        name=name,
        directory=directory.resolve(),
        digest=directory_digest(directory),
        spec=spec,
        agent_timeout_s=_seconds(agent, "timeout_sec"),
        verifier_timeout_s=_seconds(verifier, "timeout_sec") or _DEFAULT_VERIFIER_S,
        environment_timeout_s=_seconds(environment, "build_timeout_sec") or _DEFAULT_ENVIRONMENT_S,
        network=network,
        workdir=working_directory(environment),
        environment_env=environment_variables(environment),
        verifier_env=environment_variables(verifier),
        solution_env=environment_variables(parts["solution"]),
        flags=flags,
    )
    for part in (*parts.values(), table):
        part.done()
    return task


def _seconds(table: Table, key: str) -> float | None:
    return table.positive(key, high=_LONGEST_S, unit="seconds")


def _parts(directory: Path) -> None:
    """The files without which there is nothing to run or nothing to judge it by."""
    instruction = read_text(directory / "instruction.md", what="task instruction", error=TaskError)
    if not instruction.strip():
        raise TaskError(
            "the instruction is empty", where=directory / "instruction.md", remedy="write the task"
        )
    test = directory / "tests" / "test.sh"
    if not test.is_file():
        raise TaskError(
            "the task has no verifier",
            where=test,
            remedy="write tests/test.sh, which leaves /logs/verifier/reward.txt or reward.json",
        )
