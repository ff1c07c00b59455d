"""Marks by folder, so that nobody has to remember which tests may share the machine."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent

FOLDER_MARKS = {
    "e2e": ("serial", "slow"),
    "faults": ("serial",),
    "integration": ("serial", "kernel"),
    "vm": ("serial", "vm"),
}
"""First folder below tests/ -> the marks that every test in it bears."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marks of the folder that a test lies in."""
    for item in items:
        below = item.path.relative_to(HERE).parts
        for mark in FOLDER_MARKS.get(below[0], ()):
            item.add_marker(mark)
