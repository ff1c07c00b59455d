"""The runner's side of the socket through which an agent acts in its sandbox.

The bridge only translates: what an exec means (its time limit, the events about it) is
the business of whoever hands in ``execute``. Several connections are served at once, one
command at a time on each. An agent's mistakes are answered and cost nothing else.

The socket is a file, never an abstract name: a sandbox that shares the host's network
could connect to those, and a task would then act as its own agent.
"""

import contextlib
import json
import math
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from runner.agents.client import Reply
from runner.errors import HelperFailedError
from runner.fields import as_mapping

Execute = Callable[[str, float | None], Reply]
"""Runs a command with a limit in seconds (None: none of its own); must not raise."""

_LONGEST_REQUEST_BYTES: Final = 4 << 20
_LONGEST_ADDRESS_BYTES: Final = 107
"""What ``sockaddr_un`` holds."""
_MOST_CONNECTIONS: Final = 32


class Bridge:
    """Serves one agent until it is closed."""

    def __init__(self, execute: Execute, *, folder: Path) -> None:
        """Listen.

        Args:
            execute: what to do with a command; called from several threads.
            folder: made (0700) for the socket, and removed at the end. Where its path is
                too long for a socket's address, a temporary folder is used instead.

        Raises:
            HelperFailedError: no socket can be made.

        """
        self._execute = execute
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder = folder
            if len(os.fsencode(folder / "exec.sock")) > _LONGEST_ADDRESS_BYTES:
                folder.rmdir()
                self._folder = Path(tempfile.mkdtemp(prefix="barograph-", dir="/tmp"))
            self.address.unlink(missing_ok=True)
            self._socket.bind(os.fspath(self.address))
            self.address.chmod(0o600)
            self._socket.listen()
        except OSError as error:
            self._socket.close()
            raise HelperFailedError(
                f"no socket can be made for the agent ({error.strerror})", where=folder
            ) from error
        self._accepting = threading.Thread(target=self._accept, name="bridge", daemon=True)
        self._accepting.start()

    @property
    def address(self) -> Path:
        """What the agent connects to."""
        return self._folder / "exec.sock"

    def close(self, *, wait_s: float | None = None) -> bool:
        """Take no more commands, wait for those that run, and remove the socket.

        Returns:
            Whether they all ended in time.

        """
        with self._lock:
            self._closed = True
            for connection in self._connections:
                # Reading ends at once; the answer to a running command can still be sent.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RD)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread
        self._accepting.join()
        self._socket.close()
        for thread in self._threads:
            thread.join(wait_s)
        shutil.rmtree(self._folder, ignore_errors=True)
        return not any(thread.is_alive() for thread in self._threads)

    def __enter__(self) -> Self:
        """Close at the end of a ``with``."""
        return self

    def __exit__(self, *_: object) -> None:
        """See ``__enter__``."""
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                if self._closed or len(self._connections) >= _MOST_CONNECTIONS:
                    connection.close()
                    continue
                self._connections.add(connection)
                thread = threading.Thread(
                    target=self._serve, args=(connection,), name="bridge-exec", daemon=True
                )
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            # An agent that hangs up early is no fault of ours.
            with contextlib.suppress(OSError), connection.makefile("rb") as requests:
                while line := requests.readline(_LONGEST_REQUEST_BYTES + 1):
                    if len(line) > _LONGEST_REQUEST_BYTES or not line.endswith(b"\n"):
                        connection.sendall(_line({"error": "not one line of at most 4 MiB"}))
                        return
                    connection.sendall(_line(self._answer(line)))
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def _answer(self, line: bytes) -> dict[str, object]:
        try:
            request = as_mapping(json.loads(line)) or {}
        except (ValueError, RecursionError):
            return {"error": "not JSON"}
        command, timeout_s = request.get("exec"), request.get("timeout_s")
        if not isinstance(command, str) or not command or "\0" in command:
            return {"error": "exec must be a command: a text without NUL"}
        try:
            command.encode()
        except UnicodeEncodeError:
            return {"error": "exec must be text that UTF-8 can hold"}
        if timeout_s is not None and (
            isinstance(timeout_s, bool)
            or not isinstance(timeout_s, (int, float))
            or not 0 < timeout_s < math.inf
        ):
            return {"error": "timeout_s must be a number of seconds above 0"}
        return self._execute(command, timeout_s)._asdict()


def _line(answer: dict[str, object]) -> bytes:
    return json.dumps(answer).encode() + b"\n"
