"""docs/cli.md against the program: every command, every option, every exit code."""

import re

from barograph.errors import ExitCode
from tests.repo.cli_help import DOCUMENT, missing, refreshed

TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_every_command_is_documented() -> None:
    assert missing(TEXT) == set()


def test_the_help_texts_are_those_of_the_program() -> None:
    assert refreshed(TEXT) == TEXT, "python -m tests.repo.cli_help --write"


def test_every_exit_code_is_documented_and_no_other() -> None:
    section = TEXT.split("## Exit codes", 1)[1].split("\n## ", 1)[0]
    rows = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert rows == {int(code) for code in ExitCode} | {141}
