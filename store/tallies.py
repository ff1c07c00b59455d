"""Counting up the log and the tables, each by itself, in the same terms, for the audit."""

import hashlib
import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from barograph.envelope import Event
from barograph.facts import (
    FACTS,
    EventsLeftOut,
    EventsRefused,
    LogPruned,
    Sample,
    SamplesThinned,
    Unknown,
)
from barograph.log.port import START, Chunk, Log, Position
from barograph.metrics import METRIC_NAMES
from store.answers import Answers
from store.batch import Address, Batch, Place
from store.catalogue import projection_name, query
from store.feed import Feed
from store.gaps import Explained, Ranges, by_source
from store.intervals import Run, minus
from store.lines import Bad, Good, canonical, dissect
from store.pruning import Pruned

Sums = list[int]
"""For each metric the sum of its values, then their number."""

_BEYOND: Final = 2**63
_ENVELOPE: Final = ("t_us", "mono_us", "sweep", "trial", "try_no", "target")


class Identity(NamedTuple):
    """Who said it, and in which place of its sequence."""

    source: str
    seq: int


@dataclass(slots=True)
class LogTally:
    """What the log says, up to the store's position."""

    seqs: Ranges = field(default_factory=dict[str, list[Run]])
    gaps: Ranges = field(default_factory=dict[str, list[Run]])
    explained: Explained = field(default_factory=Explained)
    """Dead: identities that broken lines give away."""
    contents: dict[Identity, bytes] = field(default_factory=dict[Identity, bytes])
    """Digest of every event that is no sample; of an event said twice, the first."""
    sums: dict[str, Sums] = field(default_factory=dict[str, Sums])
    letters: set[Address] = field(default_factory=set[Address])
    repeats: Ranges = field(default_factory=dict[str, list[Run]])
    """Identities that were said more than once."""
    repeated: int = 0
    pruned: int = 0
    """Lines that the log still has, and the tables may not."""
    waiting: int = 0


@dataclass(slots=True)
class TableTally:
    """What the tables hold."""

    seqs: Ranges
    events: int
    doubled: list[Identity]
    gaps: Ranges
    contents: dict[Identity, bytes]
    sums: dict[str, Sums]
    letters: set[Address]


@dataclass(slots=True)
class Seen:
    """The seqs of one source as they come: a normal list of runs that grows at its end."""

    runs: list[Run] = field(default_factory=list[Run])

    def is_new(self, seq: int) -> bool:
        """Note it; whether it was not there before."""
        runs = self.runs
        at = bisect_right(runs, (seq, _BEYOND))
        before = runs[at - 1] if at else None
        if before is not None and seq <= before.last:
            return False
        first = last = seq
        if before is not None and before.last == seq - 1:
            at -= 1
            first = before.first
        end = at + (first != seq)
        if end < len(runs) and runs[end].first == seq + 1:
            last = runs[end].last
            end += 1
        runs[at:end] = [Run(first, last)]
        return True


def tally_log(log: Log, position: Position) -> LogTally:
    """Read the whole log and count up what stands before ``position``."""
    tally = LogTally()
    pruned = _pruned(log, position)
    seen: defaultdict[str, Seen] = defaultdict(Seen)
    told: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
    dead: list[tuple[str, int, int]] = []
    repeats: list[tuple[str, int, int]] = []
    for address, part in _parts(log):
        if address.offset >= position.get(address.stream, 0):
            tally.waiting += 1
        elif _goes(part, pruned):
            tally.pruned += 1
        elif isinstance(part, Bad):
            tally.letters.add(address)
            if part.identity is not None:
                dead.append((part.identity[0], part.identity[1], part.identity[1]))
        elif seen[part.event.source].is_new(part.event.seq):
            _add(tally, part.event)
            payload = part.event.payload
            if isinstance(payload, SamplesThinned | EventsRefused | EventsLeftOut):
                told[payload.type] += [(one.source, one.first, one.last) for one in payload.ranges]
        else:
            tally.repeated += 1
            repeats.append((part.event.source, part.event.seq, part.event.seq))
    tally.seqs = {source: one.runs for source, one in seen.items()}
    tally.gaps = {
        source: gaps
        for source, runs in tally.seqs.items()
        if (gaps := minus([Run(0, runs[-1].last)], runs))
    }
    tally.explained = Explained(
        thinned=by_source(told[SamplesThinned.type]),
        refused=by_source(told[EventsRefused.type]),
        pruned=pruned.named,
        left_out=by_source(told[EventsLeftOut.type]),
        dead=by_source(dead),
    )
    tally.repeats = by_source(repeats)
    return tally


def doubled_contents(log: Log, tally: LogTally) -> list[Identity]:
    """Identities that the log gives to different contents; a second reading, if at all."""
    if not tally.repeats:
        return []
    first: dict[Identity, bytes] = {}
    conflicting: set[Identity] = set()
    for _, part in _parts(log):
        if isinstance(part, Bad):
            continue
        event = part.event
        runs = tally.repeats.get(event.source, ())
        if any(run.first <= event.seq <= run.last for run in runs):
            identity = Identity(event.source, event.seq)
            digest = _digest(canonical(event))
            if first.setdefault(identity, digest) != digest:
                conflicting.add(identity)
    return sorted(conflicting)


def tally_tables(answers: Answers) -> TableTally:
    """Ask the store for the same."""
    runs = [
        (str(source), int(str(first)), int(str(last)), int(str(events)))
        for source, first, last, events in answers.ask(query("audit_runs").fill({})).rows
    ]
    doubled = answers.ask(query("audit_doubled").fill({})).rows
    letters = answers.ask(query("audit_letters").fill({})).rows
    gaps = answers.ask(query("gaps").fill({})).rows
    sums = answers.ask(query("audit_sums").fill({})).rows
    return TableTally(
        seqs=by_source((source, first, last) for source, first, last, _ in runs),
        events=sum(events for *_, events in runs),
        doubled=[Identity(str(source), int(str(seq))) for source, seq in doubled],
        gaps=by_source((str(row[0]), int(str(row[1])), int(str(row[2]))) for row in gaps),
        contents=dict(_contents(answers)),
        sums={str(row[0]): [int(str(value)) for value in row[1:]] for row in sums},
        letters={
            Address(str(stream), int(str(offset)), int(str(part)))
            for stream, offset, part in letters
        },
    )


def _pruned(log: Log, position: Position) -> Pruned:
    """What the log says is pruned, wherever it says so."""
    seen: defaultdict[str, Seen] = defaultdict(Seen)
    named: list[tuple[str, int, int]] = []
    said: list[tuple[str, int, int]] = []
    for address, part in _parts(log, only=LogPruned.type.encode()):
        if isinstance(part, Bad) or address.offset >= position.get(address.stream, 0):
            continue
        event = part.event
        if isinstance(event.payload, LogPruned) and seen[event.source].is_new(event.seq):
            named += [(one.source, one.first, one.last) for one in event.payload.ranges]
            said.append((event.source, event.seq, event.seq))
    return Pruned.of(by_source(named), by_source(said))


def _goes(part: Good | Bad, pruned: Pruned) -> bool:
    if isinstance(part, Bad):
        return part.identity is not None and pruned.has(*part.identity)
    return pruned.has(part.event.source, part.event.seq)


def _parts(log: Log, *, only: bytes = b"") -> Iterator[tuple[Address, Good | Bad]]:
    """Everything in the log, or in lines with some bytes in them, and where it stands."""
    with Feed() as feed:
        for chunk in log.read(START):
            if only not in chunk.data:
                continue
            batch = Batch(feed)
            number = batch.begin(chunk)
            lines = _lines(chunk)
            batch.end(number, len(lines))
            byte = 0
            for index, line in enumerate(lines):
                for part in dissect(line) if only in line else ():
                    yield batch.address(Place(number, byte, index, part.part)), part
                byte += len(line) + 1


def _lines(chunk: Chunk) -> list[bytes]:
    lines = chunk.data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _add(tally: LogTally, event: Event) -> None:
    payload = event.payload
    if isinstance(payload, Sample):
        sums = tally.sums.setdefault(event.source, [0] * (2 * len(METRIC_NAMES)))
        for index, name in enumerate(METRIC_NAMES):
            value: int | None = getattr(payload, name)
            if value is not None:
                sums[index] += value
                sums[index + len(METRIC_NAMES)] += 1
        return
    record = cast("dict[str, object]", json.loads(canonical(event)))
    belongs = event.belongs
    envelope = {
        "t_us": event.t_us,
        "mono_us": event.mono_us,
        "sweep": belongs.sweep,
        "trial": belongs.trial,
        "try_no": belongs.try_no,
        "target": belongs.target,
    }
    data = record["data"]
    if isinstance(payload, Unknown):
        known: Mapping[str, object] = {"v": payload.v, "type": payload.type, "data": data}
    else:
        unknown = payload.extra.keys()
        items = cast("dict[str, object]", data).items()
        known = {name: value for name, value in items if name not in unknown}
    tally.contents[Identity(event.source, event.seq)] = _content(payload.type, envelope, known)


def _contents(answers: Answers) -> Iterator[tuple[Identity, bytes]]:
    """Digest of every row that is no sample, in the terms of the log."""
    kinds = {kind: projection_name(kind) for kind in FACTS if kind != Sample.type}
    for kind, table in [*kinds.items(), ("", "unknown_event")]:
        for record in answers.ask(query("audit_rows").sql.replace("a_table", table)).records():
            row = cast("dict[str, object]", json.loads(str(record["row"])))
            identity = Identity(str(row.pop("source")), int(str(row.pop("seq"))))
            envelope = {name: row.pop(name) for name in _ENVELOPE}
            yield identity, _content(kind or str(row["type"]), envelope, row)


def _content(kind: str, envelope: Mapping[str, object], data: Mapping[str, object]) -> bytes:
    # Whole numbers are written as such: 1 and 1.0 are one value in JSON and in a DOUBLE.
    text = json.dumps([kind, _plain(envelope), _plain(data)], sort_keys=True)
    return _digest(text.encode())


def _plain(value: object) -> object:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            items = cast("dict[str, object]", value).items()
            return {name: _plain(item) for name, item in items}
        case list():
            return [_plain(item) for item in cast("Iterable[object]", value)]
        case _:
            return value


def _digest(text: bytes) -> bytes:
    return hashlib.blake2b(text, digest_size=8).digest()
