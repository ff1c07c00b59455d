"""One word for each task, said the same in Makefile, README and CI."""

import re
import subprocess

from tests.repo.tree import ROOT


def test_every_target_has_a_sentence_above() -> None:
    text = (ROOT / "Makefile").read_text()
    public = set(re.findall(r"^([a-z]+):", text, re.MULTILINE))
    told = set(re.findall(r"^# [A-Z][^\n]*\.\n([a-z]+):", text, re.MULTILINE))
    told |= set(re.findall(r"^# [a-z][^\n]*\.\n([a-z]+):", text, re.MULTILINE))
    assert public - told == set()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == public


def test_help_lists_every_target() -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    assert {"demo", "test", "check", "bench", "clean"} <= set(
        re.findall(r"^make (\w+)", listed.stdout, re.MULTILINE)
    )


def test_ci_runs_what_the_readme_says() -> None:
    command = (ROOT / ".ci" / "run").read_text().splitlines()[-1]
    assert command == "exec make test"
    assert re.search(r"^\s*(\$ )?make test\b", (ROOT / "README.md").read_text(), re.MULTILINE)
