"""The file system that a task sees, put together from the host's own files.

The root is a folder of the trial's scratch space, on disk, so that what a task writes is
page cache that the kernel can write back, and not memory that its ceiling pays for. The
host's programs and libraries are bound into it read-only at their own paths (a Python
prefix works at no other), ``/proc`` shows the sandbox's PID namespace, ``/dev`` has what
every program expects, ``/sys/fs/cgroup`` the sandbox's own cgroups, read-only.

The mount namespace belongs to the *host's* user namespace: even all capabilities in the
sandbox's own would not allow to mount or unmount anything here. The root and the folders
that lead to bound ones belong to the host's root, so that a task cannot slip another
``python3`` under its verifier by renaming a parent.
"""

# ruff: noqa: PTH101, PTH102, PTH103, PTH110, PTH112, PTH120, PTH123, PTH211 - pathlib is slow to import

import os

from runner.sandboxes.supervisor import syscalls, wire

_POWERLESS = syscalls.MS_NOSUID | syscalls.MS_NOEXEC
_OPEN_TO_ALL = 0o1777

_SHARED = ("root", "tmp", "var/tmp", "run/lock")
"""World-writable and sticky, owned by the host's root."""
_PLAIN = ("dev", "proc", "sys/fs/cgroup", "home", "opt", "mnt", "run", "var/log")
_LOGS = ("logs/agent", "logs/verifier", "logs/artifacts", "logs/user-agent")

_DEVICES = {
    "null": (1, 3),
    "zero": (1, 5),
    "full": (1, 7),
    "random": (1, 8),
    "urandom": (1, 9),
    "tty": (5, 0),
}
_DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}

# As container engines do. Permissions alone would keep our unprivileged user out of most;
# what is not there cannot be forgotten, either.
_MASKED = (
    "acpi",
    "asound",
    "kcore",
    "keys",
    "kmsg",
    "latency_stats",
    "sched_debug",
    "scsi",
    "timer_list",
    "timer_stats",
)
_READ_ONLY = ("bus", "driver", "fs", "irq", "sys", "sysrq-trigger")


def prepare(root: str, config: wire.Message, uid: int) -> None:
    """Make the folders, links and small files of a new root. Run as the host's root.

    Args:
        root: where it will stand; made here, must not exist.
        config: ``workdir`` (inside path), ``links``, ``files`` (inside path to text), ``binds``
            (host path to inside path), ``cgroup_binds`` (the same), ``hidden`` (folders of
            bound ones that shall look empty).
        uid: host user and group that own what the task may write.

    """
    os.mkdir(root, 0o755)
    for name in _PLAIN:
        os.makedirs(f"{root}/{name}", 0o755, exist_ok=True)
    for name in _SHARED:
        os.makedirs(f"{root}/{name}", 0o755, exist_ok=True)
        os.chmod(f"{root}/{name}", _OPEN_TO_ALL)
    for name in (*_LOGS, wire.text(config, "workdir").lstrip("/")):
        _make_owned(root, name, uid)
    for link, target in wire.pairs(config, "links"):
        os.symlink(target, root + link)
    for inside, content in wire.pairs(config, "files"):
        os.makedirs(os.path.dirname(root + inside), 0o755, exist_ok=True)
        with open(root + inside, "w", encoding="utf-8") as file:
            file.write(content)
    for host, inside in (*wire.pairs(config, "binds"), *wire.pairs(config, "cgroup_binds")):
        os.makedirs(root + inside, 0o755, exist_ok=True)
        if not os.path.isdir(host):
            raise NotADirectoryError(20, "Not a directory", host)


def _make_owned(root: str, name: str, uid: int) -> None:
    """Make a folder for the task; those of its parents that are new are its own, too."""
    path = root
    for part in name.split("/"):
        path = f"{path}/{part}"
        if not os.path.isdir(path):
            os.mkdir(path, 0o755)
            os.chown(path, uid, uid)


def enter(root: str, config: wire.Message) -> None:
    """Mount everything in this process's new mount namespace and make ``root`` the root.

    To be called as the host's root, in the new PID namespace (``/proc`` shows that one).
    """
    syscalls.mount("none", "/", flags=syscalls.MS_REC | syscalls.MS_PRIVATE)
    syscalls.mount(root, root, flags=syscalls.MS_BIND)
    syscalls.restrict_mount(root, read_only=False)
    for host, inside in wire.pairs(config, "binds"):
        _bind(host, root + inside)
    for inside in wire.texts(config, "hidden"):
        _hide(root + inside, "755")
    _mount_devices(f"{root}/dev")
    _mount_proc(f"{root}/proc", f"{root}/dev/null")
    for host, inside in wire.pairs(config, "cgroup_binds"):
        _bind(host, root + inside)
    os.chdir(root)
    # Both at one place: the former root lies on top of the new one, and is taken off.
    syscalls.pivot_root(".", ".")
    syscalls.unmount(".")
    os.chdir("/")


def _bind(host: str, target: str) -> None:
    syscalls.mount(host, target, flags=syscalls.MS_BIND | syscalls.MS_REC)
    syscalls.restrict_mount(target)


def _hide(target: str, mode: str) -> None:
    """Lay an empty folder over one."""
    syscalls.mount("tmpfs", target, "tmpfs", _POWERLESS, f"mode={mode},size=4k,nr_inodes=1")
    syscalls.restrict_mount(target)


def _mount_devices(dev: str) -> None:
    options = "mode=755,size=64k,nr_inodes=64"
    syscalls.mount("tmpfs", dev, "tmpfs", _POWERLESS, options)
    for name, (major, minor) in _DEVICES.items():
        os.mknod(f"{dev}/{name}", 0o020666, os.makedev(major, minor))
        os.chmod(f"{dev}/{name}", 0o666)  # noqa: S103 - as everywhere
    for name, target in _DEVICE_LINKS.items():
        os.symlink(target, f"{dev}/{name}")
    os.mkdir(f"{dev}/pts")
    syscalls.mount("devpts", f"{dev}/pts", "devpts", _POWERLESS, "newinstance,ptmxmode=0666")
    os.mkdir(f"{dev}/shm")
    syscalls.mount("tmpfs", f"{dev}/shm", "tmpfs", _POWERLESS | syscalls.MS_NODEV, "mode=1777")


def _mount_proc(proc: str, null: str) -> None:
    syscalls.mount("proc", proc, "proc", _POWERLESS | syscalls.MS_NODEV)
    for name in _MASKED:
        path = f"{proc}/{name}"
        if os.path.isdir(path):
            _hide(path, "000")
        elif os.path.exists(path):
            syscalls.mount(null, path, flags=syscalls.MS_BIND)
    for name in _READ_ONLY:
        path = f"{proc}/{name}"
        if os.path.exists(path):
            _bind(path, path)
