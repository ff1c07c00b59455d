"""A sweep that runs, as facts: for stores in a test's memory and for journals alike."""

from collections.abc import Sequence
from typing import Final

from barograph.envelope import Belongs, Event
from barograph.facts import (
    CollectorSelf,
    ExecFinished,
    HostInfo,
    HostSample,
    OomKill,
    PhaseStarted,
    Sample,
    SandboxCreated,
    SweepPlanned,
    SweepStarted,
    TrialFinished,
    TrialStarted,
)
from barograph.writer import Said

MIB: Final = 1 << 20
S: Final = 1_000_000
SWEEP: Final = "srunning001"
AGENTS: Final = ("brute", "thrifty")
CONDITIONS: Final = ("1x", "2x", "uncapped")
CEILINGS: Final = {"1x": 64 * MIB, "2x": 128 * MIB, "uncapped": None}


def trial_id(number: int) -> str:
    return f"{number * 7919:012x}"


def belongs(number: int, try_no: int = 1) -> Belongs:
    trial = trial_id(number)
    return Belongs(sweep=SWEEP, trial=trial, try_no=try_no, target=f"{trial}-{try_no}")


def planned(trials: int, at_us: int, *, name: str = "running") -> list[Said]:
    """The plan, and a campaign that began."""
    plan = SweepPlanned(
        name=name,
        digest="d",
        seed=7,
        trials=trials,
        attempts=1,
        spec={},
        product_version="0",
        harness="barograph",
        tasks={f"task-{number}": "x" for number in range(10)},
        conditions=list(CONDITIONS),
        agents=list(AGENTS),
    )
    return [Said(plan, Belongs(sweep=SWEEP), at_us)]


def campaign(trials: int, at_us: int, *, concurrency: int = 1000) -> list[Said]:
    begun = SweepStarted(
        host="h1", pid=1, concurrency=concurrency, resumed=False, trials_left=trials
    )
    return [Said(begun, Belongs(sweep=SWEEP), at_us)]


def begun(number: int, at_us: int, *, task: str | None = None) -> list[Said]:
    """A trial from its beginning to a first command in its agent's phase, within 3 s."""
    condition = CONDITIONS[number % len(CONDITIONS)]
    who = belongs(number)
    start = TrialStarted(
        task=task or f"task-{number % 10}",
        task_digest="x",
        agent=AGENTS[number % len(AGENTS)],
        condition=condition,
        attempt=1,
        host="h1",
        block=0,
        spec_memory_bytes=64 * MIB,
    )
    box = SandboxCreated(
        driver="local",
        node="h1",
        oom_scope="sandbox",
        oom_scope_enforced_by="kernel",
        kernel="6",
        cgroup_path=f"/barograph/{who.target}",
        applied_memory_ceiling_bytes=CEILINGS[condition],
        parent_cap_bytes=8192 * MIB,
    )
    command = ExecFinished(
        phase="agent",
        ordinal=1,
        command="python3 solve.py",
        command_digest="x",
        command_truncated=False,
        started_t_us=at_us + S,
        duration_s=1.5,
        how="ok",
        exit_code=0,
    )
    return [
        Said(start, who, at_us),
        Said(box, who, at_us + 10_000),
        Said(PhaseStarted(phase="setup"), who, at_us + 20_000),
        Said(PhaseStarted(phase="agent"), who, at_us + S),
        Said(command, who, at_us + 3 * S),
    ]


def sampled(number: int, at_us: int, *, usage: int, peak: int | None = None) -> Said:
    sample = Sample(
        interval_us=S, usage_bytes=usage, peak_bytes=usage if peak is None else peak, peak_kind=0
    )
    return Said(sample, belongs(number), at_us)


def killed(number: int, at_us: int, *, victim: str = "python3", ordinal: int = 1) -> Said:
    kill = OomKill(
        ordinal=ordinal,
        counter_before=ordinal - 1,
        counter_after=ordinal,
        victim_comm=victim,
        victim_pid=4711,
        killed_t_us=at_us,
        limit_bytes=64 * MIB,
    )
    return Said(kill, belongs(number), at_us)


def ended(number: int, at_us: int, *, reward: float | None = 1.0) -> Said:
    end = TrialFinished(
        how="sandbox_died" if reward is None else "completed",
        duration_s=5.0,
        rewards=None if reward is None else {"reward": reward},
        verifier_ran=reward is not None,
    )
    return Said(end, belongs(number), at_us)


def host(at_us: int) -> Said:
    info = HostInfo(host="h1", cores=2, memory_bytes=8192 * MIB, kernel="6")
    return Said(info, Belongs(), at_us)


def host_sample(at_us: int, *, kills: int = 0, load: float = 1.0) -> Said:
    sample = HostSample(
        interval_us=S,
        load1=load,
        memory_available_bytes=4096 * MIB,
        memory_total_bytes=8192 * MIB,
        cpu_busy_us=S,
        psi_memory_some_us=S // 10,
        targets=3,
        oom_kill_total=kills,
    )
    return Said(sample, Belongs(), at_us)


def collector_self(at_us: int) -> Said:
    cost = CollectorSelf(
        interval_us=10 * S,
        cpu_us=S // 5,
        rss_bytes=30 * MIB,
        ticks=10,
        targets=3,
        lateness_max_us=300,
        lateness_mean_us=100,
        events_written=40,
        samples_dropped=0,
    )
    return Said(cost, Belongs(), at_us)


def stamped(said: Sequence[Said], *, source: str) -> list[Event]:
    """Facts as one source told them, from its first event on."""
    return [
        Event(
            source=source,
            seq=seq,
            t_us=item.t_us or 0,
            mono_us=item.t_us or 0,
            belongs=item.belongs,
            payload=item.payload,
        )
        for seq, item in enumerate(said)
    ]
