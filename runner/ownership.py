"""One campaign a data folder: whoever owns it holds a lock that dies with the process.

The lock is the kernel's (``flock``), so a killed owner leaves nothing to clean up and no
pid has to be guessed to be alive. The pid in the file is for people, and for the sentence
that refuses a second campaign.
"""

import contextlib
import fcntl
import os
from collections.abc import Generator
from typing import Final

from barograph.folder import DataFolder, FolderRefusal
from runner.errors import FolderOwnedError

_PID_BYTES: Final = 32


@contextlib.contextmanager
def owned(folder: DataFolder) -> Generator[None]:
    """Own the data folder while the block runs.

    Raises:
        FolderOwnedError: a living campaign owns it; its pid is in the sentence.
        FolderRefusal: the lock's file cannot be opened.

    """
    path = folder.owner_lock
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise FolderRefusal(
            f"the owner's lock cannot be opened ({error.strerror})", where=path, field="--dir"
        ) from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.read(fd, _PID_BYTES).decode(errors="replace").strip() or "unknown"
            raise FolderOwnedError(
                f"a campaign is running in this data folder, in the process with pid {pid}",
                where=folder.root,
                field="--dir",
                remedy="wait for it or stop it, or give another --dir",
            ) from error
        _sign(fd)
        yield
    finally:
        os.close(fd)


def owner_pid(folder: DataFolder) -> int | None:
    """Pid of the living campaign that owns the folder; None when there is none."""
    try:
        fd = os.open(folder.owner_lock, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        text = os.read(fd, _PID_BYTES).strip()
        return int(text) if text.isdigit() else None
    finally:
        os.close(fd)


def _sign(fd: int) -> None:
    # A full disk must not keep anybody from cleaning up and ending: the lock is the truth.
    with contextlib.suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
