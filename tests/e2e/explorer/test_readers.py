"""Everybody reads while a sweep loads, and pages outlive the server that answers them.

Two browsers, the command line and a notebook are processes of their own, as they are for
users: only so would a locked database, a reader that blocks the loader, or a half-loaded
batch be seen here. What each of them saw is compared with what this test wrote, event by event.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import pytest
from playwright.sync_api import Browser

import store
from barograph.clock import SystemClock
from barograph.envelope import Event
from barograph.folder import DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.writer import Said, Writer
from runner.ownership import owned
from tests import browser as browsing
from tests import running
from tests.browser import Tab
from tests.e2e.conftest import Ended, barograph
from tests.explorers import explorer
from tests.running import MIB, S
from tests.servers import server_pid

PLANNED: Final = 400
BEGUN: Final = 250
BATCHES: Final = 40
A_BATCH: Final = 5
SAMPLES: Final = 110
PACE_S: Final = 0.25
LEAST_LOOKS: Final = 3
WAIT_MS: Final = 60_000
WAIT_S: Final = 120.0
LIVE: Final = re.compile(rf"([\d,]+) of {PLANNED} trials ha(?:s|ve) ended")
OVERVIEW: Final = re.compile(rf"([\d,]+) of {PLANNED} planned trials have an outcome")
TROUBLE: Final = re.compile(r"\block|does not answer|cannot be shown|Traceback", re.IGNORECASE)
NOTEBOOK: Final = """
import json, sys, threading
import store

over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
ask = "SELECT " + ", ".join(
    f"(SELECT count(*) FROM {name})" for name in ("trial_finished", "oom_kill", "sample")
)
with store.connect(sys.argv[1]) as served:
    last = False
    while not last:
        last = over.wait(0.05)
        if last:
            served.load()
        print(json.dumps(served.ask(ask).rows[0]), flush=True)
"""


def table_of(event: Event) -> str:
    return event.payload.type.replace(".", "_")


@dataclass(slots=True)
class Sweep:
    """One that runs: this test is its runner and its collector."""

    folder: Path
    runner: Writer
    collector: Writer
    written: list[Event] = field(default_factory=list)

    def tell(self, said: Sequence[Said], *, collector: bool = False) -> None:
        writer = self.collector if collector else self.runner
        self.written += writer.write_many(said)

    def counted(self, table: str) -> int:
        """Events that were written and belong into a table."""
        return sum(table_of(event) == table for event in self.written)

    def go_on(self, stop: threading.Event) -> None:
        """Some seconds of a busy sweep: trials end, one in five killed, others are sampled."""
        for batch in range(BATCHES):
            now_us = SystemClock().wall_us()
            ends: list[Said] = []
            ticks: list[Said] = [running.host_sample(now_us, kills=batch + 1)]
            for number in range(batch * A_BATCH, (batch + 1) * A_BATCH):
                dies = number % A_BATCH == 0
                if dies:
                    ticks.append(running.killed(number, now_us))
                ends.append(running.ended(number, now_us + 1, reward=None if dies else 1.0))
            for place in range(SAMPLES):
                number = BEGUN - 1 - place % (BEGUN - BATCHES * A_BATCH)
                ticks.append(running.sampled(number, now_us + place, usage=(batch + 1) * MIB))
            self.tell(ticks, collector=True)
            self.tell(ends)
            if stop.wait(PACE_S):
                return


@dataclass(slots=True)
class Looker:
    """A page that stays open, and the counts that were read from it."""

    shown: Tab
    pattern: re.Pattern[str]
    seen: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Read what it says now; while it is being drawn anew it may say nothing."""
        text = self.shown.text
        assert self.shown.problems() == []
        assert not TROUBLE.search(text), text
        found = self.pattern.search(text)
        if found:
            self.seen.append(int(found[1].replace(",", "")))

    def wait_for(self, ended: int) -> None:
        """Until it tells, without a click, of that many trials that have ended."""
        words = self.pattern.pattern.replace(r"([\d,]+)", rf"\b{ended}")
        self.shown.page.wait_for_selector(f"text=/{words}/", timeout=WAIT_MS)
        # For a moment it may have said so, where the store's server was killed.
        gone = "() => !document.body.innerText.includes('does not answer')"
        self.shown.page.wait_for_function(gone, timeout=WAIT_MS)
        self.seen.append(ended)
        self.look()


@pytest.fixture(scope="module")
def chromium() -> Generator[Browser]:
    with browsing.browser() as opened:
        yield opened


@contextmanager
def going(path: Path) -> Generator[Sweep]:
    """A sweep whose trials began a while ago, and whose runner lives while the block runs."""
    data = DataFolder.create(path)
    log = JournalLog(data.journal)
    runner, collector = (Writer(log, source=new_source(kind)) for kind in ("r", "c"))
    sweep = Sweep(path, runner, collector)
    began_us = SystemClock().wall_us() - 60 * S
    said = [*running.planned(PLANNED, began_us), *running.campaign(PLANNED, began_us)]
    for number in range(BEGUN):
        said += running.begun(number, began_us + number * 1000)
    with owned(data):
        sweep.tell(said)
        sweep.tell([running.host(began_us), running.collector_self(began_us)], collector=True)
        try:
            yield sweep
        finally:
            log.close()


@contextmanager
def two_pages(chromium: Browser, address: str) -> Generator[tuple[Looker, Looker]]:
    """Live and Overview, each in a browser's context of its own."""
    with (
        browsing.tab(chromium, address) as live,
        browsing.tab(chromium, address) as overview,
    ):
        # Neither settles: both draw themselves by a timer as long as the sweep runs.
        for shown, page in ((live, "live"), (overview, "")):
            shown.page.goto(f"{address}/{page}")
        yield Looker(live, LIVE), Looker(overview, OVERVIEW)


@contextmanager
def notebook(folder: Path, output: IO[bytes]) -> Generator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(
        [sys.executable, "-c", NOTEBOOK, str(folder)],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def statuses(folder: Path, written: "Future[None]", stop: threading.Event) -> list[Ended]:
    found: list[Ended] = []
    while not stop.is_set():
        last = written.done() and len(found) >= LEAST_LOOKS
        found.append(barograph("status", "--json", "--dir", folder))
        if last:
            break
    return found


def test_two_browsers_one_cli_and_one_notebook_read_while_a_sweep_loads(
    chromium: Browser, tmp_path: Path
) -> None:
    stop = threading.Event()
    printed = tmp_path / "notebook.txt"
    with (
        going(tmp_path / "data") as sweep,
        explorer(sweep.folder) as started,
        two_pages(chromium, started.address) as pages,
        printed.open("wb") as output,
        notebook(sweep.folder, output) as asks,
        ThreadPoolExecutor(2) as threads,
    ):
        try:
            for page in pages:
                page.shown.page.wait_for_selector("text=/trial/", timeout=WAIT_MS)
            written = threads.submit(sweep.go_on, stop)
            told = threads.submit(statuses, sweep.folder, written, stop)
            while not (written.done() and told.done()):
                for page in pages:
                    page.look()
                    page.shown.page.wait_for_timeout(100)
            written.result()
            ended = sweep.counted("trial_finished")
            for page in pages:
                page.wait_for(ended)
            asks.communicate(timeout=WAIT_S)
        finally:
            stop.set()
        assert asks.returncode == 0, printed.read_text()
        for page in pages:
            only_grew(page.seen, ended)
        the_notebook_agrees(printed.read_text(), sweep)
        the_cli_agrees(told.result(), sweep)
        each_event_is_there_once(sweep)


def only_grew(seen: Sequence[int], last: int) -> None:
    assert list(seen) == sorted(seen)
    assert seen[-1] == last


def the_notebook_agrees(printed: str, sweep: Sweep) -> None:
    assert not TROUBLE.search(printed), printed
    rows: list[list[int]] = [json.loads(line) for line in printed.splitlines()]
    tables = ("trial_finished", "oom_kill", "sample")
    for table, seen in zip(tables, zip(*rows, strict=True), strict=True):
        only_grew(seen, sweep.counted(table))
        assert len(set(seen)) > LEAST_LOOKS, "it did not read while the sweep was loaded"


def the_cli_agrees(told: Sequence[Ended], sweep: Sweep) -> None:
    assert len(told) > LEAST_LOOKS
    for each in told:
        assert (each.code, each.err) == (0, "")
        assert not TROUBLE.search(each.out)
    answers = [each.answer for each in told]
    only_grew([each["sweep"]["standing"] for each in answers], sweep.counted("trial_finished"))
    only_grew([each["store"]["samples"] for each in answers], sweep.counted("sample"))
    only_grew([each["store"]["events"] for each in answers], len(sweep.written))
    assert answers[-1]["store"]["missing_seqs"] == 0
    assert answers[-1]["store"]["dead_letters"] == 0


def each_event_is_there_once(sweep: Sweep) -> None:
    """Every source and number, in the table of its type and in no other, once."""
    tables = sorted({table_of(event) for event in sweep.written})
    every = " UNION ALL ".join(f"SELECT '{name}', source, seq FROM {name}" for name in tables)  # noqa: S608 - names of our own tables
    with store.connect(str(sweep.folder)) as served:
        rows = served.ask(every).rows
    wrote = sorted((table_of(event), event.source, event.seq) for event in sweep.written)
    assert sorted(tuple(row) for row in rows) == wrote
    assert len(wrote) == len({(source, seq) for _, source, seq in wrote})


def test_open_pages_outlive_the_server_of_the_store(chromium: Browser, tmp_path: Path) -> None:
    with (
        going(tmp_path / "data") as sweep,
        explorer(sweep.folder) as started,
        two_pages(chromium, started.address) as (live, overview),
    ):
        sweep.tell([running.ended(7, SystemClock().wall_us())])
        for page in (live, overview):
            page.wait_for(1)
        with store.connect(str(sweep.folder)) as served:
            killed = served.status().pid
        os.kill(killed, signal.SIGKILL)
        now_us = SystemClock().wall_us()
        sweep.tell([running.killed(8, now_us, victim="afterwards")], collector=True)
        sweep.tell([running.ended(8, now_us + 1, reward=None)])
        live.shown.page.wait_for_selector("text=afterwards", timeout=WAIT_MS)
        for page in (live, overview):
            page.wait_for(2)
        assert server_pid(sweep.folder) not in {None, killed}, "no page has started another"
        each_event_is_there_once(sweep)
