"""Logs of one trial, told fact by fact, and what the store makes of them."""

from dataclasses import replace

from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import (
    ExecFinished,
    OomKill,
    Payload,
    Phase,
    SandboxCreated,
    SandboxDestroyed,
    TrialFinished,
    TrialStarted,
)
from store.database import Database
from store.reader import Reader
from store.rows import Evidence, TryRow
from store.story import KillRow
from tests.stores import chunk, empty_store, load

US = 1_000_000
BOX = "/barograph/x/t1-1"


class Told:
    """A log of one trial in the making: each fact a second after the one before."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def say(self, payload: Payload, *, try_no: int = 1, source: str = "r1") -> "Told":
        """Add a fact of a try of trial t1."""
        seq = len(self.lines)
        belongs = Belongs(sweep="s1", trial="t1", try_no=try_no, target=f"t1-{try_no}")
        at = (seq + 1) * US
        event = Event(source=source, seq=seq, t_us=at, mono_us=at, belongs=belongs, payload=payload)
        self.lines.append(encode(event)[:-1])
        return self

    def store(self) -> Database:
        """The facts, loaded."""
        database = empty_store()
        load(database, chunk(self.lines))
        return database

    def tries(self) -> list[TryRow]:
        """All ended tries."""
        return Reader(self.store()).tries(outcomes_only=False)

    def evidence(self) -> Evidence:
        """Of the only ended try."""
        (row,) = self.tries()
        return row.evidence

    def kills(self) -> list[KillRow]:
        """All kills."""
        return Reader(self.store()).story("t1").kills


def started() -> TrialStarted:
    return TrialStarted(
        task="sort",
        task_digest="d",
        agent="brute",
        condition="1x",
        attempt=1,
        host="h1",
        block=0,
        spec_memory_bytes=64 << 20,
        memory_ceiling_multiple=1.0,
    )


SANDBOX = SandboxCreated(
    driver="local",
    node="h1",
    oom_scope="sandbox",
    oom_scope_enforced_by="supervisor",
    kernel="6",
    cgroup_path=BOX,
    applied_memory_ceiling_bytes=64 << 20,
)
ENDED = SandboxDestroyed(read_by="collector", reason="finished")
FINISHED = TrialFinished(how="completed", duration_s=5.0)
DIED = replace(FINISHED, how="sandbox_died")
KILL = OomKill(
    ordinal=1,
    counter_before=0,
    counter_after=1,
    oom_cgroup=BOX,
    constraint="CONSTRAINT_MEMCG",
)
SILENT_KILL = replace(KILL, oom_cgroup=None, constraint=None)


def command(
    ordinal: int, started_us: int, seconds: float, *, phase: Phase = "agent", pid: int | None = None
) -> ExecFinished:
    return ExecFinished(
        phase=phase,
        ordinal=ordinal,
        command=f"command {ordinal}",
        command_digest="d",
        command_truncated=False,
        started_t_us=started_us,
        duration_s=seconds,
        how="ok",
        pid=pid,
    )
