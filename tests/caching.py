"""What tests need and is built once a machine, in a folder outside of every checkout.

A folder is named by the digest of its recipe, so a change of the recipe is a new folder, and it
gets its name when it is whole, so a build that was broken off never has it.
"""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def cache_folder() -> Path:
    """Where built things are kept: ``$BAROGRAPH_CACHE``, else below the user's cache."""
    if chosen := os.environ.get("BAROGRAPH_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "barograph"


def built_once(name: str, recipe: bytes, build: Callable[[Path], None]) -> Path:
    """The folder of a thing, built first where it is absent.

    Args:
        name: of the thing.
        recipe: all that decides what is built.
        build: fills a folder, next to which it may put scratch.

    """
    folder = cache_folder() / f"{name}-{hashlib.sha256(recipe).hexdigest()[:12]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test processes must not both build
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as scratch:
                half = Path(scratch) / "built"
                half.mkdir()
                build(half)
                half.rename(folder)
    return folder
