"""All commands of one sandbox: which run, whose output is still read, which end is believed.

A command ends with its leader. What its background processes write afterwards is read
slowly and thrown away: closing the pipe would kill them at their next write, and leaving
it full would stop them.
"""

# ruff: noqa: PTH102, PTH106 - pathlib is slow to import

from __future__ import annotations

import os

from runner.sandboxes.supervisor import capture, wire
from runner.sandboxes.supervisor.command import Command, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runner.sandboxes.supervisor.death import Death
    from runner.sandboxes.supervisor.inside import Inside
    from runner.sandboxes.supervisor.loop import Loop, Timer

_SLOW_S = 0.01
"""Between two reads of what nobody will see: at most 6.5 MB/s."""
_MOST_BACKGROUND_STREAMS = 256
"""A task that leaves more writers behind than this loses the oldest ones' output pipes."""


class Commands:
    """Starts commands and tells the driver how they ended."""

    def __init__(
        self,
        loop: Loop,
        inside: Inside,
        death: Death,
        above: str,
        cgroup_fds: list[int],
        say: Callable[[wire.Message], None],
    ) -> None:
        """``above``: the cgroup below which each command's own is made.

        ``cgroup_fds``: ``cgroup.procs`` of the sandbox's other cgroups, the memory's last.
        """
        self._loop, self._inside, self._death = loop, inside, death
        self._above, self._cgroup_fds, self._say = above, cgroup_fds, say
        self._running: dict[int, Command] = {}
        self._timers: dict[int, Timer] = {}
        self._background: list[Stream] = []
        self._used_cgroups: list[str] = []

    def run(self, request: wire.Message) -> None:
        """Start a command; the driver hears of its end.

        Args:
            request: ``number``, ``timeout_s``, ``keep_bytes``, and what ``Command.start`` asks.

        """
        number = wire.whole(request, "number")
        self._remove_used_cgroups()
        cgroup = f"{self._above}/e{number}"
        try:
            command = Command(number, cgroup, wire.whole(request, "keep_bytes"))
        except OSError as error:  # no descriptors left
            self._say({"event": "broken", "number": number, "problem": str(error)})
            return
        if self._death.dead:
            command.abandon()
            self._say(command.result("sandbox_died"))
            return
        try:
            os.mkdir(cgroup, 0o755)
            command.start(self._inside, request, self._cgroup_fds)
        except OSError as error:
            self._not_started(command, error)
            return
        self._running[number] = command
        self._death.leaders.add(command.pidfd)
        self._loop.watch(command.pidfd, lambda: self._leader_ended(command))
        for stream in (command.out, command.err):
            self._listen(stream)
        timeout_s = wire.optional_real(request, "timeout_s")
        if timeout_s is not None:
            self._timers[number] = self._loop.after(timeout_s, lambda: self._time_over(command))

    def interrupt(self) -> None:
        """End what runs as if its time were over."""
        for command in self._running.values():
            self._time_over(command)

    def all_dead(self) -> None:
        """Init has ended: whatever was running ended with the sandbox."""
        for command in list(self._running.values()):
            if command.status is None:
                command.reap()
                self._death.leaders.discard(command.pidfd)
            self._finish(command, "sandbox_died")

    def _not_started(self, command: Command, error: OSError) -> None:
        self._used_cgroups.append(command.cgroup)
        command.abandon()
        if self._death.looming():
            # Its PID namespace takes no more processes; the driver hears of it with the death.
            self._running[command.number] = command
        else:
            self._say({"event": "broken", "number": command.number, "problem": str(error)})

    def _leader_ended(self, command: Command) -> None:
        if not command.reap():
            return
        self._death.leaders.discard(command.pidfd)
        self._loop.forget(command.pidfd)
        if self._death.looming():
            return  # ``all_dead`` finishes it
        trouble = command.trouble()
        if trouble:
            self._finish(command, "broken")
            self._say({"event": "broken", "number": command.number, "problem": trouble})
        else:
            self._finish(command, "timeout" if command.timed_out else "ok")

    def _time_over(self, command: Command) -> None:
        command.timed_out = True
        command.kill()

    def _finish(self, command: Command, how: str) -> None:
        del self._running[command.number]
        timer = self._timers.pop(command.number, None)
        if timer is not None:
            timer.cancelled = True
        self._loop.forget(command.pidfd)
        for stream in (command.out, command.err):
            if not stream.closed and stream.drain():
                self._background.append(stream)
            else:
                self._close(stream)
        if how != "broken":
            self._say(command.result(how))
        command.close()
        for stream in (command.out, command.err):
            stream.capture = capture.Capture(0)
        self._background = [stream for stream in self._background if not stream.closed]
        for stream in self._background[:-_MOST_BACKGROUND_STREAMS]:
            self._close(stream)
        self._used_cgroups.append(command.cgroup)
        self._remove_used_cgroups()

    def _listen(self, stream: Stream) -> None:
        if not stream.closed:
            self._loop.watch(stream.fd, lambda: self._heard(stream))

    def _heard(self, stream: Stream) -> None:
        if not stream.read():
            self._close(stream)
            return
        pause_s = 0.0
        if stream in self._background:
            pause_s = _SLOW_S
        elif stream.capture.flooding:
            pause_s = capture.PAUSE_S
        if pause_s:
            self._loop.forget(stream.fd)
            self._loop.after(pause_s, lambda: self._listen(stream))

    def _close(self, stream: Stream) -> None:
        if not stream.closed:
            self._loop.forget(stream.fd)
            stream.close()

    def _remove_used_cgroups(self) -> None:
        """Remove the cgroups of commands that left nothing behind; the others stay."""
        left: list[str] = []
        for path in self._used_cgroups:
            try:
                os.rmdir(path)
            except FileNotFoundError:
                continue
            except OSError:
                left.append(path)
        self._used_cgroups = left
