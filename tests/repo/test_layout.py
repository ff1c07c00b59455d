"""The tree is the architecture: folders, contracts and the installed packages agree."""

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.repo.tree import PACKAGES, ROOT, files, shown

NO_PACKAGES = {"bench", "deploy", "docs", "examples", "requirements", "tests", "typings"}
TAKEN = {"events", "schema"}


def settings() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_folder_has_its_place_in_the_contracts() -> None:
    folders = {path.relative_to(ROOT).parts[0] for path in files() if path.parent != ROOT}
    packages = {name for name in folders - NO_PACKAGES if not name.startswith(".")}
    linter = settings()["tool"]["importlinter"]
    layers = next(each for each in linter["contracts"] if each["id"] == "layers")["layers"]
    assert packages == set(PACKAGES)
    assert set(linter["root_packages"]) == packages
    assert {name for layer in layers for name in layer.split(" | ")} == packages
    assert set(settings()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == packages


def test_every_runtime_dependency_has_a_home() -> None:
    """A third-party client that no contract fences could be imported anywhere."""
    project = settings()["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["store"]]
    wanted += project["optional-dependencies"]["analysis"]
    wanted += project["optional-dependencies"]["explorer"]
    wanted += project["optional-dependencies"]["kafka"]
    names = {re.split(r"[\[>=]", name)[0] for name in wanted} - {"barograph"}
    names = {name.removesuffix("-python").replace("-", "_") for name in names}
    contracts = settings()["tool"]["importlinter"]["contracts"]
    fenced = {name for each in contracts for name in each.get("forbidden_modules", ())}
    assert names <= fenced


@pytest.mark.parametrize("name", PACKAGES)
def test_the_package_that_is_imported_is_ours(name: str) -> None:
    """Top-level names this common could be shadowed by something that is installed."""
    module = importlib.import_module(name)
    assert module.__file__ is not None
    assert Path(module.__file__).is_relative_to(ROOT / name)


def test_no_name_is_one_that_popular_packages_have() -> None:
    """Installed, their ``events`` and ``schema`` would come before a folder of ours."""
    ours = [path.relative_to(ROOT) for path in files() if path.suffix in {".py", ".sql"}]
    assert [path for path in ours if TAKEN & {*path.parts, path.stem}] == []


def test_every_package_says_what_it_is_for() -> None:
    empty = [
        shown(path)
        for path in files()
        if path.name == "__init__.py"
        and path.relative_to(ROOT).parts[0] in PACKAGES
        and not path.read_text().startswith('"""')
    ]
    assert empty == []
