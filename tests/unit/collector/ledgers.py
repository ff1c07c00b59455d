"""Victims, targets and what was told: the words in which tests of the ledger are written."""

from barograph.envelope import Belongs
from barograph.facts import HostOomKill, OomKill
from barograph.writer import Said
from collector.kills import KillLedger
from collector.tallies import Victim


def victim(pid: int, *, at: int = 0, path: str | None = None, old: bool = False) -> Victim:
    return Victim(
        pid=pid,
        comm=f"p{pid}",
        rss_bytes=2,
        anon_bytes=1,
        stamp_us=at,
        killed_us=at,
        killed_t_us=at,
        arrived_us=at,
        task_cgroup=path,
        is_old=old,
    )


def opened(ledger: KillLedger, name: str = "a", *, below: bool = False) -> None:
    """A target of ours, made just now."""
    ledger.open(
        name,
        belongs=Belongs(trial="t", try_no=1, target=name),
        path=f"/{name}",
        includes_below=below,
        baseline=0,
    )
    ledger.count(name, 0, t_us=0, now_us=0)


def kills(said: list[Said]) -> list[tuple[int, int | None]]:
    facts = [item.payload for item in said]
    return [(fact.ordinal, fact.victim_pid) for fact in facts if isinstance(fact, OomKill)]


def hosts(said: list[Said]) -> list[int | None]:
    facts = [item.payload for item in said]
    return [fact.victim_pid for fact in facts if isinstance(fact, HostOomKill)]
