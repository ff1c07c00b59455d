"""The guest's second disk: the working tree as it is now, and the wheels it needs.

The image holds no line of the project, so a change of the code costs a boot and no rebuild.
Third-party packages are copied file by file from the environment that runs the tests: the
guest's Python has the same minor version (checked), so compiled modules fit, and the guest
tests exactly the locked versions. Copied with their time stamps, their byte code stays valid,
which under emulation saves seconds.
"""

import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FOLDERS = ("analysis", "barograph", "collector", "examples", "runner", "store", "tests", "ui")
DISTRIBUTIONS = (
    "annotated-doc",
    "hypothesis",
    "iniconfig",
    "markdown-it-py",
    "mdurl",
    "msgspec",
    "packaging",
    "pluggy",
    "psutil",
    "pygments",
    "pytest",
    "pytest-timeout",
    "rich",
    "shellingham",
    "sortedcontainers",
    "typer",
    "typing-extensions",
)
"""The base install and what runs its tests: neither duckdb nor scipy goes to the guest."""

GUEST_PYTHON = (3, 11)
"""Minor version of the Python in the image, whose compiled modules are these."""


def pack(target: Path, *, size: str = "256M") -> Path:
    """Write the disk, an ext4 image whose root becomes ``/repo``, to ``target``."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".payload-") as scratch:
        root = Path(scratch)
        for name in FOLDERS:
            if (REPOSITORY / name).is_dir():
                shutil.copytree(REPOSITORY / name, root / name, symlinks=True)
        shutil.copy2(REPOSITORY / "pyproject.toml", root)
        for name in DISTRIBUTIONS:
            _copy_distribution(name, root / ".site")
        command = ("mke2fs", "-q", "-t", "ext4", "-d", str(root), str(target), size)
        subprocess.run(command, check=True, capture_output=True)
    return target


def guest_problem() -> str | None:
    """Why the environment's compiled modules would not load in the guest, if so."""
    if sys.version_info[:2] == GUEST_PYTHON:
        return None
    here = ".".join(map(str, sys.version_info[:2]))
    return f"the guest's Python is {GUEST_PYTHON[0]}.{GUEST_PYTHON[1]}, this one is {here}"


def _copy_distribution(name: str, site: Path) -> None:
    for file in distribution(name).files or ():
        if ".." in file.parts:
            continue  # scripts: their first line names this machine's Python
        target = site / file
        target.parent.mkdir(parents=True, exist_ok=True)
        source = Path(str(file.locate()))
        if source.exists():
            shutil.copy2(source, target)
