"""What the disk says when a copy is read or written."""

import errno
from pathlib import Path
from typing import Final

from store.errors import StoreRefusal

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def refusal(error: OSError, where: Path) -> StoreRefusal:
    """The sentence for a user."""
    if error.errno in _NO_ROOM:
        return StoreRefusal(
            "no room is left on the disk", where=where, remedy="make room, then try again"
        )
    reason = (error.strerror or str(error)).lower()
    return StoreRefusal(f"it cannot be read or written ({reason})", where=where)
