"""The store against a real machine: killed, locked out, out of room, fed with rubbish."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from barograph.codec import encode
from barograph.log.journal import JournalLog
from store.audit import audit
from store.database import Database, Settings, open_database
from store.errors import StoreBusyError, StoreRefusal
from store.loader import Loader, LoadReport
from store.reader import Reader
from tests.needs import need_program, need_root
from tests.stores import dump, event, golden_lines, sample, sample_line

ROOT: Final = Path(__file__).parents[3]
ONE: Final = Settings(threads=1)
LOAD: Final = """
import sys
from pathlib import Path
from barograph.log.journal import JournalLog
from store.database import Settings, open_database
from store.loader import Loader
print("begin", flush=True)
with open_database(Path(sys.argv[2]), settings=Settings(threads=1)) as database:
    with Loader(database, batch_bytes=int(sys.argv[3])) as loader:
        loader.load(JournalLog(Path(sys.argv[1])))
# The peak since exec; getrusage's also holds the peak of whoever started this process.
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], flush=True)
"""
HOLD: Final = """
import sys
from pathlib import Path
from store.database import open_database
with open_database(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.read()
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of this Python that finds our packages."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def load(path: Path, journal: Path, *, batch_bytes: int = 256 << 10) -> LoadReport:
    with (
        open_database(path, settings=ONE) as database,
        Loader(database, batch_bytes=batch_bytes) as loader,
    ):
        return loader.load(JournalLog(journal))


def write_journal(folder: Path, sources: int = 3, events: int = 3000) -> None:
    """Journals with every kind of line in them."""
    folder.mkdir()
    odd = [b"broken", sample_line("1")[:50] + sample_line("0", source='"torn"'), b""]
    for number in range(sources):
        source = f"w{number}"
        lines = [
            encode(event(seq, source=source) if seq % 5 == 4 else sample(seq, source=source))[:-1]
            for seq in range(events)
            if seq not in range(100, 110)
        ]
        lines[50:50] = odd
        data = b"\n".join(lines) + b'\n{"v":1,"type":"sam'
        (folder / f"{source}.000000.jsonl").write_bytes(data)
    (folder / "golden.000000.jsonl").write_bytes(b"\n".join([*golden_lines(), b""]))


def test_a_loader_killed_at_any_moment_goes_on_where_it_was(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    write_journal(journal)
    load(tmp_path / "whole.duckdb", journal)
    path = tmp_path / "killed.duckdb"
    dice = random.Random(7)
    killed = 0
    for _ in range(60):
        with start(LOAD, journal, path, 40_000) as process:
            assert line_of(process) == "begin"
            time.sleep(dice.uniform(0, 0.6))
            process.send_signal(signal.SIGKILL)
        killed += process.returncode == -signal.SIGKILL
        if killed >= 10:
            break
    assert killed >= 5
    load(path, journal, batch_bytes=40_000)
    with (
        open_database(path, settings=ONE) as database,
        open_database(tmp_path / "whole.duckdb", settings=ONE) as whole,
    ):
        assert dump(database) == dump(whole)
        report = audit(JournalLog(journal), database)
    assert (report.missing, report.extra, report.doubled, report.different) == ([], [], [], [])
    assert len(report.torn_tails) == 3


def test_a_store_that_is_open_elsewhere_names_who_has_it(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with start(HOLD, path) as holder:
        assert line_of(holder) == "open"
        for read_only in (False, True):
            with pytest.raises(StoreBusyError, match=f"process {holder.pid} has this store open"):
                open_database(path, settings=ONE, read_only=read_only)
    open_database(path, settings=ONE).close()


@contextmanager
def small_disk(folder: Path, size: str) -> Generator[Path]:
    """A file system of its own."""
    need_root()
    need_program("mount", "umount")
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Generator[Path]:
    with small_disk(tmp_path / "disk", "32m") as folder:
        yield folder


def test_a_full_disk_loses_nothing_and_the_store_is_usable_again(
    tmp_path: Path, disk: Path
) -> None:
    journal = tmp_path / "journal"
    write_journal(journal, events=40_000)
    path = disk / "a.duckdb"
    filler = disk / "filler"
    open_database(path, settings=ONE).close()
    room = os.statvfs(disk)
    filler.write_bytes(b"x" * (room.f_bavail * room.f_frsize - (1 << 20)))
    with pytest.raises(StoreRefusal, match="no room is left"):
        load(path, journal, batch_bytes=1 << 20)
    with pytest.raises(StoreRefusal, match="no room is left"):
        load(path, journal, batch_bytes=1 << 20)
    filler.unlink()
    load(path, journal, batch_bytes=1 << 20)
    with open_database(path, settings=ONE) as database:
        report = audit(JournalLog(journal), database)
        assert (report.missing, report.extra, report.doubled, report.waiting) == ([], [], [], 0)
        load(tmp_path / "whole.duckdb", journal)
        with open_database(tmp_path / "whole.duckdb", settings=ONE) as whole:
            assert dump(database) == dump(whole)


def test_a_disk_without_room_for_a_new_store_says_so(disk: Path) -> None:
    room = os.statvfs(disk)
    (disk / "filler").write_bytes(b"x" * (room.f_bavail * room.f_frsize))
    with pytest.raises(StoreRefusal, match="no room is left"):
        open_database(disk / "a.duckdb", settings=ONE)
    assert [one.name for one in disk.iterdir()] == ["filler"]


def test_a_read_only_folder_can_be_read_and_says_that_it_cannot_be_written(disk: Path) -> None:
    open_database(disk / "a.duckdb", settings=ONE).close()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for name in ("a.duckdb", "new.duckdb"):
        with pytest.raises(StoreRefusal, match="cannot be written"):
            open_database(disk / name, settings=ONE)
    with open_database(disk / "a.duckdb", settings=ONE, read_only=True) as database:
        assert Reader(database).counts().events == 0


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _interleaved(data: bytes) -> bytes:
    """Two writers in one file, a byte of this and some of that."""
    other = data.replace(b'"w0"', b'"v0"')
    step = 1001
    return b"".join(data[at : at + step] + other[at : at + step] for at in range(0, 90_000, step))


HARM: Final[dict[str, Callable[[bytes], bytes]]] = {
    "empty": lambda _: b"",
    "one newline": lambda _: b"\n",
    "only newlines": lambda _: b"\n" * 50_000,
    "truncated": _truncated,
    "binary": lambda _: random.Random(1).randbytes(3 << 20),
    "binary between lines": lambda data: data + random.Random(2).randbytes(100_000) + b"\n" + data,
    "no newline": lambda data: data.replace(b"\n", b" "),
    "NUL": lambda data: data[:50_000] + b"\0" * 200_000 + b"\n" + data[50_000:],
    "huge lines": lambda data: b"x" * (10 << 20) + b"\n" + data + b'{"v":' * (2 << 20) + b"\n",
    "interleaved": _interleaved,
    "Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "twice": lambda data: data + data,
    "backwards": lambda data: b"\n".join(reversed(data.split(b"\n"))),
}


@pytest.mark.parametrize("name", list(HARM))
def test_a_harmed_journal_is_loaded_as_far_as_it_goes(tmp_path: Path, name: str) -> None:
    journal = tmp_path / "journal"
    write_journal(journal, sources=1, events=600)
    harmed = journal / "w0.000000.jsonl"
    harmed.write_bytes(HARM[name](harmed.read_bytes()))
    (journal / "w1.000000.jsonl").write_bytes(encode(event(0, source="w1")))
    with open_database(tmp_path / "a.duckdb", settings=ONE) as database:
        with Loader(database, batch_bytes=60_000) as loader:
            loader.load(JournalLog(journal))
        _adds_up(journal, database)
        assert database.ask("SELECT count(*) FROM phase_started WHERE source = 'w1'").rows == [(1,)]


def _adds_up(journal: Path, database: Database) -> None:
    report = audit(JournalLog(journal), database)
    assert (report.missing, report.extra, report.doubled) == ([], [], [])
    assert (report.different, report.gaps_misnoted, report.waiting) == ([], [], 0)
    assert report.dead_letters_misnoted == []


@pytest.mark.slow
def test_a_large_journal_needs_little_memory(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.mkdir()
    values = ",".join(str(1_000_000 + number) for number in range(25))
    tail = sample_line("0", data=f"[{values}]").split(b'"seq":0')[1] + b"\n"
    head = sample_line("0").split(b"0,")[0]
    with (journal / "c1.000000.jsonl").open("wb") as file:
        for seq in range(0, 3_200_000, 10_000):
            file.writelines(b"%s%d%s" % (head, one, tail) for one in range(seq, seq + 10_000))
    assert (journal / "c1.000000.jsonl").stat().st_size > 1_000_000_000
    with start(LOAD, journal, tmp_path / "a.duckdb", 64 << 20) as process:
        assert line_of(process) == "begin"
        peak_kib = int(line_of(process))
    assert process.returncode == 0
    with open_database(tmp_path / "a.duckdb", settings=ONE) as database:
        assert Reader(database).counts().samples == 3_200_000
    assert peak_kib < 400 << 10
