"""The driver's end of a supervisor: start it, ask it, hear from it, and notice its end.

One thread a sandbox reads what the supervisor says and hands each answer to whoever waits
for it, so that many threads can use one sandbox and a death is known at once, not at the
next question. If the socket ends, everybody who waits hears ``LinkBrokenError``: the
supervisor never goes without a word unless something killed it.
"""

import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from pathlib import Path
from typing import Final

from runner.sandboxes.supervisor import wire

_ROOT: Final = str(Path(__file__).resolve().parents[2])
# Behind the standard library, or a module of that name in site-packages would come first.
_PROGRAM: Final = (
    f"import sys; sys.path.append({_ROOT!r}); "
    "from runner.sandboxes.supervisor.main import main; main()"
)
_RECEIVE_BYTES: Final = 1 << 18
_LAST_WORDS_BYTES: Final = 2000
_END_TIMEOUT_S: Final = 5.0
_TAKEN_WITHIN_S: Final = 30
"""A supervisor that takes nothing for so long is stuck: the buffer between us is large."""
_NUMBERED: Final = ("done", "broken", "copied")

OnDead = Callable[[wire.Message], None]


class LinkBrokenError(Exception):
    """The supervisor ended, or does not answer; the text holds its last words."""


class Link:
    """A running supervisor."""

    def __init__(self, name: str, errors: Path, on_dead: OnDead) -> None:
        """Start the process; it does nothing before it is told to ``start``.

        Args:
            name: the sandbox's, for people who look at the process list.
            errors: file for what the supervisor complains about, made here.
            on_dead: called by the reading thread with the ``dead`` message.

        Raises:
            OSError: no process, socket or file could be had.

        """
        self._errors = errors
        self._on_dead = on_dead
        self._lock = threading.Lock()
        self._waiting: dict[str | int, Future[wire.Message]] = {}
        self._next = 0
        self._broken = False
        self._socket, theirs = socket.socketpair()
        # Of sending alone: whoever waits for an answer says for how long.
        limit = struct.pack("ll", _TAKEN_WITHIN_S, 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        try:
            with errors.open("wb") as stderr:
                # -I and -S: nothing of the environment, and no site packages to search.
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _PROGRAM, name],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    start_new_session=True,  # Ctrl-C is for the runner
                    cwd="/",
                )
        except OSError:
            self._socket.close()
            raise
        finally:
            theirs.close()
        self._reader = threading.Thread(target=self._read, name=f"sandbox {name}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Of the supervisor."""
        return self._process.pid

    def tell(self, message: wire.Message) -> None:
        """Send a message that has no answer.

        Raises:
            LinkBrokenError: the supervisor ended.

        """
        with self._lock:
            self._transmit(message)

    def ask(self, message: wire.Message, answer: str, timeout_s: float) -> wire.Message:
        """Send a message and wait for the event called ``answer``.

        Raises:
            LinkBrokenError: the supervisor ended, or did not answer in time.

        """
        future = self._send(message, answer)
        return self._wait(future, timeout_s)

    def ask_numbered(self, message: wire.Message, timeout_s: float | None) -> wire.Message:
        """Send a message with a number of its own and wait for its answer.

        Raises:
            LinkBrokenError: as ``ask``.

        """
        with self._lock:
            self._next += 1
            number = self._next
        return self._wait(self._send({**message, "number": number}, number), timeout_s)

    def close(self) -> None:
        """Wait for the supervisor's end, and bring it about if it does not come."""
        with suppress(OSError):  # it has gone already
            self._socket.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reader.join(_END_TIMEOUT_S)
        self._socket.close()

    def kill(self) -> None:
        """Kill the supervisor; the kernel kills its sandbox with it."""
        self._process.kill()
        # One that the kernel does not let go is no reason to keep the others waiting for ever.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT_S)

    def _send(self, message: wire.Message, key: str | int) -> Future[wire.Message]:
        future: Future[wire.Message] = Future()
        with self._lock:
            self._waiting[key] = future
            try:
                self._transmit(message)
            except LinkBrokenError:
                del self._waiting[key]
                raise
        return future

    def _transmit(self, message: wire.Message) -> None:
        """Send; the lock is held."""
        if self._broken:
            raise LinkBrokenError(self._last_words())
        try:
            self._socket.sendall(wire.pack(message))
        except OSError as error:
            # Half a message may be sent, so no other can follow it.
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            stuck = isinstance(error, BlockingIOError)
            words = "the supervisor takes no messages" if stuck else self._last_words()
            raise LinkBrokenError(words) from error

    def _wait(self, future: Future[wire.Message], timeout_s: float | None) -> wire.Message:
        try:
            return future.result(timeout_s)
        except FutureTimeoutError as error:
            raise LinkBrokenError("the supervisor does not answer") from error

    def _read(self) -> None:
        inbox = wire.Inbox()
        try:
            while data := self._socket.recv(_RECEIVE_BYTES):
                for message in inbox.feed(data):
                    self._hear(message)
        except (OSError, wire.WireError):
            pass  # as good as gone
        finally:
            # Also when what was called had a bug: who waits must hear of it.
            self._give_up()

    def _give_up(self) -> None:
        with self._lock:
            self._broken = True
            waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            future.set_exception(LinkBrokenError(self._last_words()))

    def _hear(self, message: wire.Message) -> None:
        event = wire.text(message, "event")
        if event == "dead":
            self._on_dead(message)
            return
        key = wire.whole(message, "number") if event in _NUMBERED else event
        with self._lock:
            future = self._waiting.pop("up" if key == "failed" else key, None)
        if future is not None:
            future.set_result(message)

    def _last_words(self) -> str:
        try:
            text = self._errors.read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        last = " ".join(text[-_LAST_WORDS_BYTES:].split())
        return f"its supervisor ended unexpectedly{': ' + last if last else ''}"
