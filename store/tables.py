"""The statements of a load: batches into tables, within whatever transaction is open."""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from store.answers import Table
from store.batch import Batch
from store.catalogue import catalogue, loading, projection_name
from store.database import Database
from store.failures import DataRefusedError
from store.feed import Feed
from store.gaps import Ranges
from store.literals import Value
from store.progress import Arrived, arrived
from store.staging import Staged

_ROOM_BYTES: Final = 1 << 16


class _UndoError(Exception):
    """Leave a transaction without its effect."""


class Tables:
    """Inserts what a batch holds. Knows nothing about what was loaded before."""

    def __init__(self, database: Database) -> None:
        """Work through this connection."""
        self._database = database
        self._side = Feed()

    @property
    def path(self) -> str:
        """The file that DuckDB is made to read, beside those of the batches."""
        return self._side.path

    def close(self) -> None:
        """Let the memory go."""
        self._side.close()

    def insert_samples(self, batch: Batch) -> None:
        """The plain samples into their table.

        Raises:
            DataRefusedError: a line is none, or an empty line stands among them.

        """
        if batch.samples:
            inserted = self._insert(batch.feed)
            if inserted != batch.samples:
                raise DataRefusedError(f"{batch.samples} lines became {inserted} samples")

    def runs(self, batch: Batch, staged: Staged) -> list[Arrived]:
        """The seqs of what this transaction inserted and of what is laid out."""
        samples = arrived(self._ask("sample_runs")) if batch.samples else []
        return samples + staged.runs

    def project(self, staged: Staged) -> None:
        """The laid-out lines into the tables of their types."""
        projections = catalogue("projections")
        for kind in staged.types:
            self._database.run(projections[projection_name(kind)].sql)
        if staged.unknown:
            self._do("unknown_events")

    def insert_beside(self, batch: Batch) -> None:
        """Dead letters and unknown fields into theirs."""
        if batch.dead:
            letters: list[Mapping[str, object]] = [
                {
                    "stream": letter.address.stream,
                    "offset": letter.address.offset,
                    "part": letter.address.part,
                    "reason": letter.reason,
                    "size_bytes": len(letter.raw),
                    "raw": base64.b64encode(letter.raw).decode(),
                    "source": letter.source,
                    "seq": letter.seq,
                }
                for letter in batch.dead
            ]
            self._insert_records("dead_letters", letters)
        if fields := batch.fields:
            records: list[Mapping[str, object]] = [
                {
                    "source": field.source,
                    "seq": field.seq,
                    "place": field.place,
                    "name": field.name,
                    "value": field.value,
                }
                for field in fields
            ]
            self._insert_records("unknown_fields", records)

    def set_positions(self, batch: Batch) -> None:
        """Where to go on after this batch."""
        positions = batch.positions
        self._do("set_positions", streams=list(positions), offsets=list(positions.values()))

    def duplicates(
        self, batch: Batch, staged: Staged, pruned: Ranges
    ) -> tuple[frozenset[int], frozenset[int], list[Arrived]]:
        """Indices of samples and of other lines to drop, and the seqs that are left.

        Args:
            batch: what is to be loaded.
            staged: its other lines as they were laid out.
            pruned: what is dropped, whether or not it was there before.

        """
        if not staged.order:
            # The statement joins the staged lines; an earlier batch's must not be there.
            self._do("no_lines")
        places = [batch.others[index].before for index in staged.order]
        doomed = [(source, run) for source, runs in pruned.items() for run in runs]
        self._do(
            "arrivals",
            lines=batch.feed.seal(),
            places=places,
            owners=[source for source, _ in doomed],
            firsts=[run.first for _, run in doomed],
            lasts=[run.last for _, run in doomed],
        )
        samples: set[int] = set()
        others: set[int] = set()
        for other, position in self._ask("duplicates").rows:
            if other:
                others.add(staged.order[int(str(position))])
            else:
                samples.add(int(str(position)))
        runs = arrived(self._ask("arrival_runs"))
        return frozenset(samples), frozenset(others), runs

    def accept_samples(self, lines: Sequence[bytes], feed: Feed) -> bool:
        """Whether the samples' table takes these lines; nothing stays in it."""
        feed.clear()
        for line in lines:
            feed.write(line + b"\n")
        inserted = 0
        try:
            with self._database.transaction():
                inserted = self._insert(feed)
                raise _UndoError
        except _UndoError:
            return inserted == len(lines)
        except DataRefusedError:
            return False

    def accept(self, staged: Staged) -> bool:
        """Whether the tables take what is laid out; nothing stays in them."""
        try:
            with self._database.transaction():
                self.project(staged)
                raise _UndoError
        except _UndoError:
            return True
        except DataRefusedError:
            return False

    def _insert(self, feed: Feed) -> int:
        sql = catalogue("projections")["sample"].fill({"lines": feed.seal()})
        ((inserted,),) = self._database.ask(sql).rows
        return int(str(inserted))

    def _insert_records(self, name: str, records: Iterable[Mapping[str, object]]) -> None:
        self._side.clear()
        longest = 0
        for record in records:
            line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
            longest = max(longest, len(line))
            self._side.write(line)
        self._do(name, lines=self._side.seal(), longest=longest + _ROOM_BYTES)

    def _ask(self, name: str) -> Table:
        return self._database.ask(loading(name).fill({}))

    def _do(self, name: str, **values: Value) -> None:
        self._database.run(loading(name).fill(values))
