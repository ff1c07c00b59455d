"""For those who write to a journal: have it shipped, and know how far it is.

Nothing here needs the client of Kafka, or waits for a broker.
"""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from barograph.daemons import is_held, last_words, start_apart
from barograph.errors import InputError
from barograph.folder import DataFolder
from barograph.log.port import LogError
from barograph.log.segments import streams, torn_tails
from barograph.shipping.bounds import Bounds
from barograph.shipping.marks import Marks
from barograph.writer import inherited_descriptors

_LOOK_EVERY_S: Final = 2.0
_POLL_S: Final = 0.05
_TELL_EVERY_S: Final = 0.25
_PATIENCE_S: Final = 4.0
_BEGINS_WITHIN_S: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipping:
    """How far the shared log has what the journal has."""

    log: str
    """Where to, without anything secret."""
    pid: int | None
    """Of the living shipper."""
    waiting_bytes: int
    """In the journal and not acknowledged."""
    complete_t_us: int | None
    """When everything that was there was acknowledged; None: never yet."""
    error: str | None
    """Why it does not go on, while it does not."""


def shipping_of(folder: DataFolder) -> Shipping | None:
    """How it goes; None: the folder names no shared log.

    Raises:
        LogError: the journal cannot be read.

    """
    url = folder.shared_log_url
    if url is None:
        return None
    marks = Marks.read(folder.ship_marks)
    if marks is not None and marks.log != url:
        marks = None
    alive = is_held(folder.ship_lock)
    error = None if marks is None else marks.error
    if not alive and marks is None:
        words = last_words(folder.run / "ship.err")
        error = None if words == "nothing" else words
    return Shipping(
        log=url,
        pid=_pid(folder) if alive else None,
        waiting_bytes=_waiting(folder, marks),
        complete_t_us=None if marks is None else marks.complete_t_us,
        error=error,
    )


def share(folder: DataFolder, url: str, bounds: Bounds | None = None) -> None:
    """Have the folder's journal shipped to a shared log from now on.

    Args:
        folder: whose journal.
        url: of the log.
        bounds: how large the journal may be; as before, or the defaults, when None.

    Raises:
        InputError: it is shipped to another one already.
        LogError: that cannot be noted.

    """
    before = folder.shared_log_url
    if before is not None and before != url:
        raise InputError(
            f"this data folder is shipped to {before}",
            where=folder.root,
            field="--log",
            value=url,
            remedy="leave --log out, or give another --dir",
        )
    kept = bounds or Bounds.of(folder)
    text = f"{url}\nkeep {kept.keep_bytes}\nbound {kept.bound_bytes}\n"
    try:
        folder.shared_log.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LogError(
            f"the log's name cannot be written ({error.strerror})", where=folder.shared_log
        ) from error


def ensure(folder: DataFolder) -> bool:
    """Have a living shipper where there is something to ship; whether one was started.

    Raises:
        OSError: no process could be started.

    """
    if folder.shared_log_url is None or is_held(folder.ship_lock):
        return False
    if not _waiting(folder, Marks.read(folder.ship_marks)) or _just_started(folder):
        return False
    folder.run.mkdir(mode=0o700, exist_ok=True)
    arguments = ["--dir", str(folder.root)]
    errors = folder.run / "ship.err"
    start_apart("barograph.shipping", arguments, errors, inherited_descriptors())
    return True


@contextmanager
def shipped(folder: DataFolder) -> Generator[None]:
    """A living shipper while the block runs, whatever kills it, and as long after as it takes."""
    if folder.shared_log_url is None:
        yield
        return
    over = threading.Event()

    def look() -> None:
        while True:
            with suppress(OSError):  # what waits is in the journal; there is another look
                ensure(folder)
            if over.wait(_LOOK_EVERY_S):
                return

    looker = threading.Thread(target=look, name="ship", daemon=True)
    looker.start()
    try:
        yield
    finally:
        over.set()
        looker.join()


def wait_until_shipped(
    folder: DataFolder,
    *,
    within_s: float,
    meanwhile: Callable[[Shipping], None] = lambda _: None,
) -> Shipping | None:
    """Wait until what is in the journal now is acknowledged.

    Args:
        folder: whose journal.
        within_s: the longest wait; it is over earlier when the shipper cannot go on.
        meanwhile: hears how it goes, several times a second.

    Returns:
        How it was left, where something waits still; None: everything is acknowledged, or
        there is no shared log.

    Raises:
        LogError: the journal cannot be read.
        OSError: no shipper could be started.

    """
    ends = _ends(folder)
    began_s = told_s = time.monotonic()
    while (found := shipping_of(folder)) is not None:
        marks = Marks.read(folder.ship_marks)
        done = {} if marks is None else marks.acknowledged
        if ends.keys() - {stream.name for stream in streams(folder.journal)}:
            ends = _ends(folder)  # a file was replaced by its next version
        if all(done.get(name, 0) >= end for name, end in ends.items()):
            return None
        ensure(folder)
        now_s = time.monotonic()
        # An error may be one of an earlier shipper, until this one had time to say better.
        stuck = found.error is not None and now_s > began_s + _PATIENCE_S
        if stuck or now_s > began_s + within_s:
            return found
        if now_s > told_s + _TELL_EVERY_S:
            told_s = now_s
            meanwhile(found)
        time.sleep(_POLL_S)
    return None


def _ends(folder: DataFolder) -> dict[str, int]:
    """Stream -> where its last whole line ends."""
    ends = {stream.name: stream.size for stream in streams(folder.journal)}
    return ends | {name: start for name, (start, _) in torn_tails(folder.journal).items()}


def _waiting(folder: DataFolder, marks: Marks | None) -> int:
    """Bytes of whole lines that are not acknowledged."""
    done = {} if marks is None else marks.acknowledged
    if all(one.size <= done.get(one.name, 0) for one in streams(folder.journal)):
        return 0
    return sum(max(0, end - done.get(name, 0)) for name, end in _ends(folder).items())


def _just_started(folder: DataFolder) -> bool:
    """Whether somebody started one a moment ago, which may not have its lock yet."""
    try:
        ago_s = time.time() - (folder.run / "ship.err").stat().st_mtime
    except OSError:
        return False
    return 0 <= ago_s < _BEGINS_WITHIN_S


def _pid(folder: DataFolder) -> int | None:
    try:
        return int(folder.ship_lock.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
