"""Keep a shipped journal within its bounds: what is acknowledged goes, then samples are thinned.

Two bounds (``bounds``), both of bytes on the disk. ``keep``: of the files that the topic has
acknowledged whole, the oldest lose all but what a campaign or a collector that begins again
must read: plan, tries and outcomes, phases, kills. ``bound``: of what waits to be acknowledged,
samples go, and nothing else ever does. The rule: of each target's ten samples in a row stays
the one with the highest peak, and any sample that counted a kill; the oldest file first, and
every file once before any is thinned again. So the resolution falls from a second to ten to a
hundred, in the past before the present, and the height of a spike is what goes last.

Before samples go, an event names their (source, seq) ranges and is on the disk; after a kill at
any step they are there, or accounted for, or both. Files that somebody still writes are left
alone, so the journal may stand above its bound by a file for each writer.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from barograph.codec import SAMPLE_PREFIX, CodecError, decode
from barograph.envelope import Event
from barograph.facts import Sample, SamplesThinned, SeqRange
from barograph.log.rewriting import lines, replace, sealed, tidy, version_of
from barograph.log.segments import Stream, streams
from barograph.shipping.bounds import Bounds
from barograph.shipping.marks import Marks

_NEEDED: Final = re.compile(
    rb'\{"v":\d+,"type":"(?:sweep\.planned|trial\.started|trial\.finished|phase\.\w+|oom\.kill)",'
)
"""What ``runner.resume`` and ``collector.recovery`` read of a journal."""
_RUN: Final = 10
_MOST_RANGES: Final = 1000
_LOW_BYTES: Final = 256 << 20
"""With less room on the disk than this, nothing acknowledged is kept."""
_REASON: Final = "the journal reached its bound"

Tell = Callable[[SamplesThinned], object]
"""Says in the journal, and brings it to the disk, that samples go."""


@dataclass(slots=True)
class _Thinned:
    """What one pass over a file leaves, and what it takes."""

    kept: list[bytes] = field(default_factory=list[bytes])
    dropped: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Seq and wall time of each sample that goes."""


class Upkeep:
    """For the one shipper of a folder."""

    def __init__(self, journal: Path, tell: Tell) -> None:
        """Tidy what an earlier one left.

        Args:
            journal: its folder.
            tell: hears of samples before they go.

        Raises:
            LogError: the journal cannot be read or changed.

        """
        self._journal, self._tell = journal, tell
        self._spent: set[tuple[str, object]] = set()
        """Streams that another pass of a kind would leave as they are."""
        tidy(journal)

    def step(self, marks: Marks, bounds: Bounds) -> bool:
        """Bring the journal nearer to its bounds by one file; whether one was changed.

        Args:
            bounds: to keep it within.
            marks: how far the topic has it; those of the file's next version are set.

        Raises:
            LogError: a file cannot be rewritten; it is as it was.

        """
        found = streams(self._journal)
        names = {stream.name for stream in found}
        for name in marks.acknowledged.keys() - names:
            del marks.acknowledged[name]
        self._spent = {one for one in self._spent if one[0] in names}
        done = [one for one in found if marks.acknowledged.get(one.name, 0) >= one.size > 0]
        waiting = [one for one in found if marks.acknowledged.get(one.name, 0) < one.size]
        kept_bytes = sum(one.size for one in done)
        if kept_bytes > self._keep_bytes(bounds) and self._first(done, marks, _reduce):
            return True
        waiting_bytes = sum(one.size - marks.acknowledged.get(one.name, 0) for one in waiting)
        return waiting_bytes > bounds.bound_bytes and self._first(waiting, marks, self._thin)

    def _keep_bytes(self, bounds: Bounds) -> int:
        try:
            stats = os.statvfs(self._journal)
        except OSError:
            return bounds.keep_bytes
        return bounds.keep_bytes if stats.f_bavail * stats.f_frsize > _LOW_BYTES else 0

    def _first(
        self, found: list[Stream], marks: Marks, change: Callable[[Stream, Marks], bool]
    ) -> bool:
        """Change the first file that can be: the least often rewritten, then the oldest."""
        for stream in sorted(found, key=_turn):
            if (stream.name, change) in self._spent:
                continue
            with sealed(stream) as free:
                if free and change(stream, marks):
                    return True
            if free:
                self._spent.add((stream.name, change))
        return False

    def _thin(self, stream: Stream, marks: Marks) -> bool:
        mark = marks.acknowledged.get(stream.name, 0)
        found = _thinned(lines(stream, mark))
        if not found.dropped:
            return False
        for said in _sayings(stream.source, found.dropped):
            self._tell(said)
        _put(stream, _needed(stream, mark), found.kept, marks)
        return True


def _reduce(stream: Stream, marks: Marks) -> bool:
    kept = _needed(stream, stream.size)
    if sum(map(len, kept)) == stream.size:
        return False
    _put(stream, kept, [], marks)
    return True


def _put(stream: Stream, acknowledged: list[bytes], waiting: list[bytes], marks: Marks) -> None:
    """Put a version in the file's place, and its mark; a kill between them sends some again."""
    version = replace(stream, [*acknowledged, *waiting])
    marks.acknowledged.pop(stream.name, None)
    if version is not None:
        marks.acknowledged[version.name] = sum(map(len, acknowledged))


def _turn(stream: Stream) -> tuple[int, int, str]:
    try:
        return version_of(stream), stream.path.stat().st_mtime_ns, stream.name
    except OSError:
        return version_of(stream), 0, stream.name


def _needed(stream: Stream, end: int) -> list[bytes]:
    """What must stay of what is acknowledged up to an offset."""
    kept: list[bytes] = []
    at = 0
    for line in lines(stream):
        at += len(line)
        if at > end:
            break
        if _NEEDED.match(line):
            kept.append(line)
    return kept


def _thinned(found: Iterator[bytes]) -> _Thinned:
    """One pass of the rule over lines, in their order."""
    result = _Thinned()
    runs: dict[str | None, list[tuple[int, Event]]] = {}

    def close(run: list[tuple[int, Event]]) -> None:
        highest = max(run, key=lambda one: _peak_bytes(one[1]))[0]
        for index, event in run:
            if index != highest:
                result.kept[index] = b""
                result.dropped.append((event.seq, event.t_us))

    for line in found:
        result.kept.append(line)
        event = _sample_of(line)
        if event is None:
            continue
        run = runs.setdefault(event.belongs.target, [])
        run.append((len(result.kept) - 1, event))
        if len(run) == _RUN:
            close(runs.pop(event.belongs.target))
    for run in runs.values():
        close(run)
    result.kept = [line for line in result.kept if line]
    return result


def _sample_of(line: bytes) -> Event | None:
    """A sample that may go; None: any other line, or one that counted a kill."""
    if not line.startswith(SAMPLE_PREFIX):
        return None
    try:
        event = decode(line)
    except CodecError:
        return None
    sample = event.payload
    if not isinstance(sample, Sample) or sample.oom_kill_delta:
        return None
    return event


def _peak_bytes(event: Event) -> int:
    sample = event.payload
    if not isinstance(sample, Sample):
        return 0
    return max(sample.peak_bytes or 0, sample.usage_bytes or 0)


def _sayings(source: str, dropped: list[tuple[int, int]]) -> Iterator[SamplesThinned]:
    """Events that name what goes, each of a length that any log takes."""
    ranges = _ranges(source, sorted(seq for seq, _ in dropped))
    times = sorted(t_us for _, t_us in dropped)
    for at in range(0, len(ranges), _MOST_RANGES):
        yield SamplesThinned(
            reason=_REASON,
            ranges=ranges[at : at + _MOST_RANGES],
            first_t_us=times[0],
            last_t_us=times[-1],
        )


def _ranges(source: str, seqs: list[int]) -> list[SeqRange]:
    runs: list[list[int]] = []
    for seq in seqs:
        if runs and seq == runs[-1][1] + 1:
            runs[-1][1] = seq
        else:
            runs.append([seq, seq])
    return [SeqRange(source=source, first=first, last=last) for first, last in runs]
