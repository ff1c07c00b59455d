"""Which lines of a log are one sweep's: told by their envelopes, without decoding them.

A log of many sweeps is mostly samples of other sweeps. Lines go to DuckDB as text, some
megabytes at once, which finds source, seq, time and sweep by a pattern; of other sweeps only
these are kept, to say later what was left out. What the pattern does not know (lines of other
writers, old or broken ones) is looked at one by one, as the loader does it.

Everything is in a scratch file, so that a log of any length takes bounded memory.
"""

from bisect import bisect_right
from collections.abc import Sequence
from types import TracebackType
from typing import Final, NamedTuple, Self

from barograph.codec import encode
from barograph.envelope import Event
from barograph.log.port import START, Chunk, Log
from store.catalogue import copying
from store.database import Database
from store.feed import Feed
from store.lines import Bad, canonical, dissect
from store.literals import Value

_AT_ONCE_BYTES: Final = 32 << 20


class Others(NamedTuple):
    """How many events of the log are not in a copy."""

    of_other_sweeps: int
    not_needed: int
    """Without a sweep, of writers or times that have nothing to do with this one."""


class Sifter:
    """The lines of one log in a scratch file, and those among them that a sweep needs."""

    def __init__(self, database: Database, sweep: str) -> None:
        """Nothing is read yet.

        Args:
            database: an empty scratch file.
            sweep: whole id.

        """
        self._database = database
        self._sweep = sweep
        self._feed = Feed()
        self._lines = 0
        self._fed = 0
        self._begins: list[int] = []
        self._streams: list[str] = []
        database.run(copying("prepare").sql)

    def __enter__(self) -> Self:
        """Let the memory go at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The scratch file stays open."""
        self._feed.close()

    def read(self, log: Log) -> None:
        """Read the whole log, once, and choose.

        Raises:
            LogError: it cannot be read.
            StoreError: the scratch file cannot take it.

        """
        for chunk in log.read(START):
            self._take(chunk)
            if self._feed.size >= _AT_ONCE_BYTES:
                self._sift()
        self._sift()
        self._do("drop_repeats")
        self.choose()

    def choose(self) -> None:
        """Say which lines are needed; again, after lines were added."""
        self._do("choose", sweep=self._sweep)

    def left_out(self) -> list[tuple[str, int, int]]:
        """Events of the chosen lines' writers that are not chosen: (source, first, last)."""
        rows = self._database.ask(copying("left_out").fill({})).rows
        return [(str(source), int(str(first)), int(str(last))) for source, first, last in rows]

    def others(self) -> Others:
        """How much of the log is not chosen."""
        ((of_others, rest),) = self._database.ask(
            copying("others").fill({"sweep": self._sweep})
        ).rows
        return Others(int(str(of_others)), int(str(rest)))

    def span(self) -> tuple[int | None, int | None]:
        """First and last time at which anything was said of the sweep."""
        ((low, high),) = self._database.ask(copying("span").fill({})).rows
        return (None if low is None else int(str(low))), (None if high is None else int(str(high)))

    def add(self, event: Event) -> None:
        """Take a line that the log does not have."""
        self._keep(event, encode(event)[:-1].decode(), self._lines)

    def _take(self, chunk: Chunk) -> None:
        self._begins.append(self._fed)
        self._streams.append(chunk.stream)
        if not chunk.data.endswith(b"\n"):
            self._unreadable(chunk.stream, chunk.data, None)  # a piece of an endless line
        elif chunk.data.isascii() or _is_text(chunk.data):
            self._feed.write(chunk.data)
            self._fed += chunk.data.count(b"\n")
        else:
            self._take_lines(chunk)

    def _take_lines(self, chunk: Chunk) -> None:
        """Take a chunk in which some bytes are no text."""
        for line in chunk.data.split(b"\n")[:-1]:
            if _is_text(line):
                self._feed.write(line + b"\n")
                self._fed += 1
            else:
                self._look_at(line, self._lines + self._fed, chunk.stream)

    def _sift(self) -> None:
        """Hand over what was fed."""
        if self._fed:
            self._do("sift", lines=self._feed.seal(), first=self._lines, count=self._fed)
            for place, text in self._database.ask(copying("odd").fill({})).rows:
                at = bisect_right(self._begins, int(str(place))) - 1
                self._look_at(str(text).encode(), self._lines + int(str(place)), self._streams[at])
            self._do("keep", sweep=self._sweep)
        self._lines += self._fed
        self._fed = 0
        self._begins.clear()
        self._streams.clear()
        self._feed.clear()

    def _look_at(self, line: bytes, ordinal: int, stream: str) -> None:
        parts = dissect(line)
        for part in parts:
            if isinstance(part, Bad):
                self._unreadable(stream, part.raw, _source_of(part))
            else:
                # As it was written, unless something else was on the same line.
                text = line if len(parts) == 1 else canonical(part.event)
                self._keep(part.event, text.decode(), ordinal)

    def _keep(self, event: Event, text: str, ordinal: int) -> None:
        self._do(
            "keep_odd",
            ordinal=ordinal,
            type=event.payload.type,
            source=event.source,
            seq=event.seq,
            t_us=event.t_us,
            sweep=event.belongs.sweep,
            text=text,
        )

    def _unreadable(self, stream: str, raw: bytes, source: str | None) -> None:
        self._do("keep_unreadable", stream=stream, raw=raw, source=source)

    def _do(self, name: str, **values: Value) -> None:
        self._database.run(copying(name).fill(values))


def runs_of(runs: Sequence[tuple[str, int, int]]) -> int:
    """How many events they are."""
    return sum(last - first + 1 for _, first, last in runs)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _source_of(bad: Bad) -> str | None:
    return None if bad.identity is None else bad.identity[0]
