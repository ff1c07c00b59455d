"""The process that holds one sandbox, from its first cgroup to its last file.

It stands outside of the sandbox's PID namespace and cgroups, is spoken to over a socket
by the driver, and is what makes four promises possible:

* *a time limit ends what it limits*, while what earlier commands left in the background
  lives on (``command``);
* *scope sandbox means everything dies*, also on cgroup version 1, whose kernel kills one
  process: woken by the kernel, this process kills init, and with it all others;
* *nothing survives the runner*: when the socket ends, everything is killed, the collector
  is asked for the last counters, and everything is removed. Without a collector, cgroups
  and record stay for the next campaign;
* *nothing survives this process*: init is killed by the kernel when its parent dies.

One thread, one event loop. Imports are few on purpose: a sweep starts hundreds of these.
"""

# ruff: noqa: PTH108 - pathlib is slow to import

from __future__ import annotations

import fcntl
import importlib
import os
import select

from runner.sandboxes.supervisor import inside as insides
from runner.sandboxes.supervisor import limits, removal, rootfs, syscalls, wire
from runner.sandboxes.supervisor.commands import Commands
from runner.sandboxes.supervisor.copies import Copies
from runner.sandboxes.supervisor.death import Death
from runner.sandboxes.supervisor.loop import Loop
from runner.sandboxes.supervisor.oomwatch import OomWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_RECEIVE_BYTES = 1 << 16
_REMOVE_TIMEOUT_S = 10.0


class Supervisor:
    """One sandbox. Everything happens in calls from the loop."""

    def __init__(self, control: int) -> None:
        """``control``: our end of the socket to the driver."""
        self._control = control
        self._runner_lives = True
        self._loop = Loop()
        self._inbox = wire.Inbox()
        self._outbox = bytearray()
        self._config: wire.Message = {}
        self._death: Death | None = None
        self._commands: Commands | None = None
        self._copies: Copies | None = None
        self._record = -1

    def run(self) -> None:
        """Serve until the sandbox is removed or left to the next campaign."""
        os.set_blocking(self._control, False)
        self._loop.watch(self._control, self._on_control)
        self._loop.run()

    def _on_control(self) -> None:
        if self._outbox:
            self._flush()
        try:
            data = os.read(self._control, _RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._runner_gone()
            return
        for message in self._inbox.feed(data):
            self._handle(message)

    def _handle(self, message: wire.Message) -> None:
        asked = wire.text(message, "do")
        if asked == "start":
            self._start(message)
        elif asked == "exec" and self._commands is not None:
            self._commands.run(message)
        elif asked == "interrupt" and self._commands is not None:
            self._commands.interrupt()
        elif asked in {"upload", "download"} and self._copies is not None:
            self._copies.run(message)
        elif asked == "kill":
            self._kill()
        elif asked == "remove":
            self._say({"event": "removed", "problems": wire.joined(self._remove())})
            self._flush_and_stop()
        else:
            raise wire.WireError(f"cannot {asked} now")

    def _start(self, config: wire.Message) -> None:
        self._config = config
        try:
            self._record = os.open(wire.text(config, "record"), os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._record, fcntl.LOCK_EX | fcntl.LOCK_NB)
            inside = self._stand_up(config)
        except (OSError, insides.InitError) as error:
            self._say({"event": "failed", "problem": str(error)})
            self._flush_and_stop()
            return
        self._say({"event": "up", "init_pid": inside.init_pid, "uid": inside.uid})

    def _stand_up(self, config: wire.Message) -> insides.Inside:
        limits.take()
        cgroups = dict(wire.pairs(config, "cgroups"))
        version = wire.whole(config, "version")
        root = f"{wire.text(config, 'scratch')}/root"
        rootfs.prepare(root, config, insides.task_uid(os.getpid()))
        ordered = _memory_last(cgroups)
        watch = OomWatch(ordered[-1], version)
        fds = [os.open(f"{path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for path in ordered]
        inside = insides.create(root, config, fds)
        above = cgroups["pids" if version == 1 else "unified"]
        for path, fd in zip(ordered, fds, strict=True):
            if path == above:
                os.close(fd)  # commands enter a cgroup of their own below it
        shared = [fd for path, fd in zip(ordered, fds, strict=True) if path != above]
        death = Death(self._loop, inside, watch, wire.text(config, "scope"), version)
        self._death = death
        self._commands = Commands(self._loop, inside, death, above, shared, self._say)
        self._copies = Copies(self._loop, inside, self._say, self._control)
        death.expect(self._dead)
        return inside

    def _dead(self) -> None:
        """Init has ended, and with it everything inside."""
        death, commands = self._death, self._commands
        if death is None or commands is None:
            return
        self._say(death.message())
        commands.all_dead()

    def _kill(self) -> None:
        if self._copies is not None:
            self._copies.kill()
        if self._death is None:
            self._say({"event": "down"})
        else:
            self._death.bring_about(lambda: self._say({"event": "down"}))

    def _runner_gone(self) -> None:
        self._runner_lives = False
        self._loop.forget(self._control)
        if self._copies is not None:
            self._copies.kill()
        if self._death is None:
            self._loop.stop()  # nothing was made yet, or the driver was told of the failure
        else:
            self._death.bring_about(self._clean_up_alone)

    def _clean_up_alone(self) -> None:
        """The runner is gone and everything is dead: leave nothing, or leave it findable."""
        socket = wire.text(self._config, "collector_socket")
        told = False
        if socket:
            told = _finish(socket, wire.raw(self._config, "finish"))
        if told:
            self._remove()
        else:
            removal.remove_tree(wire.text(self._config, "scratch"))
        self._loop.stop()

    def _remove(self) -> list[str]:
        """Remove files, cgroups and, if all that worked, the record."""
        problem = removal.remove_tree(wire.text(self._config, "scratch"))
        paths = [path for _, path in wire.pairs(self._config, "cgroups")]
        problems = [problem] if problem else []
        problems += removal.remove_cgroups(paths, _REMOVE_TIMEOUT_S)
        if not problems:
            try:
                os.unlink(wire.text(self._config, "record"))
            except FileNotFoundError:
                return []
        return problems

    def _say(self, message: wire.Message) -> None:
        if self._runner_lives:
            self._outbox += wire.pack(message)
            self._flush()

    def _flush(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: os.write(self._control, self._outbox)]
        except BlockingIOError:
            self._loop.watch(self._control, self._on_control, select.EPOLLIN | select.EPOLLOUT)
            return
        except OSError:
            self._outbox.clear()  # the runner is gone; the loop will hear of it
        if not self._loop.stopped:
            self._loop.watch(self._control, self._on_control)

    def _flush_and_stop(self) -> None:
        os.set_blocking(self._control, True)
        self._flush()
        self._loop.stop()


def _memory_last(cgroups: dict[str, str]) -> list[str]:
    """Paths without doubles (cpu and cpuacct can be one), that of the memory charge last."""
    memory = cgroups.get("memory", cgroups.get("unified", ""))
    return [*dict.fromkeys(path for path in cgroups.values() if path != memory), memory]


def _finish(collector_socket: str, request: bytes) -> bool:
    """As ``farewell.finish``, which is loaded only now: see there."""
    module = importlib.import_module("runner.sandboxes.supervisor.farewell")
    finish: Callable[[str, bytes], bool] = module.finish
    return finish(collector_socket, request)


def main() -> None:
    """Serve the driver at the other end of standard input."""
    control = os.dup(0)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    syscalls.forget_keys()
    syscalls.default_signals()
    syscalls.ignore_signal(syscalls.SIGPIPE)  # a runner that is gone is an error of write()
    Supervisor(control).run()
    os._exit(0)  # there is nothing that the interpreter could tidy up


if __name__ == "__main__":
    main()
