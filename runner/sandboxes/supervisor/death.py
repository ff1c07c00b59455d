"""How a sandbox dies, as its supervisor sees it: by its ceiling, by itself, or because asked.

The order of what can be seen is not the order of what happens: when everything is killed
at once, the leader of a running command can be seen dead before init, whose death takes
all others with it and is complete only after them. A command whose leader died must then
not be reported as "killed by signal 9", which would blame the command. So before any
command's end is believed, ``looming`` looks at what the kernel changes *before* it sends
the first signal: the OOM kill counter, and the flag of an init that is exiting.
"""

from __future__ import annotations

import os
import time

from runner.sandboxes.supervisor import syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.sandboxes.supervisor import wire
    from runner.sandboxes.supervisor.inside import Inside
    from runner.sandboxes.supervisor.loop import Loop
    from runner.sandboxes.supervisor.oomwatch import OomWatch

_SPIN_S = 0.003
"""After a wake-up: the kill follows within this, and every moment until everything else is
killed too is one in which a shell could go on as if it had lost one child."""
_LOOK_EVERY_S = 0.001
_LOOK_FOR_S = 0.5
"""After a wake-up; a kill that comes later than this wakes us again."""
_KERNEL_PATIENCE_S = 1.0
"""The kernel's own group kill takes microseconds; after this we make sure."""
_EXITING = 0x4
_FLAGS_FIELD = 6
"""Of ``/proc/PID/stat``, counted from behind the name."""


class Death:
    """Watches init and the kill counter of one sandbox."""

    def __init__(
        self, loop: Loop, inside: Inside, watch: OomWatch, scope: str, version: int
    ) -> None:
        """``scope``: ``sandbox`` or ``process``; ``version`` of the memory cgroup."""
        self.dead = False
        self.leaders: set[int] = set()
        """Descriptors of the processes that lead a running command, kept by ``Commands``."""
        self._loop, self._inside, self._watch = loop, inside, watch
        self._everything = scope == "sandbox"
        self._by_kernel = version == 2  # noqa: PLR2004 - a version is a version
        self._seen_kills = 0
        self._look_until_s = 0.0
        self._looking = False
        self._group = False
        self._asked = False
        self._exit_code = 0
        self._called: list[Callable[[], None]] = []
        loop.watch(inside.init_pidfd, self._on_init)
        if watch.wake_fd is not None:
            loop.watch(watch.wake_fd, self._on_wake)

    def expect(self, call: Callable[[], None]) -> None:
        """Call ``call`` once everything inside is dead."""
        self._called.append(call)

    def bring_about(self, then: Callable[[], None]) -> None:
        """Kill everything inside and call ``then`` when it is dead (now, if it is)."""
        if self.dead:
            then()
            return
        self._asked = True
        self._called.append(then)
        syscalls.kill_pidfd(self._inside.init_pidfd)

    def looming(self) -> bool:
        """Whether everything inside is dead or about to be; see the module's text."""
        if self.dead or self._asked or self._group:
            return True
        return self._count() or self._init_exiting()

    def message(self) -> wire.Message:
        """What the driver is told."""
        return {
            "event": "dead",
            "group_kill": int(self._group),
            "by_kernel": int(self._by_kernel),
            "asked": int(self._asked),
            "exit_code": self._exit_code,
        }

    def _on_init(self) -> None:
        pid, status = os.waitpid(self._inside.init_pid, os.WNOHANG)
        if pid == 0:
            return
        self._loop.forget(self._inside.init_pidfd)
        self._count()
        self.dead = True
        signalled = os.WIFSIGNALED(status)
        self._exit_code = 128 + os.WTERMSIG(status) if signalled else os.WEXITSTATUS(status)
        for call in self._called:
            call()

    def _on_wake(self) -> None:
        self._watch.awake()
        now_s = time.monotonic()
        self._look_until_s = now_s + _LOOK_FOR_S
        while self._everything and not self._count() and time.monotonic() < now_s + _SPIN_S:
            os.sched_yield()
        if not self._looking:
            self._looking = True
            self._look()

    def _look(self) -> None:
        over = self._count() or self.dead or time.monotonic() > self._look_until_s
        self._looking = not over
        if self._looking:
            self._loop.after(_LOOK_EVERY_S, self._look)

    def _count(self) -> bool:
        """Read the counter; where it moved and everything has to die, let it.

        Returns:
            Whether everything has to die.

        """
        kills = self._watch.kills()
        moved, self._seen_kills = kills > self._seen_kills, max(kills, self._seen_kills)
        if moved and self._everything and not self._group:
            self._group = True
            if self._by_kernel:
                self._loop.after(_KERNEL_PATIENCE_S, self._make_sure)
            else:
                self._make_sure()
        return self._group

    def _make_sure(self) -> None:
        """Kill everything: by init, but the leaders at once, before init gets to run."""
        if not self.dead:
            for leader in self.leaders:
                syscalls.kill_pidfd(leader)
            syscalls.kill_pidfd(self._inside.init_pidfd)

    def _init_exiting(self) -> bool:
        try:
            fd = os.open(f"/proc/{self._inside.init_pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return True
        try:
            fields = os.read(fd, 4096).rpartition(b")")[2].split()
        except OSError:
            return True
        finally:
            os.close(fd)
        return bool(int(fields[_FLAGS_FIELD]) & _EXITING)
