"""A killed trial told from rows: every sentence, its evidence, and what it must not claim."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from analysis.plain import to_plain
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
from ui.reports import story as report
from ui.stories.trial import Judged, TrialStory, tell

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


def told(story: Story = KILLED) -> TrialStory:
    return tell(story, 1, [outcome()], ELSEWHERE)


def printed(story: TrialStory, width: int = 80) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, markup=False, highlight=False, emoji=False)
    console.print(report.render(story, CEILINGS, width=width))
    return file.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_answer_names_ceiling_command_and_phase() -> None:
    assert told().answer == (
        "The memory ceiling killed the whole sandbox (32 MiB) while python3 solve.py ran, in phase "
        "agent. That counts as an infra error."
    )


def test_the_kill_is_told_in_its_place_with_its_evidence() -> None:
    happened = told().happened
    kill = next(said for said in happened if said.text.startswith("The kernel killed"))
    assert kill.text == (
        "The kernel killed python3 (pid 27028, 31 MiB anonymous, 37 MiB resident), at the "
        "sandbox's own ceiling of 32 MiB, in phase agent, command 4: python3 solve.py."
    )
    assert kill.evidence == ("oom.kill 1", "exec.finished 4")
    assert kill.hue == "memory"
    place = happened.index(kill)
    assert happened[place - 1].text.startswith("$ python3 solve.py")
    assert happened[place + 1].text.startswith("Everything else in the sandbox was killed with it")
    assert all(said.evidence for said in happened)
    assert [said.t_us for said in happened] == sorted(said.t_us or 0 for said in happened)


def test_a_peak_at_the_ceiling_is_cut_off_and_bounds_from_below() -> None:
    story = told()
    assert story.memory.cut_off
    assert "at least 32 MiB" in story.memory.said[2].text
    assert story.enough.at_least_bytes == 32 * MIB
    texts = [said.text for said in story.enough.said]
    assert texts == [
        "More than 32 MiB (1x of the spec): that is where it was cut off.",
        "2 other tries of this task by brute that no ceiling cut off used 70 MiB to 71 MiB = 2.2x.",
        "The tightest ceiling at which none of brute's tries was killed: 3x (96 MiB).",
    ]


def test_what_a_guess_is_is_said_to_be_one() -> None:
    vague = replace(KILL, joined_by="time", exact_time=False, by_parent=None, victim_pid=None)
    story = told(replace(KILLED, kills=[vague]))
    text = next(said.text for said in story.happened if said.hue == "memory")
    assert "command 4 (matched by time)" in text
    assert "between " in text
    assert "own ceiling" not in text
    assert "at the ceiling of 32 MiB" in text


def test_a_kill_without_a_victim_is_still_told() -> None:
    bare = replace(
        KILL,
        victim_pid=None,
        victim_comm=None,
        victim_rss_bytes=None,
        victim_anon_bytes=None,
        command=None,
        exec_ordinal=None,
        joined_by=None,
        phase=None,
    )
    story = told(replace(KILLED, kills=[bare]))
    assert any(said.text.startswith("The kernel killed a process") for said in story.happened)


def test_a_trial_that_runs_has_a_story_without_a_verdict() -> None:
    running = replace(KILLED, ends=[], outcomes=[], kills=[], states=[], sandbox_ends=[], usage=[])
    story = tell(running, 1, [], [])
    assert story.verdict is None
    assert story.answer.startswith("It has not ended")
    assert "Used: not known" in printed(story)


def test_many_commands_are_counted_and_not_all_shown() -> None:
    many = [command(n, n / 10, f"step {n}") for n in range(1, 41)]
    story = told(replace(KILLED, execs=many))
    texts = [said.text for said in story.happened]
    assert "28 more commands." in texts
    assert sum(text.startswith("$ step") for text in texts) == 12


@pytest.mark.parametrize("width", [80, 140])
def test_the_picture_fits_and_shows_every_ceiling(width: int) -> None:
    text = printed(told(), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert text.splitlines()[0].startswith("diff · brute · 1x · attempt 1")
    assert "≥32" in text
    assert "barograph why bbbbbbbbbbbb" in text
    assert "processes killed by the kernel's OOM killer" in flat(text) or "OOM-killed" in flat(text)


def test_the_story_is_plain_data_too() -> None:
    plain = to_plain(report.content(told(), KILLED))
    assert isinstance(plain, dict)
    assert plain["about"] == "trial"
    assert plain["trial"] == "aaaaaaaaaaaa"
