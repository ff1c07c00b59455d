"""The documents cannot lie: what they show is run, what they list is compared.

Fenced blocks of README and docs, by language:

- ``python`` is executed, all blocks of a document in one namespace;
- ``console`` is run: each line that begins with ``$ `` is a command, which must succeed
  (a last line ``[exit code N]`` says that it must not), in a folder that holds a copy of
  ``examples/``; output that is shown must be what comes out, ``...`` standing for anything;
- ``toml`` must parse, ``sh`` must be valid shell; neither is run;
- ``text`` and the like are for people only.

``<!-- skip: next "reason" -->`` above a block leaves it out (it takes minutes, say).
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import unittest
from collections.abc import Iterator
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from tests.repo.tree import ROOT, files, shown

DOCUMENTS = [
    path for path in files() if path.suffix == ".md" and path.parent in {ROOT, ROOT / "docs"}
]
COMMAND_S = 60.0


def run_console(example: Example) -> None:
    folder = Path(example.namespace["folder"])
    for command, expected, code in commands(str(example.parsed)):
        ran = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_S,
            text=True,
            check=False,
        )
        assert ran.returncode == code, f"$ {command}\n{ran.stdout}"
        if expected.strip():
            assert matches(expected, ran.stdout), f"$ {command}\n{ran.stdout}"


def commands(block: str) -> Iterator[tuple[str, str, int]]:
    """Command, expected output and exit code, for each ``$ `` line of a block."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = piece.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more.removeprefix("> ")
        said = re.search(r"^\[exit code (\d+)\]$", output, re.MULTILINE)
        if said:
            output = output[: said.start()]
        yield command, output, int(said[1]) if said else 0


def matches(expected: str, got: str) -> bool:
    """Whether ``got`` is ``expected``, whose ``...`` stands for anything, also for nothing."""
    tidy = [
        "\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (expected, got)
    ]
    pattern = ".*".join(map(re.escape, re.split(r"\.\.\.|…", tidy[0])))
    return re.fullmatch(pattern, tidy[1], re.DOTALL) is not None


def environment(folder: Path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return os.environ | {"PATH": path, "HOME": str(folder), "COLUMNS": "100", "NO_COLOR": "1"}


def parse_toml(example: Example) -> None:
    tomllib.loads(str(example.parsed))


def check_shell(example: Example) -> None:
    subprocess.run(["sh", "-n"], input=str(example.parsed), text=True, check=True)


SYBIL = Sybil(
    parsers=[
        SkipParser(),
        PythonCodeBlockParser(),
        CodeBlockParser(language="console", evaluator=run_console),
        CodeBlockParser(language="toml", evaluator=parse_toml),
        CodeBlockParser(language="sh", evaluator=check_shell),
    ]
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_every_block_of_a_document_holds(path: Path, tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__")
    )
    document = SYBIL.parse(path)
    document.namespace["folder"] = str(tmp_path)
    for example in document.examples():
        try:
            example.evaluate()
        except unittest.SkipTest:
            continue


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_whatever_is_skipped_says_why(path: Path) -> None:
    skips = re.findall(r"<!--\s*skip:.*?-->", path.read_text(), re.DOTALL)
    assert [skip for skip in skips if not re.search(r'"\S+ \S+.*"', skip)] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=shown)
def test_links_between_files_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", path.read_text())
    assert [target for target in targets if not (path.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("a ... c", "a b\nb c\n", True),
        ("a", "a \n", True),
        ("a ...", "b", False),
    ],
)
def test_output_is_compared_with_room_for_what_varies(
    expected: str, got: str, *, same: bool
) -> None:
    assert matches(expected, got) is same
