"""Logs of several small sweeps, and copies of them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import (
    HostInfo,
    HostSample,
    Payload,
    Sample,
    SweepPlanned,
    TrialFinished,
    TrialStarted,
)
from barograph.folder import DataFolder
from barograph.log.journal import JournalLog
from barograph.log.port import START, Log
from store.copying.copied_log import CopiedLog
from store.copying.exporting import Exported, export
from store.copying.importing import import_copy
from store.database import Database, Settings, memory_database
from store.loader import Loader
from store.reader import Reader
from tests.stores import memory_log

POLICY = judging_policy(policy_v1())
ONE = Settings(threads=1)


class Teller:
    """Writers that tell of sweeps, to one log."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._seqs: dict[str, int] = {}

    def say(
        self, source: str, payload: Payload, sweep: str | None = None, *, t_us: int = 0
    ) -> None:
        seq = self._seqs.setdefault(source, 0)
        self._seqs[source] += 1
        trial = None if isinstance(payload, SweepPlanned) or sweep is None else f"{sweep}-t"
        belongs = Belongs(sweep=sweep, trial=trial, try_no=None if trial is None else 1)
        at = t_us or len(self.lines) * 1000
        said = Event(source=source, seq=seq, t_us=at, mono_us=at, belongs=belongs, payload=payload)
        self.lines.append(encode(said)[:-1])

    def sweep(self, sweep: str, host: str = "h1", samples: int = 3) -> None:
        """A whole small sweep: its runner's words and its collector's."""
        runner, collector = f"r{sweep}", f"c{sweep}"
        self.say(collector, host_info(host))
        self.say(runner, planned(), sweep)
        self.say(runner, started(host), sweep)
        for number in range(samples):
            self.say(collector, Sample(usage_bytes=number), sweep)
            self.say(collector, HostSample(load1=float(number)))
        self.say(runner, TrialFinished(how="completed", duration_s=1.0), sweep)


def host_info(host: str) -> HostInfo:
    return HostInfo(host=host, cores=1, memory_bytes=1, kernel="6")


def planned() -> SweepPlanned:
    return SweepPlanned(
        name="n",
        digest="d",
        seed=1,
        trials=1,
        attempts=1,
        spec={},
        product_version="0",
        harness="t",
        tasks={},
    )


def started(host: str) -> TrialStarted:
    return TrialStarted(
        task="sort",
        task_digest="d",
        agent="a",
        condition="1x",
        attempt=1,
        host=host,
        block=0,
    )


def loaded(log: Log) -> Database:
    database = memory_database(ONE)
    with Loader(database) as loader:
        loader.load(log)
    return database


def copied(lines: Iterable[bytes], to: Path, sweep: str = "s1") -> Exported:
    log = memory_log(lines)
    return export(log, Reader(loaded(log)).sweep(sweep), to, policy=POLICY)


def lines_of(root: Path) -> list[bytes]:
    return [line for chunk in CopiedLog(root).read(START) for line in chunk.data.splitlines()]


def brought(root: Path, folder: Path) -> Log:
    import_copy(root, str(folder))
    return JournalLog(DataFolder.existing(folder).journal)


def of_source(lines: Sequence[bytes], *sources: str) -> list[bytes]:
    return [line for source in sources for line in lines if json.loads(line)["source"] == source]


def odd(line: bytes) -> bytes:
    """The same event, written by somebody else."""
    return json.dumps(dict(reversed(json.loads(line).items())), indent=None).encode()
