"""Files that are opened once and read again and again with ``pread``.

Opening a cgroup file costs ten times what reading it does (measured: 11-32 us against 1),
and a held descriptor goes on naming the same cgroup even when another of the same path
takes its place. The price is descriptors, about sixteen a target, so the soft limit
is raised to the hard one and the refusal names the limit when that is not enough.
"""

import contextlib
import errno
import os
import resource
from typing import Final

from collector.errors import ProbeRefusal, TargetGone
from collector.probes.port import Gap

_USUAL_FILE: Final = 4096
_LARGEST_FILE: Final = 1 << 20
_GONE: Final = frozenset({errno.ENODEV, errno.ENOENT, errno.ESRCH})
_OUT_OF_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE})
UNREADABLE: Final = -1
"""In place of a descriptor: the file could not be opened and reads as nothing."""


def raise_file_limit() -> int:
    """Raise the soft limit of open files to the hard one; returns what holds now."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class HeldFiles:
    """The open files of one target, closed together; a file that is not there reads b""."""

    def __init__(self, probe: str) -> None:
        """Begin with none; ``probe`` names the gaps."""
        self._probe = probe
        self._fds: list[int] = []
        self.gaps: list[Gap] = []

    def need(self, folder: str, name: str, flags: int = os.O_RDONLY) -> int:
        """Open what a probe cannot do without.

        Raises:
            TargetGone: the folder is not there (any more).
            ProbeRefusal: the file is not there or cannot be opened.

        """
        path = os.path.join(folder, name)  # noqa: PTH118 - a tick's worth of Paths costs ms
        try:
            fd = os.open(path, flags | os.O_CLOEXEC)
        except OSError as error:
            raise self._refusal(folder, path, error) from error
        self._fds.append(fd)
        return fd

    def want(self, folder: str | None, name: str, part: str, flags: int = os.O_RDONLY) -> int:
        """Open what a probe can do without: -1 and a gap where it cannot be opened."""
        if folder is None:
            self.gaps.append(Gap(probe=f"{self._probe}.{part}", reason="no such controller given"))
            return UNREADABLE
        try:
            return self.need(folder, name, flags)
        except ProbeRefusal as refusal:
            if isinstance(refusal.__cause__, OSError) and _is_exhaustion(refusal.__cause__):
                raise
            self.gaps.append(Gap(probe=f"{self._probe}.{part}", reason=refusal.problem))
            return UNREADABLE

    def adopt(self, fd: int) -> int:
        """Close ``fd`` with the others."""
        self._fds.append(fd)
        return fd

    def close(self) -> None:
        """Close everything; twice is harmless."""
        while self._fds:
            with contextlib.suppress(OSError):
                os.close(self._fds.pop())

    def _refusal(self, folder: str, path: str, error: OSError) -> TargetGone | ProbeRefusal:
        if _is_exhaustion(error):
            soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
            return ProbeRefusal(
                f"no descriptor left: the limit is {soft} open files, about {soft // 16} targets",
                where=path,
                remedy="raise the hard limit (ulimit -Hn) of whoever starts the collector",
            )
        if error.errno in _GONE and not os.path.isdir(folder):  # noqa: PTH112 - as above
            return TargetGone("the cgroup is not there", where=folder)
        name = os.path.basename(path)  # noqa: PTH119 - as above
        return ProbeRefusal(f"{name}: {(error.strerror or str(error)).lower()}", where=folder)


def _is_exhaustion(error: OSError) -> bool:
    return error.errno in _OUT_OF_FILES


def pread(fd: int) -> bytes:
    """The whole of a held file; b"" for one that could not be opened.

    Raises:
        TargetGone: the cgroup behind it was removed.
        ProbeRefusal: any other failure of the read.

    """
    if fd == UNREADABLE:
        return b""
    try:
        data = os.pread(fd, _USUAL_FILE, 0)
        return data if len(data) < _USUAL_FILE else os.pread(fd, _LARGEST_FILE, 0)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            # A pressure file of a kernel booted without PSI opens, but does not read.
            return b""
        raise _failure(error) from error


def rewrite(fd: int, data: bytes) -> None:
    """Write to a held file what resets it.

    Raises:
        TargetGone: the cgroup behind it was removed.
        ProbeRefusal: any other failure.

    """
    try:
        os.pwrite(fd, data, 0)
    except OSError as error:
        raise _failure(error) from error


def opens(fd: int) -> bool:
    """Whether ``want`` got hold of the file."""
    return fd != UNREADABLE


def read_all(folder_fd: int, name: str) -> bytes:
    """Open, read to the end and close ``name`` in a held folder.

    Raises:
        TargetGone: the folder's cgroup was removed.
        ProbeRefusal: any other failure.

    """
    try:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder_fd)
        try:
            parts: list[bytes] = []
            while part := os.read(fd, _LARGEST_FILE):
                parts.append(part)
            return b"".join(parts)
        finally:
            os.close(fd)
    except OSError as error:
        raise _failure(error) from error


def _failure(error: OSError) -> TargetGone | ProbeRefusal:
    if error.errno in _GONE:
        return TargetGone("the cgroup was removed")
    return ProbeRefusal(f"a counter cannot be read ({(error.strerror or str(error)).lower()})")
