"""Process limits and standing that a task gets whatever the runner was started with.

A ``ulimit`` of the shell that started a sweep, or the niceness of the cron job that did,
would otherwise be a hidden condition of every trial.
"""

import os
import resource

_FILES_SOFT, _FILES_HARD = 1024, 1 << 19
_NO_CORE = 1
"""Not 0: that value alone keeps the host's core dump handler from being run for a task."""
_MASK = 0o022
_QUICK = -10
_FIRST_VICTIM = b"900"
"""The kernel weighs this as nine tenths of the ceiling. The same for all of a task's
processes, so the largest of them still goes first; but all go before init, whose size is
that of the supervisor it is a copy of, although next to nothing is charged for it. (The
other way, a low value for init, takes a capability that root in a container lacks.)"""


def take() -> None:
    """For the supervisor itself: room for many commands' pipes, and a quick awakening.

    It runs for microseconds at a time, but those decide how long a group kill takes.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.umask(_MASK)
    try:
        _be_victim(b"0")
        os.setpriority(os.PRIO_PROCESS, 0, _QUICK)
    except PermissionError:
        return  # root without all powers; it stays as the runner was started


def give() -> None:
    """For a command, while still the host's root and seeing the host's ``/proc``."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = _FILES_HARD if hard == resource.RLIM_INFINITY else min(hard, _FILES_HARD)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(_FILES_SOFT, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (_NO_CORE, _NO_CORE))
    if os.getpriority(os.PRIO_PROCESS, 0) < 0:
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    _be_victim(_FIRST_VICTIM)


def _be_victim(adjustment: bytes) -> None:
    fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, adjustment)
    finally:
        os.close(fd)
