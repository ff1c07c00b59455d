"""Whoever silences a checker says which rule, and why."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.repo.tree import CODE_FOLDERS, ROOT, below, shown

SILENCED = re.compile(r"#\s*(noqa|type:\s*ignore|(based)?pyright:|mypy:|ruff:)")
REASON = r"\s+(-|#) .*\w{3}"
REASONED = (
    re.compile(r"# (ruff: )?noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*" + REASON),
    re.compile(r"# type: ignore\[[\w, -]+\]" + REASON),
    re.compile(r"# (based)?pyright: ?ignore\[[\w, ]+\]" + REASON),
)


def comments(path: Path) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_every_silenced_line_says_why() -> None:
    silent = [
        f"{shown(path)}:{line} {text}"
        for path in below(*CODE_FOLDERS, suffix=".py")
        for line, text in comments(path)
        if SILENCED.search(text) and not any(form.search(text) for form in REASONED)
    ]
    assert silent == []


def test_every_ignored_rule_says_why() -> None:
    settings = (ROOT / "pyproject.toml").read_text()
    rules = re.findall(r'^ +"[A-Z]+\d*",.*$', settings, re.MULTILINE)
    assert rules
    assert [rule for rule in rules if not re.search(r'", # \S+ \S+', rule)] == []
