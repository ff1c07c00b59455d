"""Status, load, verify and the watching view on built data."""

import io
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console, RenderableType

from barograph.envelope import Belongs, Event
from barograph.facts import OomKill, Payload, Sample, SandboxDestroyed
from barograph.shipping.keeping import Shipping
from store.audit import AuditReport, SeqRun
from store.loader import LoadReport
from store.rows import ConditionCount, RunningRow, StoreCounts, SweepRow
from store.story import DeadLetterRow, GapRow, HostKills, KillTotal
from ui.reports import loading, status, verify, watching
from ui.reports.loading import Loaded
from ui.reports.status import KilledTry, Status
from ui.reports.watching import Seen

MIB = 1 << 20
NOW = 1_795_992_906_000_000
COUNTS = StoreCounts(
    events=776,
    samples=224,
    sources=2,
    streams=2,
    dead_letters=0,
    unknown_events=0,
    unknown_fields=0,
    missing_seqs=0,
    first_t_us=NOW - 60_000_000,
    last_t_us=NOW - 1_000_000,
)
HOST = HostKills(
    host="vm",
    incarnations=1,
    first_t_us=0,
    last_t_us=1,
    counted=46,
    attributed=6,
    foreign=40,
    unclaimed=0,
    outside=0,
)


def printed(shown: RenderableType, width: int = 80) -> str:
    file = io.StringIO()
    Console(file=file, width=width, markup=False, highlight=False, emoji=False).print(shown)
    text = file.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    return text


def sweep(reason: str | None) -> SweepRow:
    return SweepRow(
        sweep="s1",
        name="small",
        digest="sha256:0",
        seed=1,
        trials=24,
        attempts=2,
        conditions=["1x", "3x"],
        agents=["brute"],
        tasks=["diff"],
        oom_scope="sandbox",
        timezone="UTC",
        dataset=None,
        harness="barograph",
        product_version="0",
        planned_t_us=NOW - 60_000_000,
        campaigns=1,
        concurrency=12,
        first_started_t_us=NOW - 60_000_000,
        finished_t_us=None if reason is None else NOW - 5_000_000,
        finished_reason=reason,
        standing=12,
        tries=13,
    )


RUNNING = RunningRow(
    sweep="s1",
    trial="aaaaaaaaaaaa",
    try_no=1,
    task="a-task-with-quite-a-long-name",
    agent="brute",
    condition="1x",
    host="vm",
    started_t_us=NOW - 9_000_000,
    phase="agent",
    phase_started_t_us=NOW - 3_200_000,
    usage_bytes=20 * MIB,
    peak_bytes=31 * MIB,
    ceiling_bytes=32 * MIB,
    kills=0,
    last_t_us=NOW - 500_000,
)


def found(
    *,
    planned: SweepRow | None,
    running: Sequence[RunningRow] = (),
    campaign: int | None = None,
    counts: StoreCounts = COUNTS,
    host: HostKills = HOST,
    shipping: Shipping | None = None,
) -> Status:
    counted = ConditionCount(
        sweep="s1",
        condition="3x",
        agent="brute",
        standing=6,
        passed=5,
        killed=1,
        timed_out=0,
        errors=0,
    )
    killed = KilledTry(
        trial="bbbbbbbbbbbb",
        task="diff",
        agent="brute",
        condition="1x",
        t_us=NOW - 2_000_000,
        victim="python3",
        phase="agent",
        command="python3 solve.py",
        kills=1,
    )
    return Status(
        now_us=NOW,
        folder="/data",
        sweep=planned,
        per_minute=58.1,
        left_s=12.4,
        conditions=(counted,),
        running=tuple(running),
        kills=(killed,),
        campaign_pid=campaign,
        collector_pid=campaign and campaign + 1,
        journal_bytes=301_000,
        journal_files=2,
        store=counts,
        lag_s=1.0,
        audit=(host,),
        shipping=shipping,
    )


def test_a_running_sweep_shows_pace_memory_and_kills() -> None:
    text = printed(status.render(found(planned=sweep(None), running=[RUNNING], campaign=4711)))
    for part in (
        "12 of 24 trials have an outcome",
        "running (pid 4711), 58.1/min, 12.4 s left",
        "Running now",
        "3.2 s",
        "python3 solve.py",
        "alive (pid 4712)",
        "every one is accounted",
    ):
        assert part in text


def test_a_dead_campaign_is_said_to_be_dead() -> None:
    text = printed(status.render(found(planned=sweep(None), running=[RUNNING])))
    assert "no campaign is alive" in text
    assert "by a campaign that is gone" in text


def test_an_ended_sweep_and_an_empty_folder() -> None:
    assert "complete, 5.0 s ago" in printed(status.render(found(planned=sweep("complete"))))
    assert printed(status.render(found(planned=None))).startswith("No sweep has been planned")


def test_what_cannot_be_trusted_is_said() -> None:
    lost = replace(COUNTS, missing_seqs=3, dead_letters=1)
    odd = replace(HOST, unclaimed=2)
    text = printed(status.render(found(planned=sweep("complete"), counts=lost, host=odd)))
    assert "3 events are missing; 1 line is no event" in text
    assert "nobody claims 2" in text


def test_a_load_says_how_much_how_fast_and_what_was_no_event() -> None:
    letter = DeadLetterRow(
        stream="xbad.000000",
        offset=17,
        part=0,
        reason="not JSON",
        size_bytes=5,
        raw=b"\x00\xffab",
        source=None,
        seq=None,
    )
    report = LoadReport(events=776, samples=224, dead_letters=1, bytes_read=301_000, batches=1)
    loaded = Loaded(
        folder="/data", seconds=0.5, report=report, events_per_s=1552.0, lag_s=1.0, store=COUNTS
    )
    text = printed(loading.render(loaded, [letter]))
    assert text.startswith("Loaded 776 new events in 500 ms, 1,552 a second.")
    assert "xbad.000000 at byte 17: not JSON" in text


def audit_report(**faults: object) -> AuditReport:
    fields: dict[str, object] = {
        "sources": 2,
        "events_in_log": 776,
        "events_in_tables": 776,
        "waiting": 0,
        "repeated_in_log": 0,
        "pruned_in_log": 0,
        "missing": [],
        "extra": [],
        "doubled": [],
        "conflicting": [],
        "different": [],
        "gaps_unexplained": [],
        "gaps_explained": 0,
        "gaps_misnoted": [],
        "dead_letters": 0,
        "dead_letters_misnoted": [],
        "torn_tails": [],
    }
    return AuditReport(**fields | faults)  # type: ignore[arg-type]  # named above, each of its type


def total(counted: int | None, told: int) -> KillTotal:
    return KillTotal(
        trial="aaaaaaaaaaaa", try_no=1, target="t", counted=counted, told=told, read_by=None
    )


def test_what_adds_up_is_said_with_what_was_looked_at() -> None:
    result = verify.verified(audit_report(), [total(1, 1), total(None, 0)], [HOST])
    assert result.ok
    text = printed(verify.render(result))
    assert text.startswith("Everything is accounted for: 776 events of 2 writers, 1 kill.")
    assert "1 sandbox not read at the end" in " ".join(text.split())


def test_every_fault_is_counted_and_named() -> None:
    log = audit_report(
        missing=[SeqRun(source="rabc", first=3, last=5)],
        gaps_unexplained=[GapRow(source="cdef", first=7, last=7, explained_by=None)],
    )
    result = verify.verified(log, [total(2, 1)], [HOST])
    assert (result.ok, result.faults) == (False, 5)
    text = printed(verify.render(result))
    assert text.startswith("5 things do not add up")
    for part in ("rabc 3–5", "cdef 7", "trial aaaaaaaaaaaa try 1 (counter 2, events 1)", "FAIL"):
        assert part in text


def test_kills_that_nobody_claims_are_a_fault_unless_none_can_be_ours() -> None:
    odd = replace(HOST, unclaimed=2)
    elsewhere = verify.verified(audit_report(), [total(1, 1)], [odd])
    assert elsewhere.ok
    assert "2 elsewhere that the kernel log left out" in " ".join(
        printed(verify.render(elsewhere)).split()
    )
    assert verify.verified(audit_report(), [total(1, 1), total(None, 0)], [odd]).faults == 2
    assert verify.verified(audit_report(), [total(1, 1)], [replace(HOST, unclaimed=-1)]).faults == 1


def event(payload: Payload) -> Event:
    belongs = Belongs(target="/x")
    return Event(source="c", seq=0, t_us=NOW, mono_us=0, belongs=belongs, payload=payload)


def test_watching_keeps_the_highest_peak_and_every_kill() -> None:
    seen = {"/x": Seen(target="/x")}
    sample = Sample.of({"usage_bytes": MIB, "peak_bytes": 9 * MIB, "peak_kind": 0, "pids": 3})
    kill = OomKill(
        ordinal=1, counter_before=0, counter_after=1, victim_comm="python3", victim_pid=7
    )
    later = Sample.of({"usage_bytes": MIB, "peak_bytes": 2 * MIB, "peak_kind": 0})
    gone = SandboxDestroyed(read_by="collector", reason="finished", peak_bytes=9 * MIB)
    seen = watching.fold(seen, [event(fact) for fact in (sample, kill, later, gone)])
    assert seen["/x"].highest_bytes == 9 * MIB
    assert seen["/x"].ended
    text = printed(watching.render(seen))
    assert "python3 (pid 7)" in text
    assert "9 MiB" in text


def test_a_shared_log_that_is_behind_says_how_far_and_why() -> None:
    behind = Shipping(
        log="kafka:broker:9092",
        pid=4713,
        waiting_bytes=3 << 20,
        complete_t_us=NOW - 90_000_000,
        error="kafka:broker:9092: cannot send: no broker answers",
    )
    text = " ".join(printed(status.render(found(planned=None, shipping=behind))).split())
    assert (
        "shared log kafka:broker:9092; 3 MiB of the journal not acknowledged; behind for"
        " 1 min 30 s; kafka:broker:9092: cannot send: no broker answers"
    ) in text
