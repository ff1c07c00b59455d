"""The kernel log's records from ``/dev/kmsg``, each reader with a place of its own in the ring.

A new reader begins with the oldest record that the ring still holds: that is how a
collector that was restarted learns who was killed while there was none. When the ring
overtakes a reader, the next read fails once (EPIPE) and goes on behind the hole.
"""

import errno
import os
from collections.abc import Iterator
from typing import Final

from collector.probes.port import Gap

_LONGEST_RECORD: Final = 1 << 14
_MOST_AT_ONCE: Final = 50_000
_PATH: Final = "/dev/kmsg"


class KernelLogProbe:
    """``/dev/kmsg``, read without waiting."""

    def __init__(self) -> None:
        """Open it; ``fd`` is None and ``gap`` says why where that is not allowed."""
        self.gap: Gap | None = None
        self.overruns = 0
        try:
            self.fd: int | None = os.open(_PATH, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            self.fd = None
            self.gap = Gap(
                probe="kernel_log",
                reason=f"{_PATH}: {(error.strerror or str(error)).lower()}; victims stay unnamed",
            )

    def records(self) -> Iterator[bytes]:
        """What is there now, oldest first."""
        if self.fd is None:
            return
        for _ in range(_MOST_AT_ONCE):
            try:
                record = os.read(self.fd, _LONGEST_RECORD)
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno == errno.EPIPE:
                    self.overruns += 1
                    continue
                self.gap = Gap(
                    probe="kernel_log", reason=f"{_PATH}: {(error.strerror or str(error)).lower()}"
                )
                return
            if not record:
                return
            yield record

    def close(self) -> None:
        """Give the descriptor back."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
