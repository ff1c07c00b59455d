"""Whatever a user can meet is documented: events, metrics, commands, options, exit codes."""

import inspect
import re
from pathlib import Path

import pytest
import typer

from barograph.errors import ExitCode
from tests.repo.documented import DOCUMENTS
from tests.repo.tree import ROOT, shown
from ui.cli.registry import COMMANDS, Command

CLI = ROOT / "docs" / "cli.md"


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_a_list_of_what_the_code_holds_is_current(path: Path) -> None:
    assert path.read_text() == DOCUMENTS[path](), "python -m tests.repo.documented --write"


def test_every_exit_code_is_documented() -> None:
    rows = {int(code) for code in re.findall(r"^\| *`?(\d+)`? *\|", CLI.read_text(), re.MULTILINE)}
    assert {code.value for code in ExitCode} <= rows


def section(command: Command) -> str:
    """What docs/cli.md says of a command: from its heading to the next."""
    found = re.search(
        rf"^#+ `?(barograph )?{command.name}\b.*?(?=^#|\Z)",
        CLI.read_text(),
        re.MULTILINE | re.DOTALL,
    )
    return found[0] if found else ""


def options(command: Command) -> set[str]:
    """The options that the program takes, by their long names."""
    names: set[str] = set()
    for parameter in inspect.signature(command.load()).parameters.values():
        for extra in getattr(parameter.annotation, "__metadata__", ()):
            if type(extra) is type(typer.Option()):
                # In an annotation, typer keeps the first name where a default would stand.
                named = (extra.default, *extra.param_decls)
                given = [name for name in named if str(name).startswith("--")]
                names |= set(given or ["--" + parameter.name.replace("_", "-")])
    return {part for name in names for part in name.split("/")}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_and_option_is_documented(command: Command) -> None:
    told = section(command)
    assert told, f"docs/cli.md has no heading for {command.name}"
    assert {name for name in options(command) if f"{name}" not in told} == set()
