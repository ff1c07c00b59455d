"""The server: one process a data folder, the only one that opens the store.

It holds ``run/serve.lock`` for as long as it lives, so a second one refuses, and whatever a
killed server left behind (socket, token, address) is known to be stale by the lock being free.
DuckDB replays what the dead process had committed when the file is opened; nothing else has
to be healed.

The threads: this one waits for signals and for the end; one loads (``following``); one accepts
control connections, which have a thread each; Quack has its own.
"""

import hmac
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import Final

from barograph import codec
from barograph.clock import Clock, SystemClock
from barograph.envelope import Event
from barograph.facts import NoteAdded, VerdictOverridden
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.log.opening import open_log
from barograph.log.port import Log, LogError
from barograph.words import check
from barograph.writer import Writer
from store.audit import audit
from store.errors import ServedError, StoreError, StoreInputError, StoreRefusal
from store.failures import opening_failure
from store.loader import LoadReport
from store.serving import files
from store.serving.control import Control, Say
from store.serving.following import Following
from store.serving.hosted import Hosted, Listener, Options
from store.serving.keeping import Follower
from store.serving.locking import lock, lock_in_time
from store.serving.protocol import Fields, ServeStatus, audit_told, less, version
from store.serving.sharing import wait_for_shared_log

_POLL_S: Final = 0.1
_SO_FAR_S: Final = 0.25
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def serve(
    folder: DataFolder,
    options: Options,
    *,
    follower: Follower | None = None,
    writable: Iterable[str] = (),
    standby: Callable[[ServedError], None] | None = None,
    ready: Callable[[ServeStatus], None],
) -> None:
    """Serve a folder's store until a signal, a request or idleness ends it.

    Args:
        folder: whose store.
        options: port and bounds.
        follower: keeps derived tables up with what is loaded.
        writable: types of events that may be appended on behalf of people.
        standby: called once where the folder has a server; then that one's end is waited for.
        ready: called once, when clients are answered.

    Raises:
        ServedError: the folder has a server, and this is not to stand by.
        StoreError: the store cannot be opened or served.

    """
    held = lock(folder) if standby is None else lock_in_time(folder, standby)
    with held:
        # Taken as values by the loop below, so that no handler runs in the middle of anything.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            server = Server(folder, options, follower, writable)
            try:
                ready(server.status())
                server.run()
            finally:
                server.close()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def without_pandas() -> None:
    """Keep DuckDB from importing pandas, which it does for any call of a Python function.

    It takes a second and 60 MB where pandas happens to be installed, and serves nothing here.
    Only for a process that does nothing but serve.
    """
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # how an import is forbidden


class Server:
    """What serves while the lock is held."""

    def __init__(
        self,
        folder: DataFolder,
        options: Options,
        follower: Follower | None,
        writable: Iterable[str],
    ) -> None:
        """Open the store, listen, and begin to load."""
        self._folder = folder
        self._options = options
        self._clock: Clock = SystemClock()
        self._since_t_us = self._clock.wall_us()
        self._writable = frozenset(writable)
        self._stop = threading.Event()
        self._asked_s = time.monotonic()
        self._open_requests = 0
        self._counting = threading.Lock()
        self._journal = JournalLog(folder.journal)
        url = folder.shared_log_url
        self._log: Log = self._journal if url is None else open_log(url)
        self._writer: Writer | None = None
        files.write_token(folder)

        def opening(listener: Listener) -> Hosted:
            hosted = Hosted(folder.store_file, options, follower, listener)
            files.write_private(folder.serve_token, hosted.token + "\n")
            files.write_address(folder, pid=os.getpid(), port=hosted.port, version=version())
            return hosted

        self._following = Following(self._log, opening, self._clock)
        try:
            self._control = Control(folder.serve_socket, self._handle)
        except OSError as error:
            self._following.close()
            raise opening_failure(error, folder.serve_socket) from error
        self._following.start(follow=options.follow)

    def run(self) -> None:
        """Wait for the end.

        Raises:
            StoreError: the store was lost and could not be opened again.

        """
        while not (self._stop.is_set() or self._is_idle or self._control.is_gone):
            if signal.sigtimedwait(_SIGNALS, _POLL_S) is not None:
                return
            if isinstance(self._following.broken, StoreError):
                raise self._following.broken

    def close(self) -> None:
        """Listen no more, finish the batch at hand, write a checkpoint."""
        self._control.close()
        self._following.close()
        files.remove(self._folder)
        self._journal.close()

    def status(self) -> ServeStatus:
        """How it is."""
        following, hosted = self._following, self._following.hosted
        return ServeStatus(
            pid=os.getpid(),
            port=hosted.port,
            version=version(),
            since_t_us=self._since_t_us,
            on_demand=self._options.idle_s is not None,
            watermark=following.pulse.watermark,
            batches=following.pulse.batches,
            events=following.pulse.total.events,
            events_per_s=following.events_per_s(),
            lag_s=following.lag_s(),
            last_error=following.pulse.last_error,
            clients=hosted.answering.clients,
            questions=hosted.answering.asked,
        )

    @property
    def _is_idle(self) -> bool:
        idle_s = self._options.idle_s
        if idle_s is None or self._open_requests or self._following.hosted.answering.busy:
            return False
        last_s = max(self._asked_s, self._following.hosted.answering.last_asked_s)
        return time.monotonic() - last_s > idle_s

    def _handle(self, request: Fields, say: Say) -> Fields:
        with self._counting:
            self._open_requests += 1
        try:
            return self._serve(request, say)
        finally:
            with self._counting:
                self._open_requests -= 1
                self._asked_s = time.monotonic()

    def _serve(self, request: Fields, say: Say) -> Fields:
        answer: Fields = {}
        match request.get("do"):
            case "watermark":
                answer = {"watermark": self._following.pulse.watermark}
            case "status":
                answer = asdict(self.status())
            case "load":
                answer = self._load(say, fresh=request.get("fresh") is True)
            case "rebuild":
                answer = self._rebuild(say)
            case "audit":
                answer = self._audit(say)
            case "append":
                answer = self._append(request)
            case "stop":
                self._stop.set()
            case other:
                raise StoreInputError("no such request", field="do", value=other)
        return answer

    def _load(self, say: Say, *, fresh: bool) -> Fields:
        pulse = self._following.pulse
        before = LoadReport() if fresh else pulse.total
        wait_for_shared_log(
            self._folder, lambda: say({"so_far": asdict(less(pulse.total, before))})
        )
        ticket = self._following.draw()
        while not self._following.wait(ticket, _SO_FAR_S):
            say({"so_far": asdict(less(pulse.total, before))})
        return {"report": asdict(less(pulse.total, before))}

    def _rebuild(self, say: Say) -> Fields:
        pulse = self._following.pulse
        ticket = self._following.draw(delete=lambda: files.delete_store(self._folder))
        while not self._following.wait(ticket, _SO_FAR_S):
            say({"so_far": asdict(less(pulse.total, pulse.rebuilt_from))})
        return {"report": asdict(less(pulse.total, pulse.rebuilt_from))}

    def _audit(self, say: Say) -> Fields:
        with ThreadPoolExecutor(max_workers=1) as worker:
            found: Future[Fields] = worker.submit(self._audited)
            while True:
                try:
                    return {"report": found.result(timeout=_SO_FAR_S)}
                except TimeoutError:
                    say({"so_far": {}})

    def _audited(self) -> Fields:
        # In one transaction, so that what is loaded meanwhile is not seen by half of it.
        with self._following.hosted.cursor() as cursor, cursor.transaction():
            return audit_told(audit(self._log, cursor))

    def _append(self, request: Fields) -> Fields:
        token = files.write_token(self._folder)
        if not hmac.compare_digest(token.encode(), str(request.get("token")).encode()):
            raise StoreRefusal(
                "this server takes no words without the write token",
                where=self._folder.write_token,
            )
        said = codec.decode(str(request.get("line")).encode())
        if said.payload.type not in self._writable:
            raise StoreInputError("people do not say this", value=said.payload.type)
        if isinstance(said.payload, VerdictOverridden | NoteAdded):
            check(said.payload, said.belongs)
        with self._counting:
            if self._writer is None:
                self._writer = Writer(
                    self._journal, source=new_source("p"), clock=self._clock, acknowledged=_nobody
                )
        event = self._writer.write(said.payload, said.belongs)
        if event is None:
            raise StoreRefusal("the log did not take it", where=self._folder.journal)
        self._writer.sync()
        # Said it is, whether or not brokers are there to hear it.
        with suppress(LogError):
            wait_for_shared_log(self._folder, lambda: None)
            ticket = self._following.draw()
            while not self._following.wait(ticket, _SO_FAR_S):
                pass
        return {"line": codec.encode(event).decode()}


def _nobody(_events: Sequence[Event]) -> None:
    """Whoever asked for an event waits for it; no pipe has to hear of it."""
