"""The views of evidence over the rows of a few trials, without a second wording of them.

Evidence about one trial follows from that trial's rows alone, but its views join and rank
whole tables, and DuckDB does not push a list of trials through them: at 100,000 trials the
evidence about 30 takes as long as a third of that about all. So the rows of those trials
are copied into temporary tables of the same names, and the views are defined again, word
for word as the store has them, as temporary ones. In the one connection that has these,
temporary names go first: ``FROM evidence`` is now about a few hundred rows. What is copied
is a scan for each table, which a column store does in milliseconds.
"""

from collections.abc import Collection
from types import TracebackType
from typing import Final, Self

from store.catalogue import judging
from store.database import Database

TABLES: Final = (
    "trial_started",
    "trial_finished",
    "sandbox_created",
    "sandbox_destroyed",
    "sandbox_state",
    "phase_started",
    "phase_finished",
    "exec_finished",
    "oom_kill",
)
"""All that the views read; a test holds it to their text."""
VIEWS: Final = (
    "try_begun",
    "try_ended",
    "trial_try",
    "sandbox",
    "sandbox_end",
    "phase",
    "kill",
    "evidence",
)
"""Each after those that it stands on."""


class Slices:
    """A connection in which the views of evidence are about some trials only."""

    def __init__(self, database: Database) -> None:
        """Open a connection of its own beside ``database``; nothing is in the slice yet."""
        self.database = database.cursor()
        ((name,),) = self.database.ask(judging("store_name").fill({})).rows
        self._store = '"' + str(name).replace('"', '""') + '"'
        for table in TABLES:
            self._run("slice_table", table)
        for (view,) in self.database.ask(judging("slice_views").fill({"names": VIEWS})).rows:
            self.database.run(str(view))

    def __enter__(self) -> Self:
        """Let the slice go at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """The store stays open."""
        self.database.close()

    def take(self, trials: Collection[str]) -> bool:
        """Put into the slice those of the trials that have an ended try; whether one has.

        Raises:
            StoreError: the store could not be asked.

        """
        touch = judging("touch").fill({"trials": sorted(trials)})
        self.database.run(touch.replace("a_store", self._store))
        ((touched,),) = self.database.ask(judging("touched").fill({})).rows
        if not touched:
            return False
        with self.database.transaction():  # a commit each would take longer than the rows do
            for table in TABLES:
                self._run("slice_rows", table)
        return True

    def _run(self, name: str, table: str) -> None:
        sql = judging(name).fill({}).replace("a_table", table)
        self.database.run(sql.replace("a_store", self._store))
