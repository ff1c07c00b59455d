"""The journal: the durable truth on the writer's machine, as plain files of JSON lines.

One file for every source and segment, so that no two processes ever write one file and a
torn line can only be the last of its writer. A new incarnation is a new source and begins
a new file: nobody ever appends behind a torn line, which would hide the next one.

``append`` hands whole lines to the kernel in one write, so what it returned for survives a
``kill -9``. A thread of its own calls fsync twice a second, so that a power cut costs the
last second at most and nothing on the sampling path ever waits for a disk; ``sync`` does
it at once, at trial boundaries. A write that fails half-way is taken back by truncation.

A reserve of preallocated blocks lies beside the files. When the disk is full, a batch
that holds samples is refused (the writer may give samples up); a batch without them gets
room from the reserve, so that outcomes and kills can still be written.
"""

import contextlib
import errno
import fcntl
import os
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.codec import encode
from barograph.envelope import Event
from barograph.facts import Sample
from barograph.log.port import DEFAULT_CHUNK_BYTES, Chunk, LogError, LogFullError, Position
from barograph.log.reserve import RESERVE_BYTES, Reserve
from barograph.log.segments import chunks, streams, torn_tails

SEGMENT_BYTES: Final = 64 << 20
FSYNC_EVERY_S: Final = 0.5
"""Between the end of an fsync and the next: with 1.0, cuts in the middle of the next fsync
cost up to 1.03 s (tests/vm/test_power_cut.py); so two fsyncs of 0.25 s still keep the promise."""
_SOURCE: Final = re.compile(r"[a-z0-9]+")
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(slots=True)
class _Segment:
    """The file that a source writes to now."""

    number: int
    fd: int
    size: int
    dirty: bool = False


class JournalLog:
    """The files of one folder; many sources may write through one object, thread-safe."""

    def __init__(
        self,
        folder: Path,
        *,
        segment_bytes: int = SEGMENT_BYTES,
        reserve_bytes: int = RESERVE_BYTES,
        fsync_every_s: float = FSYNC_EVERY_S,
    ) -> None:
        """Open the folder for reading and, from the first ``append`` on, for writing.

        Args:
            folder: made when something is first written.
            segment_bytes: a file that has reached this size is followed by another.
            reserve_bytes: room kept back for events other than samples.
            fsync_every_s: pause between fsyncs; a power cut costs this and two fsyncs at most.

        """
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._fsync_every_s = fsync_every_s
        self._reserve = Reserve(folder / ".reserve", reserve_bytes)
        self._segments: dict[str, _Segment] = {}
        # Descriptors that wait for their last fsync: ``append`` never waits for the disk.
        self._retired: list[int] = []
        self._lock = threading.Lock()
        # Held during an fsync, so that a sync never overtakes one that is under way.
        self._sync_lock = threading.Lock()
        self._closing = threading.Event()
        self._flusher: threading.Thread | None = None
        self._sync_error: OSError | None = None

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._folder

    def append(self, events: Sequence[Event]) -> None:
        """See ``Log.append``. All events must be of one source."""
        if not events:
            return
        source = events[0].source
        if any(event.source != source for event in events) or not _SOURCE.fullmatch(source):
            raise LogError("a batch of several or unnamed sources", where=self._folder)
        data = b"".join(map(encode, events))
        expendable = any(isinstance(event.payload, Sample) for event in events)
        with self._lock:
            if expendable and not self._reserve.spares(len(data)):
                raise self._refusal(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
            segment = self._segment(source)
            self._write(source, segment, data, expendable=expendable)
            self._reserve.restore_if_due()

    def sync(self) -> None:
        """Bring everything that was appended to the disk now.

        Raises:
            LogError: this fsync or one in the background failed; what was appended since
                the last good one may not survive a power cut.

        """
        self._flush()
        if self._sync_error is not None:
            error, self._sync_error = self._sync_error, None
            raise LogError(f"cannot sync ({error.strerror})", where=self._folder) from error

    def close(self) -> None:
        """Sync and close; the object can still read."""
        self._closing.set()
        if self._flusher is not None:
            self._flusher.join()
        self.sync()
        with self._lock:
            for segment in self._segments.values():
                os.close(segment.fd)
            self._segments.clear()

    def read(self, position: Position, *, max_bytes: int = DEFAULT_CHUNK_BYTES) -> Iterator[Chunk]:
        """See ``Log.read``. A stream is a file's name without ``.jsonl``, in bytes."""
        return chunks(self._folder, position, max_bytes=max_bytes)

    def stream_names(self) -> frozenset[str]:
        """All streams that there are now: readers forget what they know of others.

        Raises:
            LogError: the journal cannot be read.

        """
        return frozenset(stream.name for stream in streams(self._folder))

    def torn_tails(self) -> dict[str, tuple[int, int]]:
        """Stream -> (offset, length in bytes) of a last line without its end.

        A living writer's last line may be seen half-way; one that stays is torn.
        """
        return torn_tails(self._folder)

    def _segment(self, source: str) -> _Segment:
        segment = self._segments.get(source)
        if segment is not None and segment.size < self._segment_bytes:
            return segment
        number = 0
        if segment is not None:
            number = segment.number + 1
        elif self._flusher is None:
            self._begin()
        fresh = self._open_segment(source, number)
        if segment is not None:
            self._retire(segment)
        self._segments[source] = fresh
        return fresh

    def _begin(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise self._refusal(error) from error
        self._reserve.fill()
        self._flusher = threading.Thread(target=self._flush_loop, name="journal-fsync", daemon=True)
        self._flusher.start()

    def _open_segment(self, source: str, number: int) -> _Segment:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        path = self._folder / f"{source}.{number:06d}.jsonl"
        try:
            fd = os.open(path, flags, 0o600)
            # Held until it is closed: whoever rewrites files leaves this one alone. A file system
            # without locks lets nobody rewrite either.
            with contextlib.suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_EX)
            # The file's name has to reach the disk too.
            self._retired.append(os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError as error:
            raise self._refusal(error) from error
        return _Segment(number=number, fd=fd, size=0)

    def _write(self, source: str, segment: _Segment, data: bytes, *, expendable: bool) -> None:
        while True:
            try:
                _write_all(segment.fd, data)
            except OSError as error:
                self._take_back(source, segment, error)
                no_room = error.errno in _NO_ROOM
                if no_room and not expendable and self._reserve.release():
                    continue
                raise self._refusal(error) from error
            segment.size += len(data)
            segment.dirty = True
            return

    def _take_back(self, source: str, segment: _Segment, error: OSError) -> None:
        """Remove what a failed write left, or give the file up."""
        try:
            os.ftruncate(segment.fd, segment.size)
        except OSError as second:
            # The torn bytes stay: leave them as this file's end and go on in a new one.
            self._segments[source] = self._open_segment(source, segment.number + 1)
            self._retire(segment)
            refusal = self._refusal(error)
            refusal.uncertain = True
            raise refusal from second

    def _retire(self, segment: _Segment) -> None:
        self._retired.append(segment.fd)

    def _refusal(self, error: OSError) -> LogError:
        if error.errno in _NO_ROOM:
            return LogFullError(
                "the disk is full",
                where=self._folder,
                remedy="make room, then run the same command again: it goes on where it stopped",
            )
        return LogError(
            f"cannot write the journal ({error.strerror})",
            where=error.filename or self._folder,
            remedy="choose a folder that can be written with --dir",
        )

    def _flush(self) -> None:
        """Bring all dirty segments to the disk; appends go on meanwhile."""
        with self._sync_lock:
            with self._lock:
                dirty = [segment for segment in self._segments.values() if segment.dirty]
                for segment in dirty:
                    segment.dirty = False
                fds = [*self._retired, *(os.dup(segment.fd) for segment in dirty)]
                self._retired.clear()
            for fd in fds:
                self._fsync_and_close(fd)

    def _fsync_and_close(self, fd: int) -> None:
        try:
            os.fsync(fd)
        except OSError as error:
            self._sync_error = error
        finally:
            os.close(fd)

    def _flush_loop(self) -> None:
        while not self._closing.wait(self._fsync_every_s):
            self._flush()


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
