"""The small files by which a server lets others in: tokens and address, their owner's alone."""

import contextlib
import json
import os
import secrets
from pathlib import Path
from typing import Final

from barograph.folder import DataFolder
from store.errors import StoreError, StoreRefusal
from store.failures import opening_failure

_OWNER_ONLY: Final = 0o600
_SHORTEST_TOKEN: Final = 32


def write_private(path: Path, text: str) -> None:
    """Put a file there, all at once and readable for its owner only.

    Raises:
        StoreRefusal: the folder cannot be written, or there is no room.

    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _OWNER_ONLY)
        with open(fd, "w", encoding="utf-8") as file:  # noqa: PTH123 - by descriptor
            file.write(text)
        fresh.replace(path)
    except OSError as error:
        raise opening_failure(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)


def read_token(path: Path) -> str:
    """A token.

    Raises:
        StoreRefusal: the file is not there, or another user's.

    """
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise StoreRefusal(f"the token cannot be read ({error.strerror})", where=path) from error


def write_token(folder: DataFolder) -> str:
    """The token that lets people's words in; made when it is not there."""
    with contextlib.suppress(StoreError):
        token = read_token(folder.write_token)
        if len(token) >= _SHORTEST_TOKEN:
            return token
    token = secrets.token_hex(24)
    write_private(folder.write_token, token + "\n")
    return token


def write_address(folder: DataFolder, *, pid: int, port: int, version: str) -> None:
    """Say for people where the server is."""
    told = {"pid": pid, "port": port, "version": version}
    write_private(folder.serve_address, json.dumps(told) + "\n")


def remove(folder: DataFolder) -> None:
    """Take back what lets readers in; the write token stays."""
    for path in (folder.serve_address, folder.serve_token):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def delete_store(folder: DataFolder) -> None:
    """Delete the store file, its write-ahead log and what was spilled beside it.

    Raises:
        StoreRefusal: the folder cannot be written.

    """
    try:
        for path in folder.root.glob(f"{folder.store_file.name}*"):
            if path.is_file():
                path.unlink(missing_ok=True)
    except OSError as error:
        raise opening_failure(error, folder.store_file) from error
