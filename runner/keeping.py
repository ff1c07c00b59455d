"""Keep what a try printed, for people to read; what cannot be kept changes no outcome."""

import contextlib
from pathlib import Path


def keep(file: Path, content: bytes) -> None:
    """Write a small file; nothing happens when the disk does not take it."""
    with contextlib.suppress(OSError):
        file.write_bytes(content)
