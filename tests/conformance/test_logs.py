"""The log's backends, each held to the same suite."""

from collections.abc import Iterator
from pathlib import Path

from barograph.log.journal import JournalLog
from barograph.log.memory import MemoryLog
from barograph.log.port import Chunk, Log, Position
from tests.conformance.log_suite import LogSuite


class TestMemoryLog(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return MemoryLog()


class TestJournalLog(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return JournalLog(tmp_path / "journal", reserve_bytes=0)


class TestJournalLogOfTinySegments(LogSuite):
    def make_log(self, tmp_path: Path) -> Log:
        return JournalLog(tmp_path / "journal", segment_bytes=1, reserve_bytes=0)


class TestJournalLogOfAnotherProcess(LogSuite):
    """Read by an object that did not write the files."""

    def make_log(self, tmp_path: Path) -> Log:
        return _TwoHandles(tmp_path / "journal")


class _TwoHandles(JournalLog):
    def read(self, position: Position, *, max_bytes: int = 1 << 20) -> Iterator[Chunk]:
        return JournalLog(self.folder).read(position, max_bytes=max_bytes)
