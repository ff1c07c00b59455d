"""Bytes that a target sent and received, where it has a network of its own.

Interfaces belong to a network namespace, not to a cgroup. A target that shares ours would
be charged with everybody's traffic, so it has no number. One whose processes live in
another namespace is read through that namespace's ``net/dev``; the descriptor stays
good when the process by which it was found ends.
"""

import contextlib
import os
from collections.abc import Sequence

from collector.probes.parsing import NEITHER, Pair, net_dev

_LARGEST_FILE = 1 << 14


class TargetNetwork:
    """Looks for the target's own namespace until it is found, then reads it."""

    def __init__(self) -> None:
        """Know our own namespace; None where ``/proc`` does not tell."""
        self._ours = _namespace("self")
        self._fd: int | None = None

    def look(self, pids: Sequence[int]) -> None:
        """Try the youngest process: a sandbox's first one may not have moved yet."""
        if self._fd is not None or self._ours is None or not pids:
            return
        pid = str(max(pids))
        theirs = _namespace(pid)
        if theirs is None or theirs == self._ours:
            return
        with contextlib.suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/net/dev", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> Pair:
        """Received and sent since the namespace began; Nones without one."""
        if self._fd is None:
            return NEITHER
        try:
            return net_dev(os.pread(self._fd, _LARGEST_FILE, 0))
        except OSError:
            return NEITHER

    def close(self) -> None:
        """Let the namespace go."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _namespace(pid: str) -> tuple[int, int] | None:
    try:
        found = os.stat(f"/proc/{pid}/ns/net")  # noqa: PTH116 - once a tick and target
    except OSError:
        return None
    return found.st_dev, found.st_ino
