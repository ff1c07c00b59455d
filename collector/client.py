"""Speaking to the folder's collector, and having one there to speak to.

``ensure`` adopts the collector that serves the folder or starts one, detached: it has a
session of its own and outlives whoever started it. A client is one connection; the
targets that it watched are its own until it closes. Calls are thread-safe, one at a time.
"""

import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, cast

from barograph.daemons import is_held, last_words, lives, reachable, start_apart
from barograph.folder import DataFolder
from barograph.writer import inherited_descriptors
from collector.errors import (
    CollectorError,
    ProbeRefusal,
    RequestError,
    TargetGone,
    UnknownTargetError,
    UnreachableError,
)
from collector.protocol import Watch, encode, parse_object, watch_fields
from collector.rates import EndReason

ANSWER_WITHIN_S: Final = 30.0
START_WITHIN_S: Final = 30.0
_POLL_S: Final = 0.02
_PIECE: Final = 1 << 16
_KINDS: Final[dict[object, type[CollectorError]]] = {
    "request": RequestError,
    "unknown_target": UnknownTargetError,
    "gone": TargetGone,
    "refused": ProbeRefusal,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorStatus:
    """What a collector says about itself."""

    source: str
    pid: int
    ticks: int
    targets: tuple[str, ...]


class CollectorClient:
    """One connection to a living collector."""

    def __init__(self, folder: DataFolder, *, within_s: float = ANSWER_WITHIN_S) -> None:
        """Connect.

        Args:
            folder: whose collector.
            within_s: how long to wait for an answer.

        Raises:
            UnreachableError: nobody serves the folder's socket.

        """
        self._lock = threading.Lock()
        self._unread = b""
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._link.settimeout(within_s)
        try:
            with reachable(folder.collector_socket) as address:
                self._link.connect(address)
        except OSError as error:
            self._link.close()
            raise UnreachableError("no collector answers", where=folder.root) from error

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def fileno(self) -> int:
        """The socket: it becomes readable, outside a call, only when the collector ended."""
        return self._link.fileno()

    def watch(self, watch: Watch) -> None:
        """Have a target watched.

        Raises:
            TargetGone, ProbeRefusal, RequestError: as the collector says.
            UnreachableError: the collector ended.

        """
        self._ask(watch_fields(watch))

    def finish(self, target: str, reason: EndReason = "finished") -> dict[str, object]:
        """Have a target read for the last time; returns its final counters.

        When this returns, kills and end are in the log and on the disk, and the cgroup may
        be removed. Asking again gives the same answer.

        Raises:
            UnknownTargetError: this collector does not watch it (it was restarted).
            UnreachableError: the collector ended, or could not write the end.

        """
        answer = self._ask({"do": "finish", "target": target, "reason": reason})
        final = answer.get("final")
        return cast("dict[str, object]", final) if isinstance(final, dict) else {}

    def status(self) -> CollectorStatus:
        """Who it is and what it watches."""
        answer = self._ask({"do": "status"})
        targets = cast("list[str]", answer.get("targets", []))
        return CollectorStatus(
            source=str(answer.get("source")),
            pid=cast("int", answer.get("pid")),
            ticks=cast("int", answer.get("ticks")),
            targets=tuple(targets),
        )

    def stop(self) -> None:
        """Ask it to end; targets stay as they are."""
        self._ask({"do": "stop"})

    def close(self) -> None:
        """Hang up: targets watched by this connection are on their own."""
        self._link.close()

    def _ask(self, request: dict[str, object]) -> dict[str, object]:
        with self._lock:
            try:
                self._link.sendall(encode(request))
                answer = parse_object(self._line())
            except (OSError, RequestError) as error:
                # Half an answer would be taken for the next request's: this link is done.
                self._link.close()
                raise UnreachableError(f"the collector does not answer ({error})") from error
        if answer.get("ok") is True:
            return answer
        kind = _KINDS.get(answer.get("kind"), UnreachableError)
        raise kind(str(answer.get("error")))

    def _line(self) -> bytes:
        while b"\n" not in self._unread:
            piece = self._link.recv(_PIECE)
            if not piece:
                raise ConnectionResetError("it hung up")
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def ensure(
    folder: DataFolder,
    *,
    within_s: float = START_WITHIN_S,
    linger_s: float | None = None,
    interval_s: float | None = None,
) -> CollectorClient:
    """Connect to the folder's collector; start one where there is none.

    Args:
        folder: made by ``DataFolder.create``.
        within_s: how long starting may take.
        linger_s: option of a collector that is started now.
        interval_s: likewise.

    Raises:
        UnreachableError: none could be started; the sentence has its last words.

    """
    deadline = time.monotonic() + within_s
    errors = folder.run / "collector.err"
    child: int | None = None
    while True:
        client = _adopted(folder)
        if client is not None:
            return client
        # Whoever holds the lock is about to serve, or to end: both are worth waiting for.
        if (child is None or not lives(child)) and not is_held(folder.collector_lock):
            child = _start(folder, errors, linger_s=linger_s, interval_s=interval_s)
        if time.monotonic() >= deadline:
            raise UnreachableError(
                "the collector does not start",
                where=folder.root,
                remedy=f"it said: {last_words(errors)}",
            )
        time.sleep(_POLL_S)


def _adopted(folder: DataFolder) -> CollectorClient | None:
    try:
        client = CollectorClient(folder)
    except UnreachableError:
        return None
    try:
        client.status()
    except CollectorError:
        client.close()
        return None
    return client


def _start(
    folder: DataFolder, errors: Path, *, linger_s: float | None, interval_s: float | None
) -> int:
    """Start one that is not our child, so that nobody has to wait for it; its pid."""
    arguments = ["--dir", str(folder.root)]
    for option, value in (("--linger-s", linger_s), ("--interval-s", interval_s)):
        if value is not None:
            arguments += [option, str(value)]
    return start_apart("collector", arguments, errors, inherited_descriptors())
