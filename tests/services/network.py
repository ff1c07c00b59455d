"""A network of its own for a server, joined to the host by one cable that can be pulled."""

import os
import subprocess
from typing import Final, Self

_NET: Final = "10.213"
"""Of the private addresses; a third number of this process' own is put behind it."""


class Network:
    """A network namespace and a pair of virtual interfaces. Gone after the block."""

    def __init__(self) -> None:
        """Choose names; nothing is made yet."""
        number = os.getpid() % 250 + 1
        self.name = f"barograph-{os.getpid()}"
        self._ours, self._theirs = f"bg{os.getpid()}a", f"bg{os.getpid()}b"
        self._gateway = f"{_NET}.{number}.1"
        self.address = f"{_NET}.{number}.2"

    def __enter__(self) -> Self:
        """Make it."""
        _ip("netns", "add", self.name)
        _ip("link", "add", self._ours, "type", "veth", "peer", "name", self._theirs)
        _ip("link", "set", self._theirs, "netns", self.name)
        _ip("addr", "add", f"{self._gateway}/30", "dev", self._ours)
        _ip("link", "set", self._ours, "up")
        _ip("-n", self.name, "addr", "add", f"{self.address}/30", "dev", self._theirs)
        for device in (self._theirs, "lo"):
            _ip("-n", self.name, "link", "set", device, "up")
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it; the interfaces go with it."""
        _ip("netns", "delete", self.name)

    def cut(self) -> None:
        """Nothing comes through, and nobody is told."""
        _ip("-n", self.name, "link", "set", self._theirs, "down")

    def join(self) -> None:
        """Everything comes through again."""
        _ip("-n", self.name, "link", "set", self._theirs, "up")


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
