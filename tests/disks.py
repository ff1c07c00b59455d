"""File systems that are small, and full when a test wants it."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(folder: Path, size: str) -> Generator[Path]:
    """A file system of this size."""
    folder.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "barograph-test", str(folder)], check=True
    )
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all room that is left."""
    filler = disk / "filler"
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={filler}", "bs=64k"], check=False, capture_output=True
    )
    return filler


def resize(disk: Path, size: str) -> None:
    """Give it another size."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
