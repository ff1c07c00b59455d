"""What a background process of one data folder and its clients have in common.

Such a process (the collector, the store's server) is found by two files in ``run/``: a lock
that it holds for as long as it lives, and a Unix socket that it serves. The lock decides, not
the text in it and not the socket: both outlive a process that was killed. Whoever needs the
process and finds the lock free starts one *apart*: no child of ours, in a session of its own,
so that it survives us and nobody has to wait for it.
"""

import contextlib
import fcntl
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Final, TextIO

import barograph

_APART: Final = '"$@" </dev/null >/dev/null & echo $!'


@contextlib.contextmanager
def reachable(path: Path) -> Generator[str]:
    """An address for the Unix socket at ``path``, good inside the ``with``.

    The kernel takes 107 bytes of path; a data folder may lie deeper. The folder's descriptor
    under ``/proc/self/fd`` is a short name for it that works for bind and connect alike.

    Raises:
        OSError: the folder cannot be opened.

    """
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def locked(path: Path) -> TextIO | str:
    """Take a lock, held while the file is open, and leave our pid in it.

    Returns:
        The open file; or, where another process holds it, what that wrote there (its pid).

    Raises:
        OSError: the file cannot be made or locked.

    """
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with file:
            file.seek(0)
            return file.read().strip() or "unknown"
    except BaseException:
        file.close()
        raise
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def is_held(lock: Path) -> bool:
    """Whether some process holds the lock; looked up, because trying it would disturb."""
    try:
        place = f":{lock.stat().st_ino} "
        held = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return False
    return any(" FLOCK " in line and place in line for line in held.splitlines())


def lives(pid: int) -> bool:
    """Whether a process runs; one that ended and that init has not seen yet does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return not stat.rpartition(b")")[2].lstrip().startswith(b"Z")


def start_apart(module: str, arguments: Sequence[str], errors: Path, fds: Sequence[int]) -> int:
    """Start ``python -m module`` so that it is nobody's child and outlives us.

    Args:
        module: with an entry point.
        arguments: of its command line.
        errors: file that takes its standard error, emptied first.
        fds: descriptors that it inherits.

    Returns:
        Its pid.

    Raises:
        OSError: the file cannot be written, or no process could be started.

    """
    # The same code, wherever the caller found it and wherever its working directory is.
    home = str(Path(barograph.__file__).parents[1])
    paths = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    with errors.open("wb") as file:
        shell = subprocess.run(
            ["/bin/sh", "-c", _APART, "sh", sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            cwd="/",
            env={**os.environ, "PYTHONPATH": paths},
            pass_fds=fds,
            start_new_session=True,
            check=True,
        )
    return int(shell.stdout)


def last_words(errors: Path) -> str:
    """The last line that a process started apart wrote to its standard error."""
    with contextlib.suppress(OSError):
        text = errors.read_text(encoding="utf-8", errors="replace").strip()
        if text:
            return text.splitlines()[-1]
    return "nothing"
