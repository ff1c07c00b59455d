"""Having a server: find the one that lives, or start one and wait until it answers.

Many may want one at once. Each tries the socket first; who finds nobody there and the lock
free starts a server; of several that were started, the lock lets one through, and whoever
started another waits for that one. A server that cannot open the store says why down a pipe that
it inherits, so that its starter can say the same, with the same exit code.
"""

import contextlib
import os
import select
import socket
import time
from dataclasses import dataclass
from typing import Final, cast

from barograph.daemons import is_held, last_words, lives, locked, reachable, start_apart
from barograph.folder import DataFolder
from store.database import open_database
from store.errors import (
    ServedError,
    StoreBusyError,
    StoreInputError,
    StoreRefusal,
    UnreachableError,
)
from store.failures import opening_failure
from store.serving.files import delete_store
from store.serving.protocol import Fields, ServeStatus, encode, parse, serve_status, version
from store.serving.wording import heard

ANSWER_WITHIN_S: Final = 30.0
START_WITHIN_S: Final = 120.0
END_WITHIN_S: Final = 60.0
IDLE_S: Final = 60.0
_POLL_S: Final = 0.02
_LONGEST_WORDS: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A living server."""

    status: ServeStatus
    started: bool
    """By this call."""


def ask_once(folder: DataFolder, request: Fields) -> Fields:
    """One short request over a connection of its own.

    Raises:
        UnreachableError: nobody serves the socket.
        StoreRefusal: it is another user's.
        BarographError: what the server answers.

    """
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as link:
            link.settimeout(ANSWER_WITHIN_S)
            with reachable(folder.serve_socket) as address:
                link.connect(address)
            link.sendall(encode(request))
            with link.makefile("rb") as lines:
                line = lines.readline()
    except PermissionError as error:
        raise StoreRefusal(
            "another user's process serves this store", where=folder.serve_socket
        ) from error
    except OSError as error:
        raise UnreachableError("no server answers", where=folder.root) from error
    if not line.endswith(b"\n"):
        raise UnreachableError("the server ended", where=folder.root)
    return checked(parse(line))


def checked(answer: Fields) -> Fields:
    """An answer, if it is a good one.

    Raises:
        BarographError: as it says.

    """
    if answer.get("ok") is True:
        return answer
    raise heard(cast("Fields", answer.get("error") or {"problem": "the server does not say why"}))


def find(folder: DataFolder) -> ServeStatus | None:
    """The folder's living server, if it has one that answers.

    Raises:
        StoreRefusal: it is another user's.

    """
    try:
        return serve_status(ask_once(folder, {"do": "status"}))
    except UnreachableError:
        return None


def ensure(folder: DataFolder, *, follow: bool = True) -> Found:
    """The folder's server; started where there is none.

    Raises:
        StoreBusyError: a server of another version is there, or another program has the file.
        StoreError: none could be started; why the store cannot be opened.

    """
    until_s = time.monotonic() + START_WITHIN_S
    child: int | None = None
    while True:
        status = find(folder)
        if status is not None and status.version == version():
            return Found(status=status, started=child == status.pid)
        if status is not None:
            _retire(folder, status)
        # Whoever holds the lock is about to serve, or to end: both are worth waiting for.
        elif (child is None or not lives(child)) and not is_held(folder.serve_lock):
            child = _start(folder, follow=follow)
            continue
        if time.monotonic() >= until_s:
            raise UnreachableError(
                "the store's server does not start",
                where=folder.root,
                remedy=f"it said: {last_words(folder.run / 'serve.err')}",
            )
        time.sleep(_POLL_S)


def end(folder: DataFolder) -> ServeStatus | None:
    """End the server, for everybody, and wait until it has let the store go.

    Returns:
        How it was; None: there was none.

    Raises:
        UnreachableError: it does not end.

    """
    status = find(folder)
    if status is None:
        return None
    with contextlib.suppress(UnreachableError):  # it ended meanwhile
        ask_once(folder, {"do": "stop"})
    until_s = time.monotonic() + END_WITHIN_S
    while lives(status.pid):
        if time.monotonic() >= until_s:
            raise UnreachableError(
                f"the store's server (process {status.pid}) does not end",
                where=folder.root,
                remedy="it may be writing much; look at it again in a while",
            )
        time.sleep(_POLL_S)
    return status


def delete_unserved(folder: DataFolder) -> bool:
    """Delete the store, even one that no server can open; unless one has it open.

    Returns:
        Whether it is deleted. If not, a server lives: ask that to make the store anew.

    Raises:
        StoreBusyError: a program that is no server of ours has the file open.
        StoreRefusal: the folder cannot be written.

    """
    try:
        folder.run.mkdir(mode=0o700, exist_ok=True)
        held = locked(folder.serve_lock)
    except OSError as error:
        raise opening_failure(error, folder.serve_lock) from error
    if isinstance(held, str):
        return False
    with held:
        if folder.store_file.exists():
            with contextlib.suppress(StoreInputError):  # broken: all the more
                open_database(folder.store_file).close()
            delete_store(folder)
    return True


def _retire(folder: DataFolder, status: ServeStatus) -> None:
    """End a server of another version, if it was started for somebody who has gone since."""
    if not status.on_demand:
        raise StoreBusyError(
            f"process {status.pid} of another version of Barograph serves this store",
            where=folder.root,
            remedy="end it, then run the same command again",
        )
    try:
        ask_once(folder, {"do": "stop"})
    except UnreachableError:
        return


def _start(folder: DataFolder, *, follow: bool) -> int:
    """Start a server and hear what becomes of it; its pid.

    Raises:
        StoreError: it cannot serve this store.

    """
    arguments = ["serve", "--dir", str(folder.root), "--idle-s", f"{IDLE_S:g}"]
    if not follow:
        arguments.append("--no-follow")
    hearing, speaking = os.pipe()
    try:
        folder.run.mkdir(mode=0o700, exist_ok=True)
        pid = start_apart(
            "ui.cli",
            [*arguments, "--ready-fd", str(speaking)],
            folder.run / "serve.err",
            [speaking],
        )
    except OSError as error:
        os.close(hearing)
        raise opening_failure(error, folder.store_file) from error
    finally:
        os.close(speaking)
    try:
        words = _words(hearing, time.monotonic() + START_WITHIN_S)
    finally:
        os.close(hearing)
    if words:
        with contextlib.suppress(ServedError):  # another was faster, and serves as well
            checked(parse(words))
    return pid


def _words(fd: int, until_s: float) -> bytes:
    """What the new server says before it closes the pipe; nothing when it just dies."""
    words = b""
    while len(words) < _LONGEST_WORDS and not words.endswith(b"\n"):
        if not select.select([fd], [], [], max(0.0, until_s - time.monotonic()))[0]:
            break
        piece = os.read(fd, _LONGEST_WORDS)
        if not piece:
            break
        words += piece
    return words if words.endswith(b"\n") else b""
