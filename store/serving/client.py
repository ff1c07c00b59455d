"""Asking a served store, without having to know that it is one.

``Served`` is made of two links. Questions go over Quack: DuckDB is server and client, so
values arrive as the types that they had. Everything else goes over the control socket, a
connection a request. Both are made again when the server has ended (it ends by itself when
idle) or was killed, starting another where there is none: a question that was not answered is
put again, because asking twice changes nothing. Only a question that seems to kill each server
that is asked it is given up.
"""

import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self, TypeVar

from barograph import codec
from barograph.daemons import lives, reachable
from barograph.envelope import NOTHING, Belongs, Event
from barograph.facts import Payload
from barograph.folder import DataFolder
from store.answers import Table
from store.audit import AuditReport
from store.errors import StoreError, StoreRefusal, UnreachableError
from store.loader import LoadReport
from store.reader import Reader
from store.serving.files import read_token
from store.serving.protocol import (
    Fields,
    ServeStatus,
    audit_report,
    encode,
    load_report,
    parse,
    serve_status,
)
from store.serving.quack import Fetch, LostError, Quack, arrow, rows
from store.serving.starting import checked, end, ensure, find

Progress = Callable[[LoadReport], None]
Answer = TypeVar("Answer")

_PATIENCE_S: Final = 30.0
_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 0.5
_MOST_ENDED: Final = 3
_SILENCE_S: Final = 60.0
"""A server that works says so four times a second; one that is stopped says nothing."""


class Served:
    """A store that a server has open. Thread-safe. Implements ``store.answers.Answers``."""

    def __init__(self, folder: DataFolder, *, follow: bool = True) -> None:
        """Connect; see ``connect``."""
        self._folder = folder
        self._follow = follow
        self._lock = threading.Lock()
        self._quack: Quack | None = None
        self._link = 0
        """Counts how often a server was found."""
        self._linked = False
        self._pid = 0
        self._started = False
        self._closed = False
        try:
            self._again(lambda: None)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Close at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See ``close``."""
        self.close()

    def close(self) -> None:
        """Let the links go; the server stays, for others, until it is idle."""
        with self._lock:
            self._closed = True
            quack, self._quack = self._quack, None
        if quack is not None:
            quack.close()

    def ask(self, sql: str) -> Table:
        """Answer one SELECT statement.

        Raises:
            StoreInputError: it is not one, or cannot be answered as it was put.
            QueryTooLong: it took longer than the server grants.
            StoreRefusal: it needs more memory, or gives more rows, than the server grants.
            StoreError: no server could be had, or it failed.

        """
        return self._ask(sql, rows)

    def arrow(self, sql: str) -> object:
        """Answer as a ``pyarrow.Table``, for downloads; needs pyarrow. Raises as ``ask``."""
        return self._ask(sql, arrow)

    def reader(self) -> Reader:
        """The named questions over this store."""
        return Reader(self)

    def load(self, on_progress: Progress | None = None) -> LoadReport:
        """Have everything loaded that is in the journal now.

        Args:
            on_progress: called with what was loaded so far, a few times a second.

        Returns:
            What was loaded meanwhile; with a server that this object started, what was
            loaded since then.

        Raises:
            LogError, StoreError: it could not be loaded; what was loaded before stays.

        """
        answer = self._request(lambda: {"do": "load", "fresh": self._started}, on_progress)
        self._started = False
        return load_report(answer.get("report"))

    def rebuild(self, on_progress: Progress | None = None) -> LoadReport:
        """Have the store deleted and the journal loaded from its beginning; as ``load``."""
        answer = self._request(lambda: {"do": "rebuild"}, on_progress)
        return load_report(answer.get("report"))

    def audit(self) -> AuditReport:
        """Have log and tables compared (``store.audit``); not bounded in time."""
        return audit_report(self._request(lambda: {"do": "audit"}).get("report"))

    def watermark(self) -> int:
        """A number that grows with everything that changes an answer."""
        return int(str(self._request(lambda: {"do": "watermark"})["watermark"]))

    def status(self) -> ServeStatus:
        """How the server is."""
        return serve_status(self._request(lambda: {"do": "status"}))

    def stop(self) -> None:
        """End the server, for everybody, and wait for that. The next request starts another.

        Raises:
            UnreachableError: it does not end.

        """
        end(self._folder)

    def append(self, payload: Payload, belongs: Belongs = NOTHING) -> Event:
        """Say something on behalf of a person; in the log and the tables when this returns.

        Args:
            payload: of a type that people may say.
            belongs: what it is about.

        Raises:
            StoreRefusal: the write token is missing or another, or the log does not take it.
            StoreInputError: people do not say this.

        """
        said = Event(source="p", seq=0, t_us=0, mono_us=0, belongs=belongs, payload=payload)
        request: Fields = {"do": "append", "line": codec.encode(said).decode()}
        answer = self._request(
            lambda: request | {"token": read_token(self._folder.write_token)}, once=True
        )
        return codec.decode(str(answer.get("line")).encode())

    def _linked_up(self) -> int:
        """Have a server, and know it; the link's number."""
        with self._lock:
            if self._closed:
                raise StoreError("this connection to the store was closed")
            if not self._linked:
                found = ensure(self._folder, follow=self._follow)
                self._started = self._started or found.started
                self._pid = found.status.pid
                if self._quack is None:
                    self._quack = Quack()
                token = read_token(self._folder.serve_token)
                self._quack.connect(found.status.port, token, self._answers)
                self._link += 1
                self._linked = True
            return self._link

    def _answers(self) -> bool:
        """Whether the folder's server does, over the control socket."""
        return find(self._folder) is not None

    def _lost(self, link: int) -> None:
        with self._lock:
            if self._link == link:
                self._linked = False

    def _again(self, attempt: Callable[[], Answer]) -> Answer:
        """Try until it goes well, with another server when one is lost.

        A server that is just opening its store again does not answer for a moment. One that
        ended while it was asked, as did the one before it, ended because of what it was asked.
        """
        until_s, pause_s, ended = time.monotonic() + _PATIENCE_S, _PAUSE_S, set[int]()
        while True:
            link = self._link
            try:
                link = self._linked_up()
                return attempt()
            except LostError as error:
                self._lost(link)
                if not lives(self._pid):
                    ended.add(self._pid)
                if len(ended) >= _MOST_ENDED or time.monotonic() > until_s:
                    raise UnreachableError(
                        f"the store's server does not answer, or ended when it was asked ({error})",
                        where=self._folder.root,
                    ) from error
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _ask(self, sql: str, fetch: Fetch[Answer]) -> Answer:
        def attempt() -> Answer:
            if self._quack is None:
                raise StoreError("this connection to the store was closed")
            return self._quack.ask(sql, fetch, self._answers)

        return self._again(attempt)

    def _request(
        self,
        request: Callable[[], Fields],
        on_progress: Progress | None = None,
        *,
        once: bool = False,
    ) -> Fields:
        """Ask over the control socket; asked again where that is harmless."""

        def attempt() -> Fields:
            try:
                return self._converse(request(), on_progress)
            except OSError as error:
                if once:
                    raise StoreRefusal(
                        f"the store's server ended; it may or may not have been said ({error})",
                        where=self._folder.root,
                    ) from error
                raise LostError(str(error)) from error

        return self._again(attempt)

    def _converse(self, request: Fields, on_progress: Progress | None) -> Fields:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as link:
            link.settimeout(_SILENCE_S)
            try:
                with reachable(self._folder.serve_socket) as address:
                    link.connect(address)
            except OSError as error:  # nothing was asked yet
                raise LostError(str(error)) from error
            link.sendall(encode(request))
            with link.makefile("rb") as lines:
                while line := lines.readline():
                    if not line.endswith(b"\n"):
                        break
                    answer = parse(line)
                    if "so_far" not in answer:
                        return checked(answer)
                    if on_progress is not None:
                        on_progress(load_report(answer["so_far"]))
        raise ConnectionResetError("it hung up")


def connect(folder: DataFolder | str, *, follow: bool = True) -> Served:
    """Ask a data folder's store.

    Finds the folder's server, or starts one that ends by itself a minute after it was last
    asked anything.

    Args:
        folder: the data folder (``--dir``).
        follow: a server that is started now loads by itself what is written to the journal;
            otherwise only when it is asked to.

    Raises:
        FolderNotFoundError: there is no such data folder.
        StoreError: its store cannot be opened.

    """
    data = folder if isinstance(folder, DataFolder) else DataFolder.existing(folder)
    return Served(data, follow=follow)
