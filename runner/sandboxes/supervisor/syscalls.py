"""The system calls that Python 3.11 does not offer, typed, through the C library.

A namespace has to be made, entered and stripped of its powers between ``fork`` and
``execve``, in a process that is started hundreds of times a sweep. So this module (like
all that the supervisor imports) stays with what loads in milliseconds: no ``typing``, no
``signal``, no ``socket``. Every failure is an ``OSError`` that names the call and what it
was about, because "Operation not permitted" alone helps nobody.
"""

# ruff: noqa: PTH123 - pathlib is slow to import

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_NOEXEC = 8
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

SIGKILL, SIGPIPE, SIGCHLD = 9, 13, 17
_ARG_START_FIELD = 45
"""Of ``/proc/PID/stat``, counted from behind the name."""
_SIGNALS = 65
_SIG_DFL, _SIG_IGN = 0, 1
_SIG_SETMASK = 2
_SIGSET_BYTES = 128

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NAME = 15
_PR_CAPBSET_DROP = 24
_PR_SET_SECUREBITS = 28
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_NO_ROOT_LOCKED = 0b1111  # NOROOT and NO_SETUID_FIXUP, each with its lock
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = "/proc/sys/kernel/cap_last_cap"
_HIGHEST_CAPABILITY = 63

# Numbers from 424 on are the same on every architecture.
_SYS_PIDFD_SEND_SIGNAL = 424
_SYS_MOUNT_SETATTR = 442
_SYS_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219}
_KEYCTL_JOIN_SESSION_KEYRING = 1
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID, _MOUNT_ATTR_NODEV = 1, 2, 4

_AF_INET, _SOCK_DGRAM_CLOEXEC = 2, 2 | 0o2000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_IFREQ_BYTES, _IFNAME_BYTES = 40, 16


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave the given namespaces for new ones (PID: for the children)."""
    _check(_libc.unshare(ctypes.c_int(flags)), f"unshare({flags:#x})")


def setns(fd: int, kind: int) -> None:
    """Enter the namespace that ``fd`` stands for (PID: for the children)."""
    _check(_libc.setns(ctypes.c_int(fd), ctypes.c_int(kind)), f"setns({kind:#x})")


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """``mount(2)``; empty text stands for a null pointer."""
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        data.encode() or None,
    )
    _check(result, f"mount {source} on {target}")


def unmount(target: str) -> None:
    """Detach the mount at ``target`` with all below it."""
    _check(_libc.umount2(os.fsencode(target), ctypes.c_int(MNT_DETACH)), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root of this mount namespace; the former one is mounted at ``old``."""
    _check(_libc.pivot_root(os.fsencode(new), os.fsencode(old)), f"pivot_root {new}")


class _MountAttributes(ctypes.Structure):
    """``struct mount_attr`` of linux/mount.h."""

    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


def restrict_mount(target: str, *, read_only: bool = True) -> None:
    """Take set-id bits and devices, and by default writing, from ``target`` and all below it.

    A plain ``MS_REMOUNT`` would miss what is mounted below (kernel 5.12 or later needed).
    """
    attributes = _MOUNT_ATTR_NOSUID | _MOUNT_ATTR_NODEV | (_MOUNT_ATTR_RDONLY if read_only else 0)
    wanted = _MountAttributes(attributes, 0, 0, 0)
    result = _libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(wanted),
        ctypes.c_size_t(ctypes.sizeof(wanted)),
    )
    _check(result, f"mount_setattr {target}")


def forget_keys() -> None:
    """Leave the kernel keyring of whoever started us: keys are inherited like descriptors."""
    number = _SYS_KEYCTL.get(os.uname().machine)
    if number is not None:  # fails only where the kernel has no keys to leave behind
        _libc.syscall(ctypes.c_long(number), ctypes.c_int(_KEYCTL_JOIN_SESSION_KEYRING), None)


def set_hostname(name: str) -> None:
    """Name this UTS namespace."""
    text = name.encode()
    _check(_libc.sethostname(text, ctypes.c_size_t(len(text))), "sethostname")


def raise_loopback() -> None:
    """Bring up ``lo`` in this network namespace: the one device of a sandbox without network."""
    fd = int(_libc.socket(_AF_INET, _SOCK_DGRAM_CLOEXEC, 0))
    _check(fd, "socket")
    try:
        request = b"lo".ljust(_IFNAME_BYTES, b"\0") + _IFF_UP.to_bytes(2, "little")
        buffer = ctypes.create_string_buffer(request, _IFREQ_BYTES)
        _check(_libc.ioctl(fd, ctypes.c_ulong(_SIOCSIFFLAGS), buffer), "raise lo")
    finally:
        os.close(fd)


def _prctl(option: int, *arguments: int) -> int:
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return int(_libc.prctl(ctypes.c_int(option), *(ctypes.c_ulong(value) for value in padded)))


def die_with_parent() -> None:
    """Be killed when the parent ends. Lost on a change of user, so call this afterwards."""
    _check(_prctl(_PR_SET_PDEATHSIG, SIGKILL), "PR_SET_PDEATHSIG")


def hide_memory() -> None:
    """Let nobody without power over the host trace this process or read its memory."""
    _check(_prctl(_PR_SET_DUMPABLE, 0), "PR_SET_DUMPABLE")


def rename(name: str) -> None:
    """Be called ``name``, and show no arguments: they hold paths that are no task's business."""
    _check(int(_libc.prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)), "PR_SET_NAME")
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    start, end = int(fields[_ARG_START_FIELD]), int(fields[_ARG_START_FIELD + 1])
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def drop_powers(highest: int) -> None:
    """Give up every capability for good: bounding, ambient and inheritable ones included.

    After this no ``execve``, not even as uid 0 or of a set-uid file, gives one back.

    Args:
        highest: what ``highest_capability`` says.

    """
    for capability in range(highest + 1):
        _check(_prctl(_PR_CAPBSET_DROP, capability), f"drop capability {capability}")
    _check(_prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL), "clear ambient capabilities")
    _check(_prctl(_PR_SET_SECUREBITS, _NO_ROOT_LOCKED), "PR_SET_SECUREBITS")
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(nothing)), "capset")
    _check(_prctl(_PR_SET_NO_NEW_PRIVS, 1), "PR_SET_NO_NEW_PRIVS")


def highest_capability() -> int:
    """Number of the last capability that the running kernel knows."""
    try:
        with open(_LAST_CAPABILITY, encoding="ascii") as file:
            return int(file.read())
    except OSError:
        return _HIGHEST_CAPABILITY


def default_signals() -> None:
    """Undo what Python, or whoever started us, did to signals."""
    for number in range(1, _SIGNALS):
        _libc.signal(ctypes.c_int(number), ctypes.c_void_p(_SIG_DFL))
    mask = ctypes.create_string_buffer(_SIGSET_BYTES)
    _check(_libc.sigprocmask(_SIG_SETMASK, mask, None), "sigprocmask")


def ignore_signal(number: int) -> None:
    """Ignore a signal; SIGCHLD ignored means that the kernel reaps the children itself."""
    _libc.signal(ctypes.c_int(number), ctypes.c_void_p(_SIG_IGN))


def pause() -> None:
    """Sleep until a signal comes, touching as little memory as possible."""
    _libc.pause()


def kill_pidfd(pidfd: int, number: int = SIGKILL) -> bool:
    """Send a signal to exactly the process that ``pidfd`` was opened for.

    Returns:
        False where it had ended already.

    """
    result = _libc.syscall(
        ctypes.c_long(_SYS_PIDFD_SEND_SIGNAL),
        ctypes.c_int(pidfd),
        ctypes.c_int(number),
        None,
        ctypes.c_uint(0),
    )
    if result < 0 and ctypes.get_errno() == _ESRCH:
        return False
    _check(result, "pidfd_send_signal")
    return True


_ESRCH = 3
