"""A collector of a test: start it, have cgroups watched, read what it wrote."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeVar

from barograph.codec import decode
from barograph.envelope import Event
from barograph.facts import HostOomKill, OomKill, Payload
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from collector.client import ensure
from collector.protocol import Watch
from tests.cells import Cell

Kind = TypeVar("Kind", bound=Payload)


class Watching:
    """One data folder and a client of its collector."""

    def __init__(self, root: Path, *, interval_s: float = 1.0) -> None:
        self.folder = DataFolder.create(root)
        self.client = ensure(self.folder, linger_s=1.0, interval_s=interval_s, within_s=60.0)
        self._pids = {self.client.status().pid}

    def watch(self, name: str, target: Cell, *, ours: bool = True) -> None:
        self.client.watch(
            Watch(
                target=name,
                cgroups=target.folders,
                kernel_path=target.kernel_path,
                ours=ours,
                sweep="s1",
                trial=f"trial-{name}",
                try_no=1,
            )
        )

    def reconnect(self) -> None:
        """To a collector that is started now, if there is none."""
        self.client.close()
        self.client = ensure(self.folder, linger_s=1.0, within_s=60.0)
        self._pids.add(self.client.status().pid)

    def kill_collector(self) -> None:
        """As a crash would end it."""
        pid = self.client.status().pid
        os.kill(pid, signal.SIGKILL)
        until(lambda: not alive(pid), f"collector {pid} did not die")

    def events(self) -> list[Event]:
        """Everything in the journal, in the order of writing."""
        return journal(self.folder)

    def payloads(self, kind: type[Kind], target: str | None = None) -> list[Kind]:
        """Facts of one kind, of one target."""
        return [
            event.payload
            for event in self.events()
            if isinstance(event.payload, kind)
            and (target is None or event.belongs.target == target)
        ]

    def kills(self, target: str) -> dict[int, OomKill]:
        """Kills as a reader keeps them: one an ordinal, the best described."""
        best: dict[int, OomKill] = {}
        for fact in self.payloads(OomKill, target):
            known = best.get(fact.ordinal)
            if known is None or known.victim_pid is None:
                best[fact.ordinal] = fact
        return best

    def victims(self, target: str) -> list[int | None]:
        """Pids of the killed, in the order of the counter."""
        kills = self.kills(target)
        assert sorted(kills) == list(range(1, len(kills) + 1))
        return [kills[ordinal].victim_pid for ordinal in sorted(kills)]

    def foreign_kills(self) -> list[HostOomKill]:
        """Kills that were given to the host."""
        return self.payloads(HostOomKill)

    def check_sequences(self) -> None:
        """Every source's seq runs from 0 without a gap."""
        seqs: dict[str, list[int]] = {}
        for event in self.events():
            seqs.setdefault(event.source, []).append(event.seq)
        for source, numbers in seqs.items():
            assert sorted(numbers) == list(range(len(numbers))), source

    @staticmethod
    def read(folder: DataFolder, kind: type[Kind]) -> list[Kind]:
        """Facts of one kind in a folder."""
        return [event.payload for event in journal(folder) if isinstance(event.payload, kind)]

    def close(self) -> None:
        """End the collector, politely, and wait for it."""
        with contextlib.suppress(Exception):
            self.client.stop()
        self.client.close()
        until(lambda: not any(map(alive, self._pids)), "a collector did not end")


def journal(folder: DataFolder) -> list[Event]:
    """Everything in a folder's journal, in the order of writing."""
    chunks = open_log(folder.log_url).read({})
    events = [decode(line) for chunk in chunks for line in chunk.data.splitlines()]
    return sorted(events, key=lambda event: event.mono_us)


@contextlib.contextmanager
def watching(root: Path, *, interval_s: float = 1.0) -> Generator[Watching]:
    """A collector for the time of a test."""
    made = Watching(root, interval_s=interval_s)
    try:
        yield made
    finally:
        made.close()


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie, whoever its parent is, does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def until(condition: Callable[[], bool], otherwise: str, *, timeout_s: float = 30.0) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.01)
