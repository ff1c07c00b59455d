"""docs/cli.md lists the keys of every ``--json`` answer: no more and no less than there are."""

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import SMALL, barograph
from tests.repo.cli_help import DOCUMENT

TEXT = DOCUMENT.read_text(encoding="utf-8")
ALWAYS = {"kind", "v"}


def listed(command: str, about: str | None = None) -> set[str]:
    """Keys that the document lists for a command (of two tables: that about ``about``)."""
    section = TEXT.split(f"## barograph {command}\n", 1)[1].split("\n## ", 1)[0]
    if about is not None:
        section = section.split(f"`{about}`):", 1)[1].split("\nFor a", 1)[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("command", ["load", "status", "report", "verify", "doctor"])
def test_the_document_lists_the_keys(command: str, sweep: Path) -> None:
    answer = barograph(command, "--dir", sweep, "--json").answer
    assert answer.keys() - ALWAYS == listed(command)


@pytest.mark.parametrize("command", ["run", "plan"])
def test_the_document_lists_the_keys_of_sweep_files(command: str, sweep: Path) -> None:
    answer = barograph(command, SMALL, "--dir", sweep, "--json").answer
    assert answer.keys() - ALWAYS == listed(command)
    assert answer["trials_done"] == 24


def test_the_document_lists_the_keys_of_both_whys(sweep: Path) -> None:
    about_sweep = barograph("why", "--dir", sweep, "--json").answer
    assert about_sweep.keys() - ALWAYS == listed("why", "sweep")
    trial = about_sweep["failures"]["by_cause"][0]["examples"][0]
    about_trial = barograph("why", trial, "--dir", sweep, "--json").answer
    assert about_trial.keys() - ALWAYS == listed("why", "trial")
