"""How many processes of the sandbox the kernel's OOM killer has killed, and when to look.

The counter of the sandbox's own cgroup is the truth on both versions: it counts a kill to
the victim's cgroup even where a parent's cap was hit. Version 1 wakes a listener through
an eventfd, but *before* it kills and counts, and wakes all children of a parent that ran
out: so whoever is woken has to look again for a while. On version 2 the kernel keeps
scope ``sandbox`` itself (``memory.oom.group``), so that nobody needs to be woken.
"""

import os

_FILES = {1: "memory.oom_control", 2: "memory.events"}
_COUNTER = b"oom_kill"
_FILE_BYTES = 4096


class OomWatch:
    """The kill counter of one cgroup, held open."""

    def __init__(self, memory_cgroup: str, version: int) -> None:
        """``memory_cgroup``: absolute path; ``version``: 1 or 2."""
        self._fd = os.open(f"{memory_cgroup}/{_FILES[version]}", os.O_RDONLY | os.O_CLOEXEC)
        self.wake_fd: int | None = None
        if version == 1:
            self.wake_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            control = os.open(f"{memory_cgroup}/cgroup.event_control", os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.write(control, f"{self.wake_fd} {self._fd}".encode())
            finally:
                os.close(control)

    def awake(self) -> None:
        """Take the wake-up, so that the next one can come."""
        if self.wake_fd is not None:
            try:
                os.eventfd_read(self.wake_fd)
            except BlockingIOError:
                return

    def kills(self) -> int:
        """Kills so far; 0 when the cgroup has gone."""
        try:
            lines = os.pread(self._fd, _FILE_BYTES, 0).splitlines()
        except OSError:
            return 0
        for line in lines:
            name, _, value = line.partition(b" ")
            if name == _COUNTER:
                return int(value)
        return 0
