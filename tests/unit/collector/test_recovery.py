"""What a predecessor told, found again among everything else in the log."""

from barograph.envelope import Belongs
from barograph.facts import ExecFinished, OomKill, Sample
from barograph.log.memory import MemoryLog
from barograph.writer import Said, Writer
from collector.recovery import told_kills


def said(ordinal: int, pid: int | None, *, target: str = "t-1") -> Said:
    fact = OomKill(ordinal=ordinal, counter_before=0, counter_after=9, victim_pid=pid)
    return Said(fact, Belongs(trial="t", try_no=1, target=target))


def test_ordinals_and_victims_are_found_and_the_better_word_counts() -> None:
    log = MemoryLog()
    Writer(log, source="c1").write_many([said(1, 11), said(2, None), Said(Sample())])
    Writer(log, source="c2").write_many([said(2, 22), said(3, 33), said(3, None)])
    Writer(log, source="c3").write_many([said(1, None, target="other")])
    assert told_kills(log) == {
        ("t", 1, "t-1"): {1: 11, 2: 22, 3: 33},
        ("t", 1, "other"): {1: None},
    }


def test_what_only_looks_like_a_kill_is_none() -> None:
    log = MemoryLog()
    command = 'echo \'{"type":"oom.kill"}\' "type":"oom.kill"'
    fact = ExecFinished(
        phase="agent",
        ordinal=1,
        command=command,
        command_digest="d",
        command_truncated=False,
        started_t_us=1,
        duration_s=1.0,
        how="ok",
    )
    Writer(log, source="r1").write(fact)
    log.append_raw(b'{"v":1,"type":"oom.kill","torn')
    log.append_raw(b'\xff"type":"oom.kill"\xfe')
    assert told_kills(log) == {}


def test_an_empty_log_tells_nothing() -> None:
    assert told_kills(MemoryLog()) == {}
