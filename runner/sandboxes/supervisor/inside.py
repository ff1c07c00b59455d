"""Make the sandbox's namespaces, and become a process of the sandbox.

The supervisor's children are born into the sandbox's PID namespace; the first one is its
init. It makes the other namespaces, puts the root file system together while it is still
the host's root, and only then enters a user namespace and gives everything up. It never
executes a program: it stays the forked copy of the supervisor, asleep in ``pause``, so
that hardly any page is charged to the sandbox for it (what it shares with the supervisor
was charged there). With SIGCHLD ignored the kernel reaps the orphans of the sandbox.

Two host users, both unprivileged and unlike those of any other sandbox standing on the
machine: one is uid 0 inside and owns the task's processes and files; the other is init's,
so that a task can neither signal nor trace the process that its sandbox lives by.
"""

# ruff: noqa: PTH208 - pathlib is slow to import

import os

from runner.sandboxes.supervisor import rootfs, syscalls, wire

FIRST_UID = 0x70000000
"""Above what distributions hand out (systemd's container range ends here)."""
_INIT_UID_OFFSET = 1 << 22
"""Pids are below 2^22, so the two ranges never meet."""

_TASK_ID, _INIT_ID = 0, 1
"""Inside."""
_NAMESPACES = {
    "mnt": syscalls.CLONE_NEWNS,
    "ipc": syscalls.CLONE_NEWIPC,
    "uts": syscalls.CLONE_NEWUTS,
    "net": syscalls.CLONE_NEWNET,
    "user": syscalls.CLONE_NEWUSER,
}
_LINE_BYTES = 4096


class InitError(Exception):
    """Init could not be set up; the text says why."""


class Inside:
    """A sandbox's namespaces, held open, and its init."""

    def __init__(self, init_pid: int, uid: int, namespaces: dict[str, int], host_pids: int) -> None:
        """``namespaces``: name in ``/proc/PID/ns`` to descriptor; ``host_pids``: the host's own."""
        self.init_pid = init_pid
        self.init_pidfd = os.pidfd_open(init_pid)
        self.uid = uid
        self._namespaces = namespaces
        self._host_pids = host_pids
        self._sandbox_pids = os.open(f"/proc/{init_pid}/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self._highest = syscalls.highest_capability()

    def fork_on_host(self) -> int:
        """Fork a child into the *host's* PID namespace, where no task sees it."""
        syscalls.setns(self._host_pids, syscalls.CLONE_NEWPID)
        try:
            return os.fork()
        finally:
            syscalls.setns(self._sandbox_pids, syscalls.CLONE_NEWPID)

    def enter_files(self) -> None:
        """See the sandbox's files from here on; still as the host's root."""
        syscalls.setns(self._namespaces["mnt"], syscalls.CLONE_NEWNS)

    def become_task(self) -> None:
        """Enter every namespace and be an ordinary process of the task from here on."""
        for name, fd in self._namespaces.items():
            if name != "user":
                syscalls.setns(fd, _NAMESPACES[name])
        _become(self._namespaces["user"], _TASK_ID, self._highest)


def task_uid(supervisor_pid: int) -> int:
    """Host uid and gid that are 0 inside: one for each supervisor that lives."""
    return FIRST_UID + supervisor_pid


def create(root: str, config: wire.Message, cgroup_fds: list[int]) -> Inside:
    """Fork init, wait until it stands, and hold on to its namespaces.

    Args:
        root: as ``rootfs.prepare`` made it.
        config: as for ``rootfs.enter``; ``no_network`` (0 or 1).
        cgroup_fds: ``cgroup.procs`` files, open for writing, that init writes itself into.

    Raises:
        InitError: it could not be made; nothing of it is left.
        OSError: not even the first step worked.

    """
    uid = task_uid(os.getpid())
    host_pids = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    syscalls.unshare(syscalls.CLONE_NEWPID)
    heard, told = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _init(root, config, cgroup_fds, told[0], heard[1])
    os.close(heard[1])
    os.close(told[0])
    try:
        return _stand_up(pid, uid, host_pids, heard[0], told[1])
    finally:
        os.close(heard[0])
        os.close(told[1])


def _stand_up(pid: int, uid: int, host_pids: int, hear: int, tell: int) -> Inside:
    """The supervisor's side of init's beginning."""
    _expect(pid, hear, b"map")
    ids = f"{_TASK_ID} {uid} 1\n{_INIT_ID} {uid + _INIT_UID_OFFSET} 1\n"
    for name in ("uid_map", "gid_map"):
        _write(f"/proc/{pid}/{name}", ids)
    os.write(tell, b".")
    _expect(pid, hear, b"poor")
    namespaces = {
        name: os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in _NAMESPACES
    }
    inside = Inside(pid, uid, namespaces, host_pids)
    os.write(tell, b".")
    _expect(pid, hear, b"in")
    return inside


def _expect(pid: int, hear: int, word: bytes) -> None:
    heard = os.read(hear, _LINE_BYTES)
    if heard != word:
        os.kill(pid, syscalls.SIGKILL)
        os.waitpid(pid, 0)
        raise InitError(heard.decode(errors="replace") or "init ended")


def _init(root: str, config: wire.Message, cgroup_fds: list[int], hear: int, tell: int) -> None:
    """Be init; never returns."""
    try:
        _set_up(root, config, cgroup_fds, hear, tell)
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happens
        os.write(tell, f"{type(error).__name__}: {error}".encode()[:_LINE_BYTES])
        os._exit(1)
    os.close(hear)
    os.close(tell)
    while True:
        syscalls.pause()


def _set_up(root: str, config: wire.Message, cgroup_fds: list[int], hear: int, tell: int) -> None:
    kinds = syscalls.CLONE_NEWNS | syscalls.CLONE_NEWIPC | syscalls.CLONE_NEWUTS
    alone = wire.whole(config, "no_network")
    syscalls.unshare(kinds | (syscalls.CLONE_NEWNET if alone else 0))
    syscalls.set_hostname("sandbox")
    if alone:
        syscalls.raise_loopback()
    _close_all_but({hear, tell, *cgroup_fds})
    # The new /proc/sys is read-only and belongs to the host's user namespace; this one is
    # reached through a descriptor of the host's /proc, and shows the caller's own namespace.
    host_proc = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    highest = syscalls.highest_capability()
    rootfs.enter(root, config)
    syscalls.unshare(syscalls.CLONE_NEWUSER)
    _say_and_wait(tell, b"map", hear)
    limit = os.open("sys/user/max_user_namespaces", os.O_WRONLY, dir_fd=host_proc)
    os.write(limit, b"0")  # none below this one: most kernel holes need a nested one
    os.close(limit)
    os.close(host_proc)
    _become(None, _INIT_ID, highest)
    syscalls.hide_memory()
    syscalls.rename("init")
    syscalls.die_with_parent()
    syscalls.ignore_signal(syscalls.SIGCHLD)
    _say_and_wait(tell, b"poor", hear)
    for fd in cgroup_fds:
        os.write(fd, b"0")
        os.close(fd)
    os.write(tell, b"in")


def _say_and_wait(tell: int, word: bytes, hear: int) -> None:
    os.write(tell, word)
    if not os.read(hear, 1):
        os._exit(1)  # the supervisor ended before die_with_parent was in force


def _become(user_namespace: int | None, inside_id: int, highest_capability: int) -> None:
    """Enter the user namespace, be ``inside_id`` there, and give up every power."""
    if user_namespace is not None:
        os.setgroups([])
        syscalls.setns(user_namespace, syscalls.CLONE_NEWUSER)
    else:
        os.setgroups([])
    os.setresgid(inside_id, inside_id, inside_id)
    os.setresuid(inside_id, inside_id, inside_id)
    syscalls.drop_powers(highest_capability)


def _close_all_but(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                continue  # the descriptor that listed the folder


def _write(path: str, value: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, value.encode())
    except OSError as error:
        error.filename = path  # "Permission denied" alone would say nothing
        raise
    finally:
        os.close(fd)
