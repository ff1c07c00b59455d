"""Write small tasks and sweep files for tests, right by default and wrong on request."""

import textwrap
from pathlib import Path
from typing import Final

TASK_TOML: Final = """
    schema_version = "1.1"
    [metadata.barograph]
    local = true
    [agent]
    timeout_sec = 20
    [verifier]
    timeout_sec = 20
    [environment]
    memory_mb = 64
    cpus = 1
"""

PASSES: Final = "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n"

SWEEP_TOML: Final = """
    [sweep]
    name = "small"
    seed = 7
    attempts = 2
    concurrency = 4
    [tasks]
    paths = ["tasks/*"]
    [[agents]]
    name = "nop"
    [[agents]]
    name = "oracle"
    [[conditions]]
    name = "1x"
    memory = "1x"
    [[conditions]]
    name = "roomy"
    memory = { floor = "1x", ceiling = "uncapped" }
"""


def write_task(
    folder: Path,
    *,
    toml: str = TASK_TOML,
    test: str | None = PASSES,
    solution: str | None = "#!/bin/bash\ntrue\n",
    setup: str | None = None,
) -> Path:
    """Write a task directory; None leaves the part out."""
    (folder / "environment" / "files").mkdir(parents=True)
    (folder / "environment" / "Dockerfile").write_text("FROM python:3.11-slim\n")
    (folder / "environment" / "files" / "input.txt").write_text("input\n")
    (folder / "task.toml").write_text(textwrap.dedent(toml))
    (folder / "instruction.md").write_text("Do it.\n")
    for name, content in (
        ("tests/test.sh", test),
        ("solution/solve.sh", solution),
        ("environment/setup.sh", setup),
    ):
        if content is not None:
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
            path.chmod(0o755)
    return folder


def write_sweep(
    folder: Path, *, toml: str = SWEEP_TOML, tasks: tuple[str, ...] = ("a", "b", "c")
) -> Path:
    """Write a sweep file with its tasks; returns the file."""
    for task in tasks:
        write_task(folder / "tasks" / task)
    file = folder / "sweep.toml"
    file.write_text(textwrap.dedent(toml))
    return file


def changed(toml: str, old: str, new: str) -> str:
    """``toml`` with one line replaced, proving that it was there."""
    plain = textwrap.dedent(toml)
    assert plain.count(old) >= 1, old
    return plain.replace(old, new, 1)
