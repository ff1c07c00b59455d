"""Nothing grows past what fits in a head: files, functions, the README.

Averages do not tell good code from bad, the longest ones do (medians are alike everywhere);
so the gate is on the maximum.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import CODE_FOLDERS, ROOT, below, shown

FILE_LINES = 300
FUNCTION_LINES = 50
README_LINES = 200


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (
                f"{shown(path)}:{node.lineno} {node.name}",
                (node.end_lineno or 0) - node.lineno + 1,
            )


def test_no_file_is_too_long() -> None:
    long = {shown(path): lines(path) for path in below(*CODE_FOLDERS, suffix=".py")}
    assert {name: count for name, count in long.items() if count > FILE_LINES} == {}


def test_no_function_is_too_long() -> None:
    long = {
        name: count
        for path in below(*CODE_FOLDERS, suffix=".py")
        for name, count in functions(path)
        if count > FUNCTION_LINES
    }
    assert long == {}


def test_the_readme_is_no_manual() -> None:
    assert lines(ROOT / "README.md") <= README_LINES
