"""One command in a sandbox: started, listened to, and ended with all that it started.

Every command gets a cgroup of its own below the sandbox's (version 1: in the pids
hierarchy alone; version 2: a child without controllers, so that every charge still goes
to the sandbox). It holds whatever the command starts, through any number of forks and
sessions, which is what makes a time limit mean what it says.

The child does everything that needs Python before it enters the memory cgroup, as the
last act before ``execve``: its ceiling pays for the program and not for us.
"""

import os
import time

from runner.sandboxes.supervisor import capture, limits, removal, syscalls, wire
from runner.sandboxes.supervisor.inside import Inside

_NOT_EXECUTABLE, _NOT_FOUND, _BROKEN = 126, 127, 125
_KILL_TIMEOUT_S = 5.0
_SHELLS = ("/bin/bash", "/bin/sh")
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


class Stream:
    """The supervisor's end of a command's standard output or error."""

    def __init__(self, fd: int, keep_bytes: int) -> None:
        """``fd`` is the pipe's end to read from."""
        self.fd = fd
        self.closed = False
        self.capture = capture.Capture(keep_bytes)
        os.set_blocking(fd, False)

    def read(self) -> bool:
        """Take in what is there, one pipe's capacity at most; False at the end of the file."""
        try:
            data = os.read(self.fd, capture.READ_BYTES)
        except BlockingIOError:
            return True
        self.capture.feed(data)
        return bool(data)

    def close(self) -> None:
        """Read no more."""
        self.closed = True
        os.close(self.fd)

    def drain(self) -> bool:
        """Take in what a full pipe can hold, not what may still come; False at the end."""
        before = self.capture.total
        while self.capture.total - before < capture.READ_BYTES:
            so_far = self.capture.total
            if not self.read():
                return False
            if self.capture.total == so_far:
                return True
        return True


class Command:
    """A command that was started. Its leader is a child of the supervisor."""

    def __init__(self, number: int, cgroup: str, keep_bytes: int) -> None:
        """``number`` is the request's, ``cgroup`` the command's own, already made."""
        self.number = number
        self.cgroup = cgroup
        self.started_us = time.time_ns() // 1000
        self._started_s = time.monotonic()
        self.duration_s = 0.0
        self.timed_out = False
        self.status: int | None = None
        out, err, trouble = (os.pipe() for _ in range(3))
        self.out, self.err = Stream(out[0], keep_bytes), Stream(err[0], keep_bytes)
        self._trouble, self._theirs = trouble[0], (out[1], err[1], trouble[1])
        self.pid = 0
        self.pidfd = -1

    def start(self, inside: Inside, request: wire.Message, cgroup_fds: list[int]) -> None:
        """Fork and let the child become the command.

        Args:
            inside: the sandbox.
            request: ``argv``, ``environment``, ``workdir``.
            cgroup_fds: open ``cgroup.procs`` files of the sandbox's own cgroups.

        Raises:
            OSError: no child could be forked; ``close`` is still to be called.

        """
        own = os.open(f"{self.cgroup}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        try:
            for fd in self._theirs[:2]:
                # Or the command could not reopen its own /dev/stdout.
                os.fchown(fd, inside.uid, inside.uid)
            pid = os.fork()
            if pid == 0:
                _be(inside, request, self._theirs, [own, *cgroup_fds])
            self.pid, self.pidfd = pid, os.pidfd_open(pid)
        finally:
            os.close(own)
        self._close_theirs()

    def abandon(self) -> None:
        """Close everything: it was not started."""
        self._close_theirs()
        self.out.close()
        self.err.close()
        self.close()

    def _close_theirs(self) -> None:
        for fd in self._theirs:
            os.close(fd)

    def reap(self) -> bool:
        """Note how the leader ended; False if it has not, or never was."""
        if not self.pid:
            return False
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.status = status
        self.duration_s = time.monotonic() - self._started_s
        return True

    def trouble(self) -> str:
        """What kept the child from becoming the command; empty when nothing did."""
        return os.read(self._trouble, 4096).decode(errors="replace")

    def kill(self) -> None:
        """Kill all that the command started, however far it went."""
        removal.kill_below(self.cgroup, _KILL_TIMEOUT_S)

    def close(self) -> None:
        """Close what ``start`` opened and nobody else closes: all but the streams."""
        for fd in (self._trouble, self.pidfd):
            if fd >= 0:
                os.close(fd)
        self._trouble = self.pidfd = -1

    def result(self, how: str) -> wire.Message:
        """The message that tells the driver how it ended."""
        status = self.status
        exited = how == "ok" and status is not None and os.WIFEXITED(status)
        signalled = how != "sandbox_died" and status is not None and os.WIFSIGNALED(status)
        return {
            "event": "done",
            "number": self.number,
            "how": how,
            "exit_code": os.WEXITSTATUS(status) if exited and status is not None else None,
            "signal": os.WTERMSIG(status) if signalled and status is not None else None,
            "stdout": self.out.capture.kept(),
            "stderr": self.err.capture.kept(),
            "stdout_bytes": self.out.capture.total,
            "stderr_bytes": self.err.capture.total,
            "pid": self.pid or None,
            "started_us": self.started_us,
            "duration_s": self.duration_s,
        }


def _be(
    inside: Inside, request: wire.Message, theirs: tuple[int, int, int], cgroup_fds: list[int]
) -> None:
    """Be the command; never returns."""
    out, err, trouble = theirs
    try:
        os.setsid()
        limits.give()
        syscalls.default_signals()
        nothing = os.open("/dev/null", os.O_RDWR)
        for fd, place in ((nothing, 0), (out, 1), (err, 2)):
            os.dup2(fd, place)
        inside.become_task()
        workdir = wire.text(request, "workdir")
        try:
            os.chdir(workdir)
        except OSError as error:
            _complain(f"cannot work in {workdir}: {error.strerror}", _NOT_EXECUTABLE)
        environment = dict(wire.pairs(request, "environment"))
        programs, arguments = _programs(wire.texts(request, "argv"), environment)
        for fd in cgroup_fds:
            os.write(fd, b"0")
        _execute(programs, arguments, environment)
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happens
        os.write(trouble, f"{type(error).__name__}: {error}".encode()[:4096])
    finally:
        os._exit(_BROKEN)


def _programs(argv: list[str], environment: dict[str, str]) -> tuple[list[str], list[str]]:
    """Paths to try, and the arguments; an empty first argument asks for a shell."""
    if not argv[0]:
        shells = [shell for shell in _SHELLS if os.access(shell, os.X_OK)]
        return shells, ["bash", "-c", *argv[1:]]
    if "/" in argv[0]:
        return [argv[0]], argv
    folders = environment.get("PATH", _DEFAULT_PATH).split(":")
    return [f"{folder or '.'}/{argv[0]}" for folder in folders], argv


def _execute(programs: list[str], arguments: list[str], environment: dict[str, str]) -> None:
    refused = ""
    for program in programs:
        try:
            os.execve(program, arguments, environment)  # noqa: S606 - a shell where asked for
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            refused = refused or f"cannot run {program}: {error.strerror}"
    if refused:
        _complain(refused, _NOT_EXECUTABLE)
    _complain(f"no such program: {arguments[0]}", _NOT_FOUND)


def _complain(sentence: str, status: int) -> None:
    """Say on the command's own standard error why it could not run; a shell's exit codes."""
    os.write(2, f"{sentence}\n".encode())
    os._exit(status)
