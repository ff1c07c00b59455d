"""A Unix socket's address that always fits.

The kernel takes 107 bytes of path; a data folder may lie deeper. The folder's descriptor under
``/proc/self/fd`` is a short name for it that works for bind and connect alike.
"""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path


@contextlib.contextmanager
def reachable(path: Path) -> Generator[str]:
    """An address for the socket at ``path``, good inside the ``with``.

    Raises:
        OSError: the folder cannot be opened.

    """
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
