"""What a log promises: append events, and read them again from a position.

A log is a set of *streams*, each an ordered sequence of lines with offsets that only
grow: a journal has a stream for every file, Kafka one for every partition, memory just
one. A position says for each stream where to go on, so that a reader can store it in the
transaction that holds the effect of what it read. Order holds within a stream and a
source's events are in one stream at a time in the order of their seq; nothing is promised
between streams, and a reader may meet an event twice. ``(source, seq)`` sorts that out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from barograph.envelope import Event
from barograph.errors import EnvironmentRefusal

Position = Mapping[str, int]
"""Stream -> the next offset to read; a stream that is missing is read from its beginning."""

START: Final[Position] = {}

DEFAULT_CHUNK_BYTES: Final = 16 << 20


class LogError(EnvironmentRefusal):
    """The log could not take or give events; the sentence says why.

    Attributes:
        uncertain: some of the refused batch may be in the log all the same (the failed
            write could not be taken back), so its seqs must not be used again.

    """

    uncertain: bool = False


class LogFullError(LogError):
    """There is no room; nothing of the batch was written. Samples may be given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some whole lines of one stream.

    ``data`` ends in a newline, save where a single line is longer than a reader may be
    asked to hold; then it is a piece of that line, and the next chunk goes on with it.
    """

    stream: str
    start: int
    """Offset of the first line."""
    end: int
    """Offset to go on from."""
    data: bytes


class Log(Protocol):
    """A backend of the log."""

    def append(self, events: Sequence[Event]) -> None:
        """Take events of one source, all or none of them.

        Returns when they would survive a ``kill -9`` of this process.

        Raises:
            LogFullError: no room for them; nothing was written.
            LogError: any other refusal of the medium.

        """
        ...

    def read(self, position: Position, *, max_bytes: int = DEFAULT_CHUNK_BYTES) -> Iterator[Chunk]:
        """Yield what is in the log behind ``position`` at the time of the call.

        A line that is not complete yet (or never will be: its writer died) is left out.

        Args:
            position: where to go on, for each stream.
            max_bytes: a chunk is about this long at most, but one line at least; a backend that
                keeps lines together (a record of Kafka) gives those together.

        """
        ...
