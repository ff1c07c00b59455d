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
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from barograph.daemons import reachable
from collector.errors import CollectorError, RequestError
from collector.protocol import LONGEST_LINE_BYTES, Request, encode, parse_request, refusal
from collector.wakeups import Wakeups

_MOST_UNREAD_BYTES: Final = 1 << 20
_PIECE: Final = 1 << 16
_LINES_A_ROUND: Final = 8

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
        self._lines: deque[bytes] = deque()
        self._unsent = b""

    def answer(self, fields: Answer) -> None:
        """Send one line, as far as the client takes it now; the rest follows."""
        if not self.is_open:
            return
        self._unsent += encode(fields)
        self.send()

    @property
    def has_lines(self) -> bool:
        """Whether requests were received that are not served yet."""
        return bool(self._lines)

    def take_line(self) -> bytes:
        """The next request; when that was the last, the client is listened to again."""
        line = self._lines.popleft()
        if not self._lines:
            self._listen()
        return line

    def receive(self) -> None:
        """Take in what is there; closes at the client's end.

        A client that has sent complete lines is not read from again until they are served, so
        that it cannot make us remember, or do, more than a piece at a time.

        Raises:
            RequestError: a line is too long.

        """
        try:
            data = self._link.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, self._received = (self._received + data).split(b"\n")
        if len(self._received) > LONGEST_LINE_BYTES:
            raise RequestError("a line is too long", remedy=f"at most {LONGEST_LINE_BYTES} bytes")
        self._lines.extend(line for line in lines if line.strip())
        self._listen()

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
        self._listen()

    def close(self) -> None:
        """Hang up; what was not sent is lost."""
        if self.is_open:
            self.is_open = False
            self._wakeups.remove(self._link.fileno())
            self._link.close()
            self._lines.clear()
            self._closed(self)

    def _listen(self) -> None:
        if self.is_open:
            reading = 0 if self._lines else select.EPOLLIN
            writing = select.EPOLLOUT if self._unsent else 0
            self._wakeups.change(self._link.fileno(), reading | writing)


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

    def serve(self) -> bool:
        """Serve some requests of each client; True when there are more.

        Called in every round of the loop: between two rounds a tick can be served.
        """
        waiting = [link for link in self.connections.values() if link.has_lines]
        for connection in waiting:
            for _ in range(_LINES_A_ROUND):
                if connection.has_lines:
                    self._serve(connection)
        return any(link.has_lines for link in self.connections.values())

    def _stirred(self, connection: Connection, events: int) -> None:
        if events & select.EPOLLOUT:
            connection.send()
        # One that hung up stirs on: what it said before is served first, by ``serve``.
        if connection.is_open and events & ~select.EPOLLOUT and not connection.has_lines:
            try:
                connection.receive()
            except RequestError as error:
                connection.answer(refusal(error))
                connection.close()

    def _hung_up(self, connection: Connection) -> None:
        self.connections.pop(connection.number, None)
        self._closed(connection.number)

    def _serve(self, connection: Connection) -> None:
        try:
            self._handle(parse_request(connection.take_line()), connection)
        except CollectorError as error:
            connection.answer(refusal(error))
