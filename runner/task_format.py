"""The parts of Harbor's task format that nothing here can do yet, refused by name.

A part is refused when ignoring it would change what is measured: who runs, on how many
machines, with which tools, in which order. Where the format's default says the same as
leaving the field out (``gpus = 0``, an empty list), it is accepted, because files written
by a program state their defaults.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from runner.errors import TaskError
from runner.fields import Table

# (table, field, values that say nothing, what it is called in the sentence)
_KEYS: Final[tuple[tuple[str, str, tuple[object, ...], str], ...]] = (
    ("", "steps", ([],), "a task of several steps"),
    ("", "multi_step_reward_strategy", (), "a task of several steps"),
    ("", "artifacts", ([],), "collecting artifacts"),
    ("agent", "user", ("root", 0), "running the agent as another user"),
    ("agent", "allowed_hosts", ([],), "a network allowlist"),
    ("verifier", "user", ("root", 0), "running the verifier as another user"),
    ("verifier", "environment_mode", ("shared",), "a separate environment for the verifier"),
    ("verifier", "environment", (), "a separate environment for the verifier"),
    ("verifier", "collect", ([],), "collecting from services before the verifier"),
    ("verifier", "allowed_hosts", ([],), "a network allowlist"),
    ("environment", "os", ("linux",), "an operating system other than Linux"),
    ("environment", "gpus", (0,), "a GPU"),
    ("environment", "gpu_types", ([],), "a GPU"),
    ("environment", "tpu", (), "a TPU"),
    ("environment", "allowed_hosts", ([],), "a network allowlist"),
    ("environment", "mcp_servers", ([],), "MCP servers"),
    ("environment", "skills_dir", (), "a folder of skills"),
    ("environment", "healthcheck", (), "a health check"),
)

_FILES: Final = (
    ("steps", "a task of several steps"),
    ("trajectory.json", "a conversation to begin from"),
    ("environment/docker-compose.yaml", "a task of several containers"),
    ("environment/docker-compose.yml", "a task of several containers"),
    ("environment/singularity-compose.yaml", "a task of several containers"),
    ("tests/test.bat", "a verifier for Windows"),
    ("solution/solve.bat", "a solution for Windows"),
)

REMEDY: Final = "leave this task out of the sweep (tasks.exclude)"


def refuse_unsupported_keys(tables: Mapping[str, Table]) -> None:
    """Take what cannot be done from the tables, and refuse it where it says something.

    Args:
        tables: the file's own table under the empty name, the others under theirs.

    Raises:
        TaskError: a field asks for what is not supported; field and value are named.

    """
    for name, key, harmless, what in _KEYS:
        table = tables[name]
        value = table.take(key)
        if value is None or any(type(value) is type(one) and value == one for one in harmless):
            continue
        raise table.wrong(key, f"{what} is not supported yet", value=value, remedy=REMEDY)


def refuse_unsupported_files(directory: Path) -> None:
    """Refuse a directory that holds parts which nothing here can do.

    Raises:
        TaskError: naming the file.

    """
    for name, what in _FILES:
        path = directory / name
        if path.exists():
            raise TaskError(f"{what} is not supported yet", where=path, remedy=REMEDY)
