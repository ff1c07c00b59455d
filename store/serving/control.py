"""The control socket: a thread a connection, requests one after another.

There are few clients (commands, browsers' sessions, notebooks) and a request may wait for a
load of minutes, so threads are the plain way. None of them ever blocks the loader.
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from barograph.daemons import reachable
from barograph.errors import BarographError
from store.errors import StoreError, StoreInputError
from store.serving.protocol import LONGEST_LINE_BYTES, Fields, encode, parse
from store.serving.wording import told

Say = Callable[[Fields], None]
"""Sends a line that is not the last; raises OSError when the client has gone."""
Handler = Callable[[Fields, Say], Fields]
"""Serves one request: returns the last answer's fields, or raises BarographError."""


class Control:
    """Listens until it is closed."""

    def __init__(self, path: Path, handle: Handler) -> None:
        """Begin to listen; a socket that a dead server left is replaced.

        Raises:
            OSError: the socket cannot be made.

        """
        self._path = path
        self._handle = handle
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        path.unlink(missing_ok=True)
        with reachable(path) as address:
            self._listener.bind(address)
        path.chmod(0o600)  # before it listens, nobody can connect
        self._listener.listen(128)
        self._inode = path.stat().st_ino
        self._thread = threading.Thread(target=self._accept, name="control", daemon=True)
        self._thread.start()

    @property
    def is_gone(self) -> bool:
        """Whether the socket was deleted under us: nobody can find this server any more."""
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True

    def close(self) -> None:
        """Stop to listen. Connections end with the process."""
        if not self.is_gone:
            self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._converse, args=[link], daemon=True).start()

    def _converse(self, link: socket.socket) -> None:
        with link, contextlib.suppress(OSError), link.makefile("rb") as lines:
            while line := lines.readline(LONGEST_LINE_BYTES):
                link.sendall(
                    encode(self._answer(line, lambda so_far: link.sendall(encode(so_far))))
                )

    def _answer(self, line: bytes, say: Say) -> Fields:
        try:
            if not line.endswith(b"\n"):
                raise StoreInputError("a request is too long")
            return {"ok": True, **self._handle(parse(line), say)}
        except BarographError as error:
            return {"ok": False, "error": told(error)}
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - one request's bug must not be silence
            bug = StoreError(f"unforeseen failure of the server ({type(error).__name__}: {error})")
            return {"ok": False, "error": told(bug)}
