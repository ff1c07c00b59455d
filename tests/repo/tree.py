"""What the rules on the repository are checked against: its files, as git sees them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("analysis", "barograph", "collector", "runner", "store", "ui")
CODE_FOLDERS = (*PACKAGES, "bench", "examples", "tests")


@cache
def files() -> tuple[Path, ...]:
    """Every file that is tracked, or would be if added now."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def below(*folders: str, suffix: str) -> list[Path]:
    """The files of these top-level folders that end in ``suffix``."""
    return [
        path
        for path in files()
        if path.suffix == suffix and path.relative_to(ROOT).parts[0] in folders
    ]


def shown(path: Path) -> str:
    """The path from the root of the repository: how a failure names a file."""
    return str(path.relative_to(ROOT))
