"""The socket: any number of clients, none of which can make the loop wait.

Everything is non-blocking. A client that sends half a line is waited for; one that sends
a line too long or does not read its answers is closed. A path under ``/proc/self/fd`` stands
for the folder, because the address of a Unix socket ends at 108 bytes and a data folder's
path does not.
"""

import contextlib
import errno
import os
import select
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from collector.addresses import reachable
from collector.errors import CollectorError, RequestError
from collector.protocol import LONGEST_LINE_BYTES, Request, encode, parse_request, refusal
from collector.wakeups import Wakeups

_MOST_UNREAD_BYTES: Final = 1 << 20
_PIECE: Final = 1 << 16

Answer = dict[str, object]
Handler = Callable[[Request, "Connection"], None]
"""Serves one request: calls ``connection.answer`` now or later, or raises CollectorError."""


class Connection:
    """One client."""

    def __init__(
        self,
        link: socket.socket,
        number: int,
        wakeups: Wakeups,
        closed: Callable[["Connection"], None],
    ) -> None:
        """Speak over ``link``, which is non-blocking; ``closed`` is told of the end."""
        self.number = number
        self.is_open = True
        self._closed = closed
        self._link = link
        self._wakeups = wakeups
        self._received = b""
        self._unsent = b""

    def answer(self, fields: Answer) -> None:
        """Send one line, as far as the client takes it now; the rest follows."""
        if not self.is_open:
            return
        self._unsent += encode(fields)
        self.send()

    def receive(self) -> list[bytes]:
        """Complete lines that are there; closes at the client's end.

        Raises:
            RequestError: a line is too long.

        """
        try:
            data = self._link.recv(_PIECE)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.close()
            return []
        *lines, self._received = (self._received + data).split(b"\n")
        if len(self._received) > LONGEST_LINE_BYTES:
            raise RequestError("a line is too long", remedy=f"at most {LONGEST_LINE_BYTES} bytes")
        return lines

    def send(self) -> None:
        """Send what is left to be sent."""
        try:
            sent = self._link.send(self._unsent, socket.MSG_NOSIGNAL)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.close()
            return
        self._unsent = self._unsent[sent:]
        if len(self._unsent) > _MOST_UNREAD_BYTES:
            self.close()
            return
        writing = select.EPOLLOUT if self._unsent else 0
        self._wakeups.change(self._link.fileno(), select.EPOLLIN | writing)

    def close(self) -> None:
        """Hang up; what was not sent is lost."""
        if self.is_open:
            self.is_open = False
            self._wakeups.remove(self._link.fileno())
            self._link.close()
            self._closed(self)


class Server:
    """Listens, and keeps the connections."""

    def __init__(
        self,
        path: Path,
        wakeups: Wakeups,
        *,
        handle: Handler,
        closed: Callable[[int], None],
    ) -> None:
        """Begin to listen.

        Args:
            path: of the socket; one that a dead collector left is replaced.
            wakeups: where connections are waited for.
            handle: serves a request.
            closed: called with the number of a connection that ended.

        """
        self._path = path
        self._wakeups = wakeups
        self._handle = handle
        self._closed = closed
        self._next_number = 1
        self.connections: dict[int, Connection] = {}
        self._listener = socket.socket(
            socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC
        )
        path.unlink(missing_ok=True)
        old_mask = os.umask(0o177)
        try:
            with reachable(path) as address:
                self._listener.bind(address)
        finally:
            os.umask(old_mask)
        self._listener.listen(128)
        wakeups.add(self._listener.fileno(), select.EPOLLIN, self._accept)

    def close(self) -> None:
        """Stop listening and hang up on everybody."""
        self._path.unlink(missing_ok=True)
        self._wakeups.remove(self._listener.fileno())
        self._listener.close()
        for connection in list(self.connections.values()):
            connection.close()

    def _accept(self, _events: int) -> None:
        try:
            link, _ = self._listener.accept()
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE}:
                # Nothing can be accepted before a descriptor is free; do not spin meanwhile.
                self._wakeups.remove(self._listener.fileno())
            return
        link.settimeout(0)
        connection = Connection(link, self._next_number, self._wakeups, self._hung_up)
        self._next_number += 1
        self.connections[connection.number] = connection
        self._wakeups.add(
            link.fileno(), select.EPOLLIN, lambda events: self._stirred(connection, events)
        )

    def listen_again(self) -> None:
        """Accept again, after descriptors may have become free."""
        with contextlib.suppress(FileExistsError):
            self._wakeups.add(self._listener.fileno(), select.EPOLLIN, self._accept)

    def _stirred(self, connection: Connection, events: int) -> None:
        if events & select.EPOLLOUT:
            connection.send()
        if connection.is_open and events & ~select.EPOLLOUT:
            self._serve(connection)

    def _hung_up(self, connection: Connection) -> None:
        self.connections.pop(connection.number, None)
        self._closed(connection.number)

    def _serve(self, connection: Connection) -> None:
        try:
            lines = connection.receive()
        except RequestError as error:
            connection.answer(refusal(error))
            connection.close()
            return
        for line in lines:
            if not line.strip():
                continue
            try:
                self._handle(parse_request(line), connection)
            except CollectorError as error:
                connection.answer(refusal(error))
