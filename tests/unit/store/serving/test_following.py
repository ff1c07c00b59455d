"""Whoever waits for a load hears how it ended, even when it ends by a defect."""

from pathlib import Path

import pytest

from barograph.clock import SystemClock
from barograph.log.port import Log
from store.database import Database
from store.errors import StoreError
from store.serving.following import Following
from store.serving.hosted import Hosted, Listener, Options
from tests.stores import golden_lines, memory_log


def defective(_database: Database, _trials: frozenset[str] | None) -> bool:
    raise TypeError("not iterable")


def test_a_defect_ends_the_loading_and_everybodys_waiting(tmp_path: Path) -> None:
    def opening(listener: Listener) -> Hosted:
        return Hosted(tmp_path / "store.duckdb", Options(), defective, listener)

    following = Following(memory_log(golden_lines()), opening, SystemClock())
    following.start(follow=True)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"a bug of ours \(TypeError: not iterable\)"):
            following.wait(following.draw(), 60)
    assert following.broken is not None
    following.hosted.close()


class Torn(Hosted):
    """A store in which a transaction once left something that is in the next one's way."""

    torn = False

    def load(self, log: Log) -> None:
        if not Torn.torn:
            Torn.torn = True
            with self.cursor() as other:
                self._database.run("CREATE TABLE in_the_way (a INTEGER)")
                self._database.run("BEGIN")
                self._database.run("SELECT a FROM in_the_way")
                other.run("CREATE OR REPLACE TABLE in_the_way AS SELECT 1 AS b")
                self._database.run("CREATE OR REPLACE TABLE in_the_way AS SELECT 2 AS c")
        super().load(log)


def test_what_a_failed_transaction_left_fails_nobodys_load(tmp_path: Path) -> None:
    opened: list[Torn] = []

    def opening(listener: Listener) -> Hosted:
        opened.append(Torn(tmp_path / "store.duckdb", Options(), None, listener))
        return opened[-1]

    following = Following(memory_log(golden_lines()), opening, SystemClock())
    following.start(follow=False)
    following.wait(following.draw(), 60)
    assert Torn.torn
    assert len(opened) == 2, "it was opened again"
    assert following.pulse.total.events > 0
    following.close()
