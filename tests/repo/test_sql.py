"""SQL is in .sql files, which begin by saying what they are for; none is in Python."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import PACKAGES, below, shown

STATEMENT = re.compile(
    r"""\s* ( select \s .* \s from \s
            | insert \s+ (or \s+ \w+ \s+)? into \s
            | update \s .* \s set \s
            | delete \s+ from \s
            | create \s+ (or \s+ replace \s+)? (temp(orary)? \s+)?
              (table|view|index|macro|sequence)
            | (drop|alter) \s+ (table|view|index|macro|sequence)
            | with \s+ \w+ \s+ as \s* \(
            )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """String constants (parts of f-strings too), without docstrings."""
    tree = ast.parse(path.read_text())
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value


def test_python_holds_no_sql() -> None:
    found = [
        f"{shown(path)}:{line}"
        for path in below(*PACKAGES, suffix=".py")
        for line, text in strings(path)
        if STATEMENT.match(text)
    ]
    assert found == []


def test_the_heuristic_finds_sql() -> None:
    assert STATEMENT.match("SELECT a FROM b")
    assert STATEMENT.match("\n  create or replace table t as")
    assert not STATEMENT.match("select the tasks that this sweep names")


def test_every_sql_file_begins_with_a_sentence() -> None:
    silent = [
        shown(path)
        for path in below(*PACKAGES, suffix=".sql")
        if not re.match(r"-- [A-Z`][^\n]*(\n-- [^\n]*)*[.?:]\n", path.read_text())
    ]
    assert silent == []
