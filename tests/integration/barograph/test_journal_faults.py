"""The journal on a disk that is really full, and under ``kill -9``: what was promised is there."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from barograph.envelope import Event
from barograph.facts import PhaseStarted, Sample, SamplesThinned
from barograph.log.journal import JournalLog
from barograph.log.port import LogFullError
from barograph.writer import Writer
from tests.conformance.log_suite import read_all
from tests.needs import need_root

AGENT = PhaseStarted(phase="agent")
DISK_BYTES = 4 << 20
RESERVE_BYTES = 512 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    need_root()
    disk = tmp_path / "disk"
    disk.mkdir()
    options = f"size={DISK_BYTES}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\x01" * 4096)
        except OSError:
            pass
    return filler


def samples_until_full(writer: Writer) -> None:
    for _ in range(100_000):
        if writer.write(Sample(usage_bytes=1)) is None:
            return
    pytest.fail("the disk never became full")


def write_for_ever(writer: Writer) -> None:
    for _ in range(100_000):
        writer.write(AGENT)


def test_on_a_full_disk_samples_go_first_and_outcomes_are_still_written(small_disk: Path) -> None:
    log = JournalLog(small_disk / "journal", reserve_bytes=RESERVE_BYTES)
    writer = Writer(log, source="w1")
    writer.write(AGENT)
    filler = fill(small_disk)
    samples_until_full(writer)
    outcomes = 200
    for _ in range(outcomes):
        assert writer.write(AGENT) is not None
    filler.unlink()
    assert writer.write(Sample(usage_bytes=2)) is not None
    events = read_all(log)[0]
    log.close()
    assert [event.seq for event in events] == list(range(len(events)))
    assert sum(event.payload == AGENT for event in events) == outcomes + 1
    losses = [event.payload for event in events if isinstance(event.payload, SamplesThinned)]
    assert sum(loss.dropped or 0 for loss in losses) == writer.samples_dropped > 0


def test_a_reserve_that_is_used_up_refuses_plainly_and_loses_nothing(small_disk: Path) -> None:
    log = JournalLog(small_disk / "journal", reserve_bytes=RESERVE_BYTES)
    writer = Writer(log, source="w1")
    writer.write(AGENT)
    filler = fill(small_disk)
    with pytest.raises(LogFullError, match="the disk is full; make room"):
        write_for_ever(writer)
    written = writer.written
    assert written * 150 > RESERVE_BYTES // 2
    filler.unlink()
    writer.write(AGENT)
    log.close()
    assert [event.seq for event in read_all(log)[0]] == list(range(written + 1))


def test_the_reserve_comes_back_with_the_room(small_disk: Path) -> None:
    log = JournalLog(small_disk / "journal", reserve_bytes=RESERVE_BYTES)
    writer = Writer(log, source="w1")
    writer.write(AGENT)
    filler = fill(small_disk)
    reserve = small_disk / "journal" / ".reserve"
    while reserve.stat().st_size == RESERVE_BYTES:
        writer.write(AGENT)
    filler.unlink()
    again = JournalLog(small_disk / "journal", reserve_bytes=RESERVE_BYTES)
    Writer(again, source="w2").write(AGENT)
    log.close()
    again.close()
    assert reserve.stat().st_size == RESERVE_BYTES


WRITER = """
import sys
from pathlib import Path
from barograph.facts import PhaseStarted, Sample
from barograph.log.journal import JournalLog
from barograph.writer import Said, Writer

writer = Writer(JournalLog(Path(sys.argv[1]), segment_bytes=20_000), source=sys.argv[2])
while True:
    writer.write_many([Said(PhaseStarted(phase="agent")), Said(Sample(usage_bytes=1))])
"""


@pytest.mark.parametrize("after_s", [0.05, 0.2, 0.35, 0.5])
def test_what_append_returned_for_survives_a_kill(tmp_path: Path, after_s: float) -> None:
    read_fd, write_fd = os.pipe()
    environment = os.environ | {"BAROGRAPH_ACK_FD": str(write_fd)}
    command = [sys.executable, "-c", WRITER, str(tmp_path), "w1"]
    with subprocess.Popen(command, env=environment, pass_fds=[write_fd]) as process:
        os.close(write_fd)
        promised = _read_for(read_fd, after_s)
        process.send_signal(signal.SIGKILL)
    promised += _read_rest(read_fd)
    acknowledged = [int(line.split()[1]) for line in promised.splitlines(keepends=True)]
    kept = [event.seq for event in _events(tmp_path)]
    assert len(acknowledged) > 10
    assert kept == list(range(len(kept)))
    assert acknowledged == list(range(len(acknowledged)))
    assert len(kept) >= len(acknowledged)


def _events(folder: Path) -> list[Event]:
    return read_all(JournalLog(folder))[0]


def _read_for(fd: int, seconds: float) -> bytes:
    data = os.read(fd, 1 << 16)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        data += os.read(fd, 1 << 16)
    return data


def _read_rest(fd: int) -> bytes:
    data = b""
    while more := os.read(fd, 1 << 16):
        data += more
    os.close(fd)
    return data
