"""A digest of a task's directory, so that two runs can prove they ran the same task.

What counts is what can reach a trial: relative paths, contents, targets of links, and
whether the owner may execute a file. Times, owners and the other permission bits do not
count, because a clone of the same repository on another machine has others. Python's
bytecode caches do not count either: running a task's own tests by hand leaves them
behind, and must not make it a different task.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from runner.errors import TaskError

_VERSION: Final = b"barograph task digest 1\n"
_READ_BYTES: Final = 1 << 20
IGNORED_NAMES: Final = frozenset({"__pycache__", ".git", ".DS_Store"})
"""Names that are left out of digests wherever they stand."""


def directory_digest(directory: Path) -> str:
    """``sha256:`` and 64 hex digits over everything in ``directory``.

    Raises:
        TaskError: a file cannot be read, or is neither file, folder nor link.

    """
    digest = hashlib.sha256(_VERSION)
    for relative, path in _walk(directory, b""):
        try:
            kind, content = _entry(path)
        except OSError as refused:
            raise TaskError(
                f"this part of the task cannot be read: {refused.strerror}", where=path
            ) from refused
        # Lengths in front of everything that varies: no two trees give the same bytes.
        digest.update(b"%s %d %s %s\n" % (kind, len(relative), relative, content))
    return f"sha256:{digest.hexdigest()}"


def _walk(directory: Path, prefix: bytes) -> Iterator[tuple[bytes, Path]]:
    """Every entry below ``directory`` with its relative path, in the order of the bytes."""
    try:
        entries = sorted(os.scandir(os.fsencode(directory)), key=lambda entry: entry.name)
    except OSError as refused:
        raise TaskError(
            f"this part of the task cannot be read: {refused.strerror}", where=directory
        ) from refused
    for entry in entries:
        if os.fsdecode(entry.name) in IGNORED_NAMES:
            continue
        relative = prefix + entry.name
        path = directory / os.fsdecode(entry.name)
        yield relative, path
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, relative + b"/")


def _entry(path: Path) -> tuple[bytes, bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return b"link", hashlib.sha256(os.fsencode(path.readlink())).hexdigest().encode()
    if stat.S_ISDIR(mode):
        return b"folder", b""
    if not stat.S_ISREG(mode):
        raise TaskError(
            "this is neither file, folder nor link",
            where=path,
            remedy="remove it: a task is made of files",
        )
    content = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_BYTES):
            content.update(piece)
    kind = b"program" if mode & stat.S_IXUSR else b"file"
    return kind, content.hexdigest().encode()
