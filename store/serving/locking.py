"""The lock that makes one process the server of a folder, and waiting to be the next one.

The kernel lets it go with its holder, however that ends, so whoever stands by takes over within
half a second of a ``kill -9``.
"""

import time
from collections.abc import Callable
from typing import Final, TextIO

from barograph.daemons import locked
from barograph.folder import DataFolder
from store.errors import ServedError
from store.failures import opening_failure

_STANDBY_S: Final = 0.5


def lock_in_time(folder: DataFolder, standby: Callable[[ServedError], None]) -> TextIO:
    """Wait for the lock; the kernel lets it go with its holder, however that ends."""
    told = False
    while True:
        try:
            return lock(folder)
        except ServedError as error:
            if not told:
                standby(error)
                told = True
            time.sleep(_STANDBY_S)


def lock(folder: DataFolder) -> TextIO:
    """Take it, held while the file is open.

    Raises:
        ServedError: the folder has a server.
        StoreRefusal: the lock cannot be made.

    """
    try:
        folder.run.mkdir(mode=0o700, exist_ok=True)
        held = locked(folder.serve_lock)
    except OSError as error:
        raise opening_failure(error, folder.serve_lock) from error
    if isinstance(held, str):
        raise ServedError(
            f"process {held} serves this store already",
            where=folder.root,
            remedy="use it; 'barograph' commands find it by themselves",
        )
    return held
