"""What writers were promised, noted where no kill of theirs reaches it.

The writers tell a pipe, which outlives them, which events the journal has taken
(``BAROGRAPH_ACK_FD``), so that even a lost *end* of a file would be noticed, which no reader of the
journal alone can see.
"""

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import pytest

from barograph.writer import ACK_FD_VARIABLE

_PATIENCE_S: Final = 240.0


class Promised:
    """Every (source, seq) that ``append`` returned for."""

    def __init__(self) -> None:
        """Make the pipe."""
        read_end, self.fd = os.pipe()
        os.set_inheritable(self.fd, True)
        self.pairs: list[tuple[str, int]] = []
        self._thread = threading.Thread(target=self._read, args=(read_end,), daemon=True)
        self._thread.start()

    def _read(self, read_end: int) -> None:
        with open(read_end, encoding="ascii") as lines:
            for line in lines:
                source, seq = line.split()
                self.pairs.append((source, int(seq)))

    def close(self) -> list[tuple[str, int]]:
        """All of them, when the last writer has ended."""
        os.close(self.fd)
        self._thread.join(_PATIENCE_S)
        assert not self._thread.is_alive(), "some writer never ends"
        return self.pairs


@contextmanager
def promises() -> Generator[Promised]:
    """What is started in the block tells it; see ``inherited_descriptors``."""
    noted = Promised()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ACK_FD_VARIABLE, str(noted.fd))
        yield noted
