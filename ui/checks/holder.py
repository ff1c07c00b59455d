"""Who holds a lock file of the data folder right now: asked of the kernel, not of the text.

A lock file that a killed process left behind still names its pid; what counts is whether
the ``flock`` is held. Asking takes the lock shared for an instant, so nothing is changed.
"""

import fcntl
import os
import re
from pathlib import Path


def holder(lock_file: Path) -> int | None:
    """The pid written in a lock file that is held; None where nobody holds it.

    A held file whose text names no pid gives 0.
    """
    try:
        fd = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        named = re.search(rb"\d+", os.read(fd, 256))
        return int(named[0]) if named else 0
    except OSError:
        return None
    finally:
        os.close(fd)
    return None
