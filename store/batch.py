"""Some lines of the log on their way into one transaction.

Plain samples, 99% of all bytes, are only ever moved: from the chunk into a file in memory
that DuckDB reads. All other lines are kept one by one. A line's *place* is enough to say
later where in the log it stood, should it turn out to be no event; it is worked out then.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from barograph.log.port import Chunk
from store.feed import Feed


class Place(NamedTuple):
    """Where a line (or a piece of one) begins in its chunk."""

    chunk: int
    """Which chunk of the batch."""
    byte: int
    line: int
    part: int = 0
    """Bytes into the line, for a piece of one."""


class Address(NamedTuple):
    """Where a line stands in the log."""

    stream: str
    offset: int
    part: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A piece of the log that is no event."""

    address: Address
    reason: str
    raw: bytes
    source: str | None = None
    """With ``seq``: the identity that a broken line still gives away."""
    seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownField:
    """A field of a known event that this version does not know."""

    source: str
    seq: int
    place: str
    """``envelope`` or ``data``."""
    name: str
    value: object


NO_FIELDS: Final[tuple[UnknownField, ...]] = ()


class Piece(NamedTuple):
    """Some plain samples that stood together in a chunk, with no other line between them."""

    size: int
    lines: int
    place: Place
    fields: tuple[UnknownField, ...] = NO_FIELDS
    """Only of a piece of one line, which was decoded."""


@dataclass(slots=True)
class Other:
    """A line that is no plain sample."""

    line: bytes
    """Without its newline."""
    place: Place
    before: int
    """Plain samples of the batch that stood before it."""
    settled: bool = False
    """It was decoded and found right; nothing is to be found out about it any more."""
    fields: tuple[UnknownField, ...] = NO_FIELDS
    """What is in it that this version does not know; empty until it was decoded."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """What of a chunk is needed to say where its lines stand."""

    stream: str
    start: int
    end: int
    size: int


@dataclass(slots=True)
class Batch:
    """Lines of some chunks, sorted by what is to be done with them."""

    feed: Feed
    """The plain samples, line by line."""
    samples: int = 0
    pieces: list[Piece] = field(default_factory=list[Piece])
    others: list[Other] = field(default_factory=list[Other])
    dead: list[DeadLetter] = field(default_factory=list[DeadLetter])
    duplicates: int = 0
    bytes_read: int = 0
    _origins: list[_Origin] = field(default_factory=list[_Origin])
    _lines: list[int] = field(default_factory=list[int])

    def begin(self, chunk: Chunk) -> int:
        """Note a chunk whose lines follow; its number in this batch."""
        self._origins.append(_Origin(chunk.stream, chunk.start, chunk.end, len(chunk.data)))
        self._lines.append(0)
        self.bytes_read += len(chunk.data)
        return len(self._origins) - 1

    def end(self, number: int, lines: int) -> None:
        """Note how many lines the chunk had."""
        self._lines[number] = lines

    def add_samples(
        self,
        data: bytes,
        lines: int,
        place: Place,
        fields: tuple[UnknownField, ...] = NO_FIELDS,
    ) -> None:
        """Take lines that are all plain samples."""
        self.feed.write(data)
        self.pieces.append(Piece(len(data), lines, place, fields))
        self.samples += lines

    def add_other(self, line: bytes, place: Place) -> None:
        """Take any other line."""
        self.others.append(Other(line, place, self.samples))

    @property
    def fields(self) -> list[UnknownField]:
        """Unknown fields of all lines."""
        return [
            *(one for piece in self.pieces for one in piece.fields),
            *(one for other in self.others for one in other.fields),
        ]

    @property
    def positions(self) -> dict[str, int]:
        """Stream -> the offset to go on from when this batch is in."""
        return {origin.stream: origin.end for origin in self._origins}

    def address(self, place: Place) -> Address:
        """Where a line stands in the log.

        A stream counts its offsets in bytes (journal), in lines (memory), or in records of
        several lines (Kafka, which hands over a record a chunk); its chunks show which.
        """
        origin = self._origins[place.chunk]
        if origin.end - origin.start == origin.size:
            return Address(origin.stream, origin.start + place.byte, place.part)
        if origin.end - origin.start == self._lines[place.chunk]:
            return Address(origin.stream, origin.start + place.line, place.part)
        return Address(origin.stream, origin.start, place.byte + place.part)
