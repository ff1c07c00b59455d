"""The shipper's work: read what is new, send it, note what was acknowledged.

A stream's records are sent in order and its mark goes forward only over what was acknowledged
without a gap. When a record fails, nothing is known of those behind it, so the client is given
up and every stream begins again at its mark, after a pause that grows with every failure and is
never the same for two shippers.

A record holds whole lines of one source, at most 256 KiB of them, and what is new is looked for
four times a second, so none is older than a second. One that a broker finds too large is sent
again in halves (``fitting``); a single line that is too large stays in the journal alone, and
an event says so. Sources take turns, so that the outcomes of one do not wait behind another's
backlog; a source's files go one after the other, so that its events stay in order.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from barograph.clock import Clock
from barograph.codec import CodecError, decode
from barograph.facts import EventsRefused, SeqRange
from barograph.log.kafka.client import WITHIN_S, TooLargeError
from barograph.log.kafka.sending import Record, Sender
from barograph.log.port import LogError
from barograph.log.segments import Stream, streams
from barograph.shipping.fitting import Fitting
from barograph.shipping.marks import Marks

_TURN: Final = 16
"""Records of a source before the next one has its turn."""
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 10.0
_NOTE_EVERY_S: Final = 0.25
_NOTE_AGAIN_EVERY_S: Final = 10.0
"""Where nothing is new but the time at which everything was acknowledged."""

Refuse = Callable[[EventsRefused], object]
"""Says in the journal that a line was refused."""
Connect = Callable[[], tuple[Sender, str]]
"""Makes a client of the topic; with the identity that the cluster gives the topic."""


@dataclass(slots=True)
class _Part:
    """A record's place in its stream."""

    stream: str
    start: int
    end: int
    round: int
    """Of the stream: those of an earlier one are no news."""


@dataclass(slots=True)
class Counts:
    """What happened since they were last taken."""

    records: int = 0
    size_bytes: int = 0
    sources: set[str] = field(default_factory=set[str])
    """Whose records were acknowledged."""
    failures: int = 0


class Shipper:
    """One journal to one topic. For one thread."""

    def __init__(
        self,
        journal: Path,
        marks: Marks,
        file: Path,
        connect: Connect,
        refuse: Refuse,
        clock: Clock,
    ) -> None:
        """Begin at the marks.

        Args:
            journal: its folder.
            marks: as they were read; begun anew when the topic turns out to be another.
            file: where they are kept.
            connect: makes a client of the topic; raises LogError where it cannot.
            refuse: hears of a line that no broker takes.
            clock: for the time at which everything was acknowledged.

        """
        self._journal = journal
        self.marks = marks
        self._file = file
        self._connect = connect
        self._refuse = refuse
        self._clock = clock
        self._sender: Sender | None = None
        self._sent = dict(marks.acknowledged)
        self._parts: dict[Record, _Part] = {}
        self._rounds: dict[str, int] = {}
        self._fitting = Fitting()
        self._pause_s = 0.0
        self._behind = True
        self._asked: tuple[int, dict[str, int]] | None = None
        """When all that was found was sent, and where it ended; until that is acknowledged."""
        self._caught_up = False
        """Everything is acknowledged, and that is not noted yet: somebody may wait for it."""
        self._noted: object = None
        self._noted_s = 0.0
        self.waiting_bytes = 0
        self.counts = Counts()

    def step(self) -> float:
        """Send what is new and hear what arrived; seconds until the next step."""
        try:
            moved = self._step()
        except LogError as error:
            self._begin_again(error)
            moved = False
        try:
            self._note()
        except LogError as error:  # a full disk: what was acknowledged is sent once more, at worst
            self.marks.error = self.marks.error or str(error)
        if self.marks.error is not None:
            return max(_PAUSE_S, self._pause_s * random.uniform(0.5, 1.0))
        return 0.0 if moved else _PAUSE_S

    def close(self) -> None:
        """Hear what still arrives, note it, and let the connection go."""
        if self._sender is not None:
            try:
                self._hear(self._sender.settle(within_s=5.0))
            except LogError as error:
                self._begin_again(error)
        if self._sender is not None:
            self._sender.close()
        self._note(at_once=True)

    def _step(self) -> bool:
        looked_us = self._clock.wall_us()
        found = streams(self._journal)
        self._fitting.keep(stream.name for stream in found)
        moved = self._exchange(self._sender or self._connected(), found, looked_us)
        acknowledged = self.marks.acknowledged
        if self._asked is not None:
            at_us, ends = self._asked
            if all(acknowledged.get(name, 0) >= end for name, end in ends.items()):
                self.marks.complete_t_us, self._asked = at_us, None
        self.waiting_bytes = sum(
            max(0, stream.size - acknowledged.get(stream.name, 0)) for stream in found
        )
        self._behind = self._behind or moved
        if not self._parts and not moved:
            # What is left is the beginning of a line, or nothing.
            self._caught_up = self._caught_up or self._behind
            self._behind = False
            self.waiting_bytes = 0
        return moved

    def _exchange(self, sender: Sender, found: list[Stream], looked_us: int) -> bool:
        """Hear, send, and hear again; whether anything moved."""
        moved = self._hear(sender.collect())
        before = len(self._parts)
        wait: set[str] = set()
        for stream in found:
            if stream.source not in wait and not self._send_some(sender, stream):
                wait.add(stream.source)
            if self._sender is None:
                return True  # given up, for a record that is too large
        moved |= len(self._parts) > before
        if not wait and self._asked is None:
            ends = {stream.name: self._sent.get(stream.name, 0) for stream in found}
            self._asked = (looked_us, ends)
        return moved | self._hear(
            sender.settle(within_s=WITHIN_S) if self._fitting.careful else sender.collect()
        )

    def _connected(self) -> Sender:
        self._sender, topic = self._connect()
        if topic != self.marks.topic:
            self.marks.topic = topic
            self.marks.acknowledged.clear()
            self._sent.clear()
        return self._sender

    def _send_some(self, sender: Sender, stream: Stream) -> bool:
        """Its turn; whether all of its whole lines are sent."""
        # A file's next version (``upkeep``) begins with what is acknowledged already.
        start = self._sent.get(stream.name, self.marks.acknowledged.get(stream.name, 0))
        sent = 0
        while start < stream.size and sent < _TURN:
            if self._fitting.careful and self._parts:
                return False
            most = self._fitting.most_bytes(stream.name)
            chunk = next(stream.chunks(start, max_bytes=most), None)
            if chunk is None:
                return True
            data = chunk.data
            if len(data) > most:
                data = data[: data.find(b"\n") + 1] or data
            end = start + len(data)
            record = Record(key=stream.source.encode(), lines=data)
            self._parts[record] = _Part(
                stream.name, start, end, self._rounds.setdefault(stream.name, 0)
            )
            self._sent[stream.name] = start = end
            sent += 1
            try:
                sender.send(record)
            except TooLargeError as error:
                self._fails_too_large(record, self._parts.pop(record), error)
                return False
        return start >= stream.size

    def _hear(self, records: list[Record]) -> bool:
        moved = False
        for record in records:
            part = self._parts.pop(record)
            failure = None if self._sender is None else self._sender.failure(record)
            if part.round != self._rounds[part.stream]:
                continue  # its stream went back to before it
            if isinstance(failure, TooLargeError):
                self._fails_too_large(record, part, failure)
                return True
            if failure is not None:
                raise failure
            self._acknowledged(record, part)
            moved = True
        return moved

    def _fails_too_large(self, record: Record, part: _Part, failure: TooLargeError) -> None:
        """The client is of no more use, and right about this record only if it was alone."""
        if self._parts or not self._fitting.careful:
            under_way = [part, *self._parts.values()]
            self._fitting.doubt((one.stream, one.end) for one in under_way)
        else:
            self._too_large(record, part, failure)
        self._forget()

    def _acknowledged(self, record: Record, part: _Part) -> None:
        self.marks.acknowledged[part.stream] = part.end
        self.marks.error = None
        self._pause_s = 0.0
        self.counts.records += 1
        self.counts.size_bytes += len(record.lines)
        self.counts.sources.add(record.key.decode())
        self._fitting.fitted(part.stream, self.marks.acknowledged)

    def _too_large(self, record: Record, part: _Part, failure: TooLargeError) -> None:
        """Have it sent in halves; or leave the line out that cannot be halved."""
        if record.lines.count(b"\n") > 1:
            self._fitting.too_large(part.stream, len(record.lines))
            return
        self._refuse(
            EventsRefused(
                reason=failure.problem,
                ranges=_identity(record.lines),
                stream=part.stream,
                offset=part.start,
                size_bytes=len(record.lines),
            )
        )
        self.marks.acknowledged[part.stream] = part.end
        self._fitting.fitted(part.stream, self.marks.acknowledged)

    def _forget(self) -> None:
        """Give up the client and what is under way, and go back to the marks."""
        if self._sender is not None:
            self._sender.close()
            self._sender = None
        for stream in self._rounds:
            self._rounds[stream] += 1
        self._parts.clear()
        self._asked = None
        self._sent = dict(self.marks.acknowledged)

    def _begin_again(self, error: LogError) -> None:
        self._forget()
        self._pause_s = min(2 * self._pause_s + _PAUSE_S, _LONGEST_PAUSE_S)
        self.marks.error = str(error)
        self.marks.failures += 1
        self.counts.failures += 1

    def _note(self, *, at_once: bool = False) -> None:
        marks, now_s = self.marks, time.monotonic()
        known = (sum(marks.acknowledged.values()), marks.failures, marks.error)
        every_s = _NOTE_EVERY_S if known != self._noted else _NOTE_AGAIN_EVERY_S
        if at_once or self._caught_up or now_s > self._noted_s + every_s:
            self._noted, self._noted_s = known, now_s
            self._caught_up = False
            marks.write(self._file)


def _identity(line: bytes) -> list[SeqRange]:
    try:
        event = decode(line)
    except CodecError:
        return []
    return [SeqRange(source=event.source, first=event.seq, last=event.seq)]
