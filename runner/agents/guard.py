"""A small process that stands over an agent's, so that none of them outlives its time.

An agent is any command of the user's. It may start servers, put them in sessions of
their own and forget them; its time limit, a stopped sweep and even a ``kill -9`` of the
runner have to end all of that. A process group would miss what left it, so the guard is a
*subreaper*: whatever an agent starts remains the guard's descendant for ever, and can be
found in ``/proc`` and killed.

Run as ``python -I -S guard.py FD COMMAND ...``. ``FD`` is the reading end of a pipe that the
runner holds: end of file (it closed it, or died) means that the agent's time is over. The
command gets SIGTERM and a short grace, then everything is killed. When the command ends
by itself, what it left behind is killed too. The exit code is the command's, or 128 +
signal.
"""

import ctypes
import os
import select
import signal
import sys
import time
from typing import NoReturn

GRACE_S = 1.0
"""Between SIGTERM and SIGKILL: time to write a log, not to go on working."""
KILL_FOR_S = 10.0
"""New children of dying processes are killed for so long; then nothing more can be done."""

_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127


def descendants(root: int) -> set[int]:
    """Every process whose chain of parents reaches ``root``."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib would double the start-up time
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - as above
                    # The name in brackets may hold anything; after the last one all is regular.
                    parent = int(file.read().rpartition(b") ")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it ended while we looked
            children.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    todo = [root]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found


def _reap(leader: int) -> int | None:
    """Collect every ended child; the leader's wait status when it is among them."""
    status = None
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == leader:
            status = ended


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _kill_all(leader: int) -> int | None:
    status = None
    until = time.monotonic() + KILL_FOR_S
    while time.monotonic() < until:
        left = descendants(os.getpid())
        if not left:
            break
        for pid in left:
            _send(pid, signal.SIGKILL)
        time.sleep(0.005)
        ended = _reap(leader)
        status = ended if ended is not None else status
    return status


def _wait_for(leader: int, control: int | None, timeout_s: float | None, woken: int) -> int | None:
    """Wait for the leader's end, at most until ``control`` closes or the time is over."""
    until = None if timeout_s is None else time.monotonic() + timeout_s
    poll = select.poll()
    poll.register(woken, select.POLLIN)
    if control is not None:
        poll.register(control, select.POLLIN)
    while True:
        status = _reap(leader)
        if status is not None:
            return status
        left_ms = None if until is None else max(0.0, until - time.monotonic()) * 1000
        ready = dict(poll.poll(left_ms))
        if control in ready or (until is not None and not ready):
            return None
        if woken in ready:
            os.read(woken, 4096)


def _note(_number: int, _frame: object) -> None:
    return


def _start(command: list[str]) -> int:
    leader = os.fork()
    if leader:
        return leader
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(2, f"cannot start {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(_CANNOT_START)


def main(arguments: list[str]) -> NoReturn:
    """See the module's docstring."""
    control, command = int(arguments[0]), arguments[1:]
    os.set_inheritable(control, False)  # noqa: FBT003 - it takes no keyword
    # The runner says by the pipe when it is over; a Ctrl-C in its terminal is not for us.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, _note)  # what is not handled at all wakes nobody
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    leader = _start(command)
    status = _wait_for(leader, control, None, woken)
    if status is None:
        _send(leader, signal.SIGTERM)
        status = _wait_for(leader, None, GRACE_S, woken)
    killed = _kill_all(leader)
    status = killed if status is None else status
    if status is None:
        os._exit(128 + signal.SIGKILL)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main(sys.argv[1:])
