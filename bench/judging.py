"""How long does it take to judge 100,000 trials, again under another policy, and one of them?

The trials are written as events through the real log and loaded; their evidence has shares
of time that no two trials have in common, so nearly every trial is judged by itself, which
is the slowest case. A fifth were killed. What is measured is ``store.judging.refresh`` with
the product's own policy: the first time, with nothing new, under a policy of another digest,
after one trial's kill arrived late, and after a batch that touched 300 trials.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.envelope import Belongs, Event
from barograph.facts import (
    ExecFinished,
    OomKill,
    Payload,
    PhaseFinished,
    PhaseStarted,
    SandboxCreated,
    SandboxDestroyed,
    TrialFinished,
    TrialStarted,
)
from barograph.log.journal import JournalLog
from bench import results_file
from store.database import Database, open_database
from store.judging import Judgement, JudgingPolicy, refresh
from store.loader import Loader
from store.reader import Reader

GIB: Final = 1 << 30
BEGAN_US: Final = 1_764_450_000_000_000
CEILINGS: Final = ("1x", "1.5x", "2x", "3x", "5x", "uncapped")
TRIAL_S: Final = 300
AT_ONCE: Final = 16
TOUCHED: Final = 300
ASKED: Final = "100,000 trials classified once; a new policy re-classifies in seconds"


class Story:
    """Tells one trial after the other, as one writer."""

    def __init__(self, seed: int = 1) -> None:
        self.dice = random.Random(seed)
        self.seq = 0

    def say(self, trial: int, at_s: float, payload: Payload) -> Event:
        """One fact of a trial, so long after it began."""
        began = BEGAN_US + trial * TRIAL_S * 1_000_000 // AT_ONCE
        name = f"{trial:012x}"
        event = Event(
            source="rjudging0001",
            seq=self.seq,
            t_us=began + round(at_s * 1e6),
            mono_us=began + round(at_s * 1e6) - BEGAN_US,
            belongs=Belongs(sweep="sjudging", trial=name, try_no=1, target=f"{name}-1"),
            payload=payload,
        )
        self.seq += 1
        return event

    def trial(self, number: int) -> Iterator[Event]:
        """All facts of a trial."""
        killed = self.dice.random() < 0.2
        ceiling = number % len(CEILINGS)
        yield self.say(number, 0, begun(number, ceiling))
        yield self.say(number, 1, replace(SANDBOX, applied_memory_ceiling_bytes=ceiling * 2 * GIB))
        yield self.say(number, 2, PhaseStarted(phase="agent", limit_s=900))
        for ordinal in range(1, 4):
            yield self.say(number, 10 * ordinal + 5, command(ordinal, self.dice))
        if killed:
            yield self.say(number, 90, kill(1))
        ended = PhaseFinished(phase="agent", how="ok", duration_s=150 + self.dice.random())
        yield self.say(number, 200, ended)
        yield self.say(number, 250, destroyed(self.dice, kills=int(killed)))
        yield self.say(number, 260, finished(self.dice, killed=killed))


SANDBOX: Final = SandboxCreated(
    driver="local",
    node="h1",
    oom_scope="sandbox",
    oom_scope_enforced_by="kernel",
    kernel="6.12",
    cgroup_path="/barograph/x",
)


def begun(number: int, ceiling: int) -> TrialStarted:
    return TrialStarted(
        task=f"task-{number // 60 % 90:02}",
        task_digest="d",
        agent=f"agent-{number // 6 % 2}",
        condition=CEILINGS[ceiling],
        attempt=number // 10_800 + 1,
        host="h1",
        block=number // 1_080,
        spec_memory_bytes=2 * GIB,
    )


def destroyed(dice: random.Random, *, kills: int) -> SandboxDestroyed:
    return SandboxDestroyed(
        read_by="collector",
        reason="finished",
        peak_bytes=dice.randrange(GIB),
        oom_kill_total=kills,
        oom_group_kill_total=kills,
        cpu_periods=2000,
        cpu_throttled_periods=dice.randrange(2000),
        psi_memory_full_us=dice.randrange(10_000_000),
    )


def finished(dice: random.Random, *, killed: bool) -> TrialFinished:
    return TrialFinished(
        how="sandbox_died" if killed else "completed",
        duration_s=258,
        verifier_ran=not killed,
        rewards=None if killed else {"reward": float(dice.random() < 0.5)},
        sandbox_exit=137 if killed else None,
    )


def command(ordinal: int, dice: random.Random) -> ExecFinished:
    return ExecFinished(
        phase="agent",
        ordinal=ordinal,
        command=f"python3 solve.py --part {ordinal}",
        command_digest="d",
        command_truncated=False,
        started_t_us=BEGAN_US,
        duration_s=30 * dice.random(),
        how="ok",
        exit_code=0,
        pid=1000 + ordinal,
    )


def kill(ordinal: int) -> OomKill:
    return OomKill(
        ordinal=ordinal,
        counter_before=ordinal - 1,
        counter_after=ordinal,
        victim_pid=77,
        victim_session_pid=1002,
        victim_comm="python3",
        victim_rss_bytes=2 * GIB,
        constraint="CONSTRAINT_MEMCG",
    )


def write(folder: Path, trials: int) -> Story:
    """The events of so many trials as a journal."""
    story = Story()
    log = JournalLog(folder, reserve_bytes=0)
    for first in range(0, trials, 1_000):
        numbers = range(first, min(trials, first + 1_000))
        log.append([event for number in numbers for event in story.trial(number)])
    log.close()
    return story


def tell_late(folder: Path, story: Story, trial: int) -> None:
    """A kill that its observer told after the trial had ended."""
    log = JournalLog(folder, reserve_bytes=0)
    log.append([replace(story.say(trial, 300, kill(2)), source="cjudging0001", seq=0)])
    log.close()


def load(database: Database, folder: Path) -> None:
    with Loader(database) as loader:
        loader.load(JournalLog(folder, reserve_bytes=0))


class Counted:
    """A policy that counts how often it is asked."""

    def __init__(self, policy: JudgingPolicy) -> None:
        self.asked = 0
        self._judge = policy.judge
        self.policy = replace(policy, judge=self.judge)

    def judge(self, evidence: Mapping[str, object]) -> Judgement:
        """Give a verdict, and count it."""
        self.asked += 1
        return self._judge(evidence)


def measured(
    what: str, database: Database, policy: JudgingPolicy, trials: frozenset[str] | None
) -> dict[str, object]:
    """One refresh: wall, the process's CPU, and how many verdicts were given."""
    counted = Counted(policy)
    cpu, wall = time.process_time(), time.perf_counter()
    refresh(database, counted.policy, trials)
    seconds = {
        "wall_s": round(time.perf_counter() - wall, 3),
        "cpu_s": round(time.process_time() - cpu, 3),
    }
    return {"refresh": what, "verdicts given": counted.asked, **seconds}


def rounds(database: Database, journal: Path, story: Story, trials: int) -> list[dict[str, object]]:
    first = judging_policy(policy_v1())
    rows = [
        measured("all, the first time", database, first, None),
        measured("all, nothing new", database, first, None),
    ]
    late = trials // 2
    tell_late(journal, story, late)
    load(database, journal)
    some = frozenset(f"{number:012x}" for number in range(0, trials, max(1, trials // TOUCHED)))
    rows += [
        measured("one trial, a kill told late", database, first, frozenset({f"{late:012x}"})),
        measured(f"{len(some)} touched trials, nothing new", database, first, some),
        measured("a trial that has not ended", database, first, frozenset({"nobody"})),
        measured("all, under another policy", database, replace(first, digest="other"), None),
    ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        journal = Path(name) / "journal"
        story = write(journal, options.trials)
        with open_database(Path(name) / "store.duckdb") as database:
            load(database, journal)
            rows = rounds(database, journal, story, options.trials)
            size = Reader(database).counts().events
    details = {
        "trials": options.trials,
        "events": size,
        "load of the machine at the end": round(os.getloadavg()[0], 2),
        "asked": ASKED,
    }
    print(results_file.write("judging", "bench.judging", rows, details))


if __name__ == "__main__":
    main()
