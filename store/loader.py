"""From the log to tables, exactly once.

A batch of chunks is one transaction: its new events, its dead letters, what is missing of
their sources, and the position to go on from. So a loader that is killed begins again
where its last transaction ended, and loading twice, in other batches, or from the beginning
into an empty file gives the same tables.

The straight path moves bytes. Plain samples (``store.splitting``) go as they are to DuckDB's
JSON reader and into their table; other lines are laid out and projected in SQL
(``store.staging``). Afterwards, still inside the transaction, the seqs that came in are
looked at as runs (``store.progress``). Whenever something does not fit, the transaction is
rolled back, the batch is mended, and the straight path is taken again: lines that DuckDB
refuses are decoded one by one (``store.settling``), duplicates are found row by row and
dropped, as is what was pruned (``store.pruning``). A batch is always small enough to be
mended in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from barograph.log.port import Chunk, Log
from store.batch import Batch, Other, Place
from store.database import Database
from store.errors import StoreError
from store.failures import DataRefusedError
from store.feed import Feed
from store.positions import position_in
from store.progress import Arrived, Progress
from store.pruning import Prunings
from store.settling import bury, drop, refused_of, settle
from store.splitting import Splitter
from store.staging import Stage, Staged
from store.tables import Tables

CHUNK_BYTES: Final = 512 << 10
"""Small enough to stay in the processor's cache while it is sorted."""
BATCH_BYTES: Final = 64 << 20
"""Some 200,000 samples. DuckDB takes over whole row groups (122,880 rows) as they were
written meanwhile; a transaction of less is written twice."""
_ROUNDS: Final = 8
"""Refused, refused again, duplicates: more mending than these and then some is a defect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What one load did."""

    events: int = 0
    """New events, samples among them."""
    samples: int = 0
    duplicates: int = 0
    """Lines that were dropped: said before, or pruned."""
    dead_letters: int = 0
    bytes_read: int = 0
    batches: int = 0

    def __add__(self, other: "LoadReport") -> "LoadReport":
        """Both together."""
        return LoadReport(
            events=self.events + other.events,
            samples=self.samples + other.samples,
            duplicates=self.duplicates + other.duplicates,
            dead_letters=self.dead_letters + other.dead_letters,
            bytes_read=self.bytes_read + other.bytes_read,
            batches=self.batches + other.batches,
        )


Committed = Callable[[LoadReport, frozenset[str] | None], None]
"""Hears of a transaction: what it loaded, and the trials that it told something of (None: any)."""


class _UnwantedError(Exception):
    """Some seqs of the batch were loaded before, are in it twice, or pruned. Never leaves here."""


class Loader:
    """Loads one log into one open database. Not thread-safe: one loader, one connection."""

    def __init__(
        self,
        database: Database,
        *,
        batch_bytes: int = BATCH_BYTES,
        committed: Committed | None = None,
        full: Callable[[], None] | None = None,
    ) -> None:
        """Begin where the database's positions say.

        Args:
            database: an open store, which this loader alone writes.
            batch_bytes: about how much of the log goes into one transaction; also what a
                load needs of memory, several times over.
            committed: called after every transaction, in the thread that made it, with what
                was loaded and the trials that anything but a sample was told of. It may use
                the database.
            full: called before a batch is loaded that others may follow: there is much to do.

        """
        self._database = database
        self._batch_bytes = batch_bytes
        self._splitter = Splitter()
        self._stage = Stage(database)
        self._feeds = [Feed(), Feed()]
        self._spare = Feed()
        self._committed = committed
        self._full = full
        self._tables = Tables(database)
        self._prunings = Prunings(database)

    def __enter__(self) -> Self:
        """Let the memory go at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See ``close``."""
        self.close()

    def close(self) -> None:
        """Let the memory go; the database stays open."""
        for feed in (*self._feeds, self._spare):
            feed.close()
        self._tables.close()
        self._stage.close()

    @property
    def paths(self) -> list[str]:
        """All files that the loader has DuckDB read; they are in memory and its own."""
        feeds = [feed.path for feed in (*self._feeds, self._spare)]
        return [*feeds, self._stage.path, self._tables.path]

    def load(self, log: Log, *, on_batch: Callable[[LoadReport], None] | None = None) -> LoadReport:
        """Load what is in the log, and new, at the time of the call.

        Args:
            log: any backend.
            on_batch: called with what was loaded so far, after every transaction but the
                last. It must not ask the database, which is loading the next batch.

        Raises:
            LogError: the log cannot be read.
            StoreError: the store cannot take it; what was committed before stays.

        """
        total = LoadReport()
        pending: Future[LoadReport] | None = None
        # DuckDB works without the interpreter's lock: the next batch is sorted meanwhile.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="load") as worker:
            for batch in self._batches(log):
                if pending is not None:
                    total += pending.result()
                    if on_batch is not None:
                        on_batch(total)
                    pending = None
                if not self._is_full(batch):
                    # The last one, and live the only one: a thread would cost more than it gives.
                    return total + self._mend_until_it_fits(batch)
                if self._full is not None:
                    self._full()
                pending = worker.submit(self._mend_until_it_fits, batch)
            return total if pending is None else total + pending.result()

    def _batches(self, log: Log) -> Iterator[Batch]:
        """What is new in the log; a batch may be used until the one after it is asked for."""
        batch = self._begin()
        position = position_in(log, self._database)
        for chunk in log.read(position, max_bytes=min(CHUNK_BYTES, self._batch_bytes)):
            self._splitter.add(batch, chunk)
            if self._is_full(batch):
                yield batch
                batch = self._begin()
        if batch.bytes_read:
            yield batch

    def _is_full(self, batch: Batch) -> bool:
        """Whether more may come after it; the last one of a load is not, or is followed by none."""
        return batch.bytes_read >= self._batch_bytes

    def load_chunks(self, chunks: Sequence[Chunk]) -> LoadReport:
        """Load chunks in one transaction.

        Args:
            chunks: in order; each begins where the store's position of its stream is.

        Raises:
            StoreError: the store cannot take them; nothing of them is in it.

        """
        batch = self._begin()
        for chunk in chunks:
            self._splitter.add(batch, chunk)
        return self._mend_until_it_fits(batch)

    def _begin(self) -> Batch:
        """A batch in the feed that the batch before the last one had."""
        self._feeds.reverse()
        self._feeds[0].clear()
        return Batch(self._feeds[0])

    def _mend_until_it_fits(self, batch: Batch) -> LoadReport:
        refusals = 0
        runs: list[Arrived] | None = None
        for _ in range(_ROUNDS):
            try:
                return self._straight(batch, self._stage.lay_out(batch), runs)
            except DataRefusedError:
                runs = None
                refusals += 1
                if refusals == 1:
                    settle(batch, lambda _index, _other: True, samples=True)
                else:
                    self._bury_what_is_refused(batch)
            except _UnwantedError:
                runs = self._drop_unwanted(batch)
        raise StoreError("a batch could not be made to fit the tables; this is a defect")

    def _straight(self, batch: Batch, staged: Staged, runs: list[Arrived] | None) -> LoadReport:
        """The transaction.

        Args:
            batch: what to load.
            staged: its other lines as they were laid out.
            runs: its seqs when they are known to be new; None to look at them.

        Raises:
            DataRefusedError: a line is not what it looked like.
            _UnwantedError: not all of it is new.

        """
        tables = self._tables
        with self._database.transaction():
            tables.insert_samples(batch)
            if runs is None:
                runs = tables.runs(batch, staged)
            fresh = self._prunings.staged(staged)
            pruned = self._prunings.known().and_also(fresh)
            if pruned.meets(runs):
                raise _UnwantedError
            self._prunings.take_out(batch, pruned)
            self._prunings.delete(fresh, pruned)
            before = Progress.of(self._database, sorted({run.source for run in runs}))
            if not before.are_new(runs):
                raise _UnwantedError
            tables.project(staged)
            tables.insert_beside(batch)
            before.with_runs(runs).write(self._database, before)
            tables.set_positions(batch)
        report = LoadReport(
            events=sum(run.events for run in runs),
            samples=batch.samples,
            duplicates=batch.duplicates,
            dead_letters=len(batch.dead),
            bytes_read=batch.bytes_read,
            batches=1,
        )
        self._prunings.learned(pruned)
        if self._committed is not None:
            self._committed(report, None if fresh.runs else staged.trials)
        return report

    def _drop_unwanted(self, batch: Batch) -> list[Arrived]:
        """Take out duplicates and what is pruned, found row by row; the seqs that are left."""
        staged = self._stage.lay_out(batch)
        pruned = self._prunings.known().and_also(self._prunings.staged(staged))
        samples, others, runs = self._tables.duplicates(batch, staged, pruned.runs)
        drop(batch, samples, others)
        return runs

    def _bury_what_is_refused(self, batch: Batch) -> None:
        """Find the lines that DuckDB refuses although they are events."""
        lines = batch.feed.read().split(b"\n")[:-1]
        doomed = refused_of(lines, lambda some: self._tables.accept_samples(some, self._spare))
        others = [other.line for other in batch.others]
        doomed += refused_of(others, self._accepts)
        if not doomed:
            raise StoreError("the store refuses a batch, but no line of it; this is a defect")
        bury(batch, doomed)

    def _accepts(self, lines: Sequence[bytes]) -> bool:
        with Feed() as feed:
            trial = Batch(feed)
            place = Place(0, 0, 0)
            trial.others = [Other(line, place, 0, settled=True) for line in lines]
            try:
                return self._tables.accept(self._stage.lay_out(trial))
            except DataRefusedError:
                return False
