"""Putting a batch together again, in the order in which its lines stood in the log.

Order matters: of two events with one identity the first counts, whatever way each of them
came. Plain samples are moved in whole pieces; a piece is cut into lines only where one of
them is to be decoded, dropped or buried.
"""

from collections.abc import Callable, Iterator

from store.batch import Address, Batch, DeadLetter, Other, Piece, Place, UnknownField
from store.lines import Bad, Good, canonical, dissect, extras, is_sample

REFUSED = "no table can hold it"
LONGEST_SAMPLE_BYTES = 32 << 10
"""DuckDB's reader of samples has small buffers; a longer line (a target with a very long name)
is refused rather than given a reader of its own."""


class Samples:
    """Plain samples that stood together: whole, or line by line."""

    def __init__(self, data: bytes, piece: Piece, index: int) -> None:
        """``index`` is that of the first of them in the batch."""
        self.data = data
        self.count = piece.lines
        self.place = piece.place
        self.fields = piece.fields
        self.index = index

    def lines(self) -> Iterator[tuple[int, bytes, Place]]:
        """(index in the batch, line without newline, place)."""
        byte = self.place.byte
        for number, line in enumerate(self.data.split(b"\n")[: self.count]):
            place = self.place._replace(byte=byte, line=self.place.line + number)
            yield self.index + number, line, place
            byte += len(line) + 1


def in_order(batch: Batch) -> Iterator[Samples | Other]:
    """All that is in the batch, as it stood in the log."""
    data = batch.feed.read()
    others = iter(batch.others)
    other = next(others, None)
    at = index = 0
    for piece in batch.pieces:
        while other is not None and other.before <= index:
            yield other
            other = next(others, None)
        yield Samples(data[at : at + piece.size], piece, index)
        at += piece.size
        index += piece.lines
    while other is not None:
        yield other
        other = next(others, None)


class Rebuilt:
    """Takes lines in order and, at the end, puts them in the place of what the batch held."""

    def __init__(self, batch: Batch) -> None:
        """The batch is not touched before ``finish``, save for what is added beside its lines."""
        self._batch = batch
        self._others: list[Other] = []
        self._samples: list[tuple[bytes, int, Place, tuple[UnknownField, ...]]] = []
        self._count = 0

    def keep(self, part: Samples | Other) -> None:
        """Take it as it is."""
        if isinstance(part, Other):
            part.before = self._count
            self._others.append(part)
        else:
            self._sample(part.data, part.count, part.place, part.fields)

    def keep_if(self, samples: Samples, wanted: Callable[[int, bytes], bool]) -> None:
        """Take those lines for which ``wanted(index, line)``, in runs."""
        run: list[bytes] = []
        begin: Place | None = None
        for index, line, place in samples.lines():
            if wanted(index, line):
                begin = place if begin is None else begin
                run.append(line)
            elif begin is not None:
                self._sample(b"\n".join([*run, b""]), len(run), begin, samples.fields)
                run, begin = [], None
        if begin is not None:
            self._sample(b"\n".join([*run, b""]), len(run), begin, samples.fields)

    def decode(self, line: bytes, place: Place) -> None:
        """Decode a line and take the events that are in it."""
        for part in dissect(line):
            if isinstance(part, Bad):
                self.bury(part, place)
            else:
                self._take(part, place._replace(part=place.part + part.part))

    def bury(self, bad: Bad, place: Place) -> None:
        """Make a dead letter."""
        source, seq = bad.identity or (None, None)
        address: Address = self._batch.address(place._replace(part=place.part + bad.part))
        self._batch.dead.append(
            DeadLetter(address=address, reason=bad.reason, raw=bad.raw, source=source, seq=seq)
        )

    def finish(self) -> None:
        """Put the lines into the batch."""
        batch = self._batch
        batch.others = self._others
        batch.feed.clear()
        batch.pieces.clear()
        batch.samples = 0
        for data, lines, place, fields in self._samples:
            batch.add_samples(data, lines, place, fields)

    def _take(self, good: Good, place: Place) -> None:
        event = good.event
        line = canonical(event)
        if is_sample(event) and len(line) > LONGEST_SAMPLE_BYTES:
            self.bury(Bad(0, line, REFUSED), place)
            return
        fields = tuple(
            UnknownField(source=event.source, seq=event.seq, place=at, name=name, value=value)
            for at, name, value in extras(event)
        )
        if is_sample(event):
            self._sample(line + b"\n", 1, place, fields)
        else:
            self._others.append(Other(line, place, self._count, settled=True, fields=fields))

    def _sample(
        self, data: bytes, lines: int, place: Place, fields: tuple[UnknownField, ...]
    ) -> None:
        self._samples.append((data, lines, place, fields))
        self._count += lines
