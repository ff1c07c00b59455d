"""A power cut costs the journal at most its last second; tried by cutting the power.

A writer in the guest appends through the journal and prints what it was promised; the host
notes when each line arrived, kills qemu at a random moment, and reads the disk. From each
run many cuts are judged: the one that happened, with the disk's cache kept; and many
moments before it, with everything after the last flush given up (``writelog.py``).

What must hold at each: all that was acknowledged more than a second before is there; what
is there is the unbroken beginning of what was written; every line is whole but a torn tail,
which is told apart and hides nothing.
"""

import bisect
import json
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from barograph.log.journal import JournalLog
from tests.needs import need_program
from tests.vm.image import Image
from tests.vm.machine import Disk, Line, Machine
from tests.vm.writelog import WriteLog

PROMISED_S = 1.0
RUNS = 3
RANDOM_CUTS = 8
WATCH_S = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What the host noted of one machine's life."""

    empty: Path
    """The disk before."""
    disk: Path
    """The disk as the cut left it."""
    log: WriteLog
    acknowledged: Sequence[tuple[float, int]]
    """When the host heard, and the last seq that it then knew to be acknowledged."""
    recorded: Sequence[tuple[float, int]]
    """When, and how long the recording of the disk's writes was then."""
    cut_s: float


def write_until_cut(image: Image, payload: Path, scratch: Path, draw: random.Random) -> Run:
    empty, disk, log = (scratch / name for name in ("empty.img", "disk.img", "writes.log"))
    subprocess.run(
        ["mke2fs", "-q", "-t", "ext4", str(empty), "32M"], check=True, capture_output=True
    )
    copy_sparse(empty, disk)
    acknowledged: list[tuple[float, int]] = []
    recorded: list[tuple[float, int]] = []
    machine = Machine(
        image, payload, scratch=scratch, disks=[Disk(image=disk, write_log=log)], memory_mib=768
    )
    over = threading.Event()
    watcher = threading.Thread(target=watch_size, args=(log, recorded, over))
    with machine:
        mounted = machine.run("mkdir /data && mount -t ext4 /dev/vdc /data && sync")
        assert mounted.exit_code == 0, mounted
        watcher.start()
        writer = machine.start("exec python3 tests/vm/power_writer.py /data/journal", timeout_s=60)
        note(next(writer.lines(30)), acknowledged)
        stop_s = time.monotonic() + draw.uniform(5, 8)
        while time.monotonic() < stop_s:
            for line in writer.lines(stop_s - time.monotonic()):
                note(line, acknowledged)
        cut_s = machine.cut_power()
    over.set()
    watcher.join()
    for line in writer.lines(0):
        note(line, acknowledged)
    return Run(
        empty=empty,
        disk=disk,
        log=WriteLog(log),
        acknowledged=acknowledged,
        recorded=recorded,
        cut_s=cut_s,
    )


def note(line: Line, acknowledged: list[tuple[float, int]]) -> None:
    assert line.stream == "stdout", line.text
    acknowledged.append((line.arrived_s, int(line.text)))


def watch_size(path: Path, recorded: list[tuple[float, int]], over: threading.Event) -> None:
    while not over.wait(WATCH_S):
        size = path.stat().st_size
        recorded.append((time.monotonic(), size))


def copy_sparse(source: Path, target: Path) -> None:
    subprocess.run(["cp", "--sparse=always", str(source), str(target)], check=True)


def recovered(disk: Path, scratch: Path) -> list[int]:
    """The seqs of the whole lines in the journal on the disk, in order.

    The file system's own recovery runs first, as at the next boot; a copy is read.
    """
    copy, tree = scratch / "copy.img", scratch / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    copy_sparse(disk, copy)
    checked = subprocess.run(["e2fsck", "-fy", str(copy)], capture_output=True, check=False)
    assert checked.returncode in {0, 1}, checked
    subprocess.run(
        ["debugfs", "-R", f"rdump /journal {tree}", str(copy)], capture_output=True, check=True
    )
    log = JournalLog(tree / "journal")
    seqs = [json.loads(line)["seq"] for chunk in log.read({}) for line in chunk.data.splitlines()]
    for stream, (start, length) in log.torn_tails().items():
        tail = (tree / "journal" / f"{stream}.jsonl").read_bytes()[start:]
        assert len(tail) == length
        assert b"\n" not in tail
    return seqs


def loss_s(run: Run, seqs: Sequence[int], cut_s: float) -> float:
    """How long before the cut the oldest event that is gone was acknowledged; 0: none is."""
    assert list(seqs) == list(range(len(seqs))), "a line is missing or doubled"
    lost = [heard_s for heard_s, seq in run.acknowledged if heard_s <= cut_s and seq >= len(seqs)]
    return cut_s - min(lost) if lost else 0.0


def moments(run: Run, draw: random.Random) -> list[float]:
    """Cuts to be judged by replay: some at random, and the worst of each fsync's period.

    The worst moment is just before a flush: everything since the last one is lost then.
    """
    begun_s = run.acknowledged[0][0]
    lengths = [length for _, length in run.recorded]
    seen = [bisect.bisect_left(lengths, flush.recorded_by) for flush in run.log.flushes()]
    worst = [run.recorded[index - 1][0] for index in seen if 0 < index < len(lengths)]
    drawn = [draw.uniform(begun_s, run.cut_s) for _ in range(RANDOM_CUTS)]
    return sorted(moment for moment in drawn + worst if begun_s < moment < run.cut_s)


def replayed_losses(run: Run, cuts_s: Sequence[float], scratch: Path) -> Iterator[float]:
    """The loss at each cut (ascending), had the disk lost its cache; torn tails are checked."""
    disk, done = scratch / "replayed.img", 0
    copy_sparse(run.empty, disk)
    flushes = [flush.recorded_by for flush in run.log.flushes()]
    seqs: list[int] | None = None
    for cut_s in cuts_s:
        length = max(length for when_s, length in run.recorded if when_s <= cut_s)
        last = max(end for end in flushes if end <= length)
        if seqs is None or last != done:
            run.log.apply(disk, after=done, up_to=last)
            seqs, done = recovered(disk, scratch), last
        yield loss_s(run, seqs, cut_s)


@pytest.mark.parametrize("seed", range(RUNS))
def test_a_power_cut_costs_at_most_the_last_second(
    guest_image: Image,
    guest_payload: Path,
    tmp_path: Path,
    seed: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    need_program("e2fsck", "debugfs", "mke2fs")
    draw = random.Random(seed)
    run = write_until_cut(guest_image, guest_payload, tmp_path, draw)
    assert len(run.acknowledged) > 20
    kept = loss_s(run, recovered(run.disk, tmp_path), run.cut_s)
    lost = list(replayed_losses(run, moments(run, draw), tmp_path))
    with capsys.disabled():
        worst = f"{kept:.3f} s with the disk's cache kept, {max(lost):.3f} s with it lost"
        print(f"\nworst loss of {1 + len(lost)} power cuts: {worst}")  # noqa: T201 - a figure
    assert max(kept, *lost) <= PROMISED_S
