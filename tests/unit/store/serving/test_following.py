"""Whoever waits for a load hears how it ended, even when it ends by a defect."""

from pathlib import Path

import pytest

from barograph.clock import SystemClock
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
