"""Rows of one killed trial and its siblings, as the store would answer them."""

from analysis.verdicts.engine import judge
from analysis.verdicts.reading import policy_v1
from store.rows import Evidence, TrialRow, TryRow
from store.story import (
    BegunRow,
    EndRow,
    ExecRow,
    KillRow,
    PhaseRow,
    SandboxEndRow,
    SandboxRow,
    StateRow,
    Story,
    UsageRow,
)
from ui.stories.trial import Judged

MIB = 1 << 20
T0 = 1_795_992_906_000_000
CEILINGS = ("1x", "3x", "uncapped")
_KILLED = Evidence(
    passed=None, oom_kill=1, oom_group_kill=1, oom_phase="agent", pid1_exit=137, verifier_ran=False
)


def at(seconds: float) -> int:
    return T0 + round(seconds * 1e6)


def outcome(
    trial: str = "aaaaaaaaaaaa",
    *,
    condition: str = "1x",
    ceiling: int | None = 32 * MIB,
    agent: str = "brute",
    evidence: Evidence = _KILLED,
    peak: int | None = 32 * MIB,
    kills: int = 1,
) -> Judged:
    row = TryRow(
        sweep="s1",
        trial=trial,
        try_no=1,
        task="diff",
        agent=agent,
        model=None,
        condition=condition,
        attempt=1,
        block=0,
        host="vm",
        stands=True,
        outcome=True,
        started_t_us=at(0),
        finished_t_us=at(4.4),
        duration_s=4.4,
        how="sandbox_died" if kills else "completed",
        reward=None,
        spec_memory_bytes=32 * MIB,
        ceiling_bytes=ceiling,
        ceiling_multiple=1.0,
        parent_cap_bytes=8 << 30,
        peak_bytes=peak,
        kills=kills,
        kill_phase="agent" if kills else None,
        kill_command="python3 solve.py" if kills else None,
        kill_victim="python3" if kills else None,
        evidence=evidence,
    )
    return Judged(row=row, verdict=judge(policy_v1(), evidence.known()))


def phase(name: str, begin: float, end: float | None, how: str = "ok") -> PhaseRow:
    return PhaseRow(
        try_no=1,
        phase=name,
        started_t_us=at(begin),
        limit_s=60.0,
        finished_t_us=None if end is None else at(end),
        how=None if end is None else how,
        duration_s=None if end is None else end - begin,
        message="everything in it was killed by its OOM scope" if how == "error" else None,
    )


def command(ordinal: int, begin: float, text: str, how: str = "ok") -> ExecRow:
    return ExecRow(
        try_no=1,
        phase="agent",
        ordinal=ordinal,
        command=text,
        command_truncated=False,
        command_digest="sha256:0",
        started_t_us=at(begin),
        duration_s=0.3,
        how=how,
        exit_code=0 if how == "ok" else None,
        signal=None,
        output_bytes=0,
        pid=100 + ordinal,
    )


KILL = KillRow(
    try_no=1,
    target="aaaaaaaaaaaa-1",
    ordinal=1,
    t_us=at(4.2),
    exact_time=True,
    read_before_t_us=at(4.0),
    read_after_t_us=at(4.2),
    victim_pid=27028,
    victim_comm="python3",
    victim_rss_bytes=37 * MIB,
    victim_anon_bytes=31 * MIB,
    limit_bytes=32 * MIB,
    constraint="CONSTRAINT_MEMCG",
    oom_cgroup=None,
    by_parent=False,
    victim_from="kernel_log_and_pid_map",
    phase="agent",
    exec_ordinal=4,
    command="python3 solve.py",
    joined_by="session",
)
BOX = SandboxRow(
    try_no=1,
    target="aaaaaaaaaaaa-1",
    created_t_us=at(0.2),
    driver="local",
    node="vm",
    oom_scope="sandbox",
    oom_scope_enforced_by="supervisor",
    kernel="6.18",
    cgroup_version=1,
    cgroup_path="/barograph/x/aaaaaaaaaaaa-1",
    asked_memory_floor_bytes=32 * MIB,
    asked_memory_ceiling_bytes=32 * MIB,
    applied_memory_floor_bytes=32 * MIB,
    applied_memory_ceiling_bytes=32 * MIB,
    asked_cpu_floor_cores=None,
    asked_cpu_ceiling_cores=None,
    applied_cpu_floor_cores=None,
    applied_cpu_ceiling_cores=None,
    parent_cap_bytes=8 << 30,
    pids_limit=1024,
    network="public",
    cpu_model=None,
    flags=["oom_scope_emulated"],
)
BOX_END = SandboxEndRow(
    try_no=1,
    target="aaaaaaaaaaaa-1",
    t_us=at(4.3),
    read_by="collector",
    reason="finished",
    peak_bytes=32 * MIB,
    oom_kill_total=1,
    oom_group_kill_total=None,
    oom_total=None,
    limit_hits_total=0,
    cpu_usage_us=1,
    cpu_periods=0,
    cpu_throttled_periods=0,
    cpu_throttled_us=0,
    psi_memory_some_us=0,
    psi_memory_full_us=0,
    samples=5,
)
USAGE = UsageRow(
    try_no=1,
    target="aaaaaaaaaaaa-1",
    samples=5,
    first_t_us=at(1),
    last_t_us=at(4.3),
    peak_bytes=32 * MIB,
    peak_t_us=at(4.25),
    peak_kind=0,
    last_usage_bytes=1,
    last_anon_bytes=1,
    limit_bytes=32 * MIB,
    cpu_usage_us=1,
    cpu_throttled_us=0,
    psi_memory_full_us=0,
)
KILLED = Story(
    trial=TrialRow(
        sweep="s1",
        trial="aaaaaaaaaaaa",
        task="diff",
        agent="brute",
        model=None,
        condition="1x",
        attempt=1,
        tries=1,
        standing_try=1,
        latest_try=1,
        latest_started_t_us=at(0),
        latest_how="sandbox_died",
        reward=None,
    ),
    outcomes=[outcome().row],
    begun=[
        BegunRow(
            try_no=1,
            target="aaaaaaaaaaaa-1",
            host="vm",
            started_t_us=at(0),
            seed=1,
            spec_memory_bytes=32 * MIB,
            spec_cpu_cores=1.0,
            spec_from="task",
            memory_floor_multiple=1.0,
            memory_ceiling_multiple=1.0,
            task_digest="sha256:0",
        )
    ],
    ends=[
        EndRow(
            try_no=1,
            t_us=at(4.4),
            how="sandbox_died",
            duration_s=4.4,
            rewards=None,
            verifier_ran=False,
            verifier_exit=None,
            verifier_error=None,
            timed_out_phase=None,
            sandbox_exit=137,
            agent_exit=1,
            exceptions=None,
        )
    ],
    phases=[
        phase("environment", 0, 0.2),
        phase("setup", 0.2, 0.5),
        phase("agent", 0.5, 4.3, "error"),
    ],
    execs=[
        command(2, 1.2, "ls -l"),
        command(3, 2.0, "cat > solve.py <<'END'\nlong\nprogram\nEND"),
        command(4, 4.0, "python3 solve.py", "sandbox_died"),
    ],
    kills=[KILL],
    sandboxes=[BOX],
    states=[
        StateRow(
            try_no=1,
            target="aaaaaaaaaaaa-1",
            t_us=at(4.21),
            state="group_killed",
            reason="oom_scope_sandbox_emulated",
            message=None,
            exit_code=137,
        )
    ],
    sandbox_ends=[BOX_END],
    usage=[USAGE],
)
_PASS = Evidence(passed=True, verifier_ran=True, oom_kill=0)
ELSEWHERE = (
    outcome(),
    outcome(
        "bbbbbbbbbbbb", condition="3x", ceiling=96 * MIB, evidence=_PASS, peak=70 * MIB, kills=0
    ),
    outcome(
        "cccccccccccc", condition="uncapped", ceiling=None, evidence=_PASS, peak=71 * MIB, kills=0
    ),
    outcome("dddddddddddd", agent="thrifty", evidence=_PASS, peak=5 * MIB, kills=0),
)
