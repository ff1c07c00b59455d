"""The table of commands against the files, and what starting must not import."""

import subprocess
import sys
from pathlib import Path

import pytest

import ui.cli
from ui.cli.registry import COMMANDS, Command

_NOT_COMMANDS = {"__init__", "config", "main", "options", "output", "registry"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_loads_and_begins_its_help_alike(command: Command) -> None:
    text = command.load().__doc__
    assert text
    assert command.summary.endswith(".")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from ui.cli.main import run\n"
        "run(['--help'])\n"
        "heavy = {'duckdb', 'numpy', 'scipy', 'statsmodels', 'psutil', 'rich'}\n"
        "sys.exit(' '.join(sorted(heavy & set(sys.modules))) or None)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.stderr == b""
    assert ended.returncode == 0


def test_every_command_is_a_file_of_its_own() -> None:
    files = {path.stem for path in Path(str(ui.cli.__path__[0])).glob("*.py")}
    assert {command.name for command in COMMANDS} <= files | _NOT_COMMANDS
