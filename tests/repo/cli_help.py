"""Keeps the help texts in docs/cli.md equal to what the program prints.

``python -m tests.repo.cli_help --write`` brings them up to date; a test calls the same
functions, so that an option cannot be added, renamed or dropped in one place only.
"""

import contextlib
import io
import os
import re
import sys
from pathlib import Path
from typing import Final
from unittest.mock import patch

from tests.repo.tree import ROOT
from ui.cli.main import run
from ui.cli.registry import COMMANDS

DOCUMENT: Final = ROOT / "docs" / "cli.md"
_BLOCK: Final = re.compile(
    r"(?P<head><!-- help: (?P<name>[a-z]*) -->\n\n```text\n).*?(?P<tail>```\n)", re.DOTALL
)


def help_of(command: str) -> str:
    """What ``barograph COMMAND --help`` prints at 80 columns; ``""`` for the program's own."""
    with (
        patch.dict(os.environ, {"COLUMNS": "80"}),
        contextlib.redirect_stdout(io.StringIO()) as out,
    ):
        run([command, "--help"] if command else ["--help"])
    return "\n".join(line.rstrip() for line in out.getvalue().strip().splitlines()) + "\n"


def refreshed(text: str) -> str:
    """The document with the help texts of now."""
    return _BLOCK.sub(lambda block: f"{block['head']}{help_of(block['name'])}{block['tail']}", text)


def documented(text: str) -> set[str]:
    """Commands whose help the document shows."""
    return {block["name"] for block in _BLOCK.finditer(text)}


def main(arguments: list[str]) -> int:
    """See the module's docstring."""
    before = DOCUMENT.read_text(encoding="utf-8")
    now = refreshed(before)
    if arguments == ["--write"]:
        Path(DOCUMENT).write_text(now, encoding="utf-8")
        return 0
    return int(now != before)


def missing(text: str) -> set[str]:
    """Commands that the document forgot."""
    return {command.name for command in COMMANDS} - documented(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
