"""Evidence says what events show, and nothing more: what they do not show is unknown."""

from dataclasses import replace

from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import (
    ExecFinished,
    OomKill,
    Payload,
    Phase,
    PhaseFinished,
    PhaseStarted,
    Raised,
    SandboxCreated,
    SandboxDestroyed,
    SandboxState,
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


def test_a_passed_try_is_known_to_be_one() -> None:
    told = Told().say(started()).say(SANDBOX).say(replace(ENDED, oom_kill_total=0))
    evidence = told.say(replace(FINISHED, rewards={"reward": 1.0}, verifier_ran=True)).evidence()
    assert evidence.passed is True
    assert (evidence.oom_kill, evidence.oom_phase, evidence.pid1_exit) == (0, None, None)
    assert evidence.node_oom_kill_of_ours is False
    assert evidence.container_started is True
    assert evidence.oom_group_kill is None


def test_a_declared_key_decides_and_its_absence_is_unknown() -> None:
    told = Told().say(started()).say(replace(FINISHED, rewards={"a.b": 0.5}, reward_key="a.b"))
    (row,) = told.tries()
    assert (row.reward, row.evidence.passed) == (0.5, False)
    told = Told().say(started()).say(replace(FINISHED, rewards={"other": 1.0}))
    assert told.evidence().passed is None


def test_nothing_told_is_nothing_known() -> None:
    evidence = Told().say(started()).say(FINISHED).evidence()
    assert evidence.known() == {
        "timed_out": False,
        "killed_by_harness_timeout": False,
        "cancelled_by_operator": False,
    }


def test_an_emulated_group_kill_is_a_group_kill() -> None:
    told = Told().say(started()).say(SANDBOX).say(PhaseStarted(phase="agent")).say(KILL)
    told.say(SandboxState(state="group_killed", reason="oom_scope_sandbox_emulated"))
    told.say(replace(ENDED, oom_kill_total=3))
    evidence = told.say(replace(DIED, sandbox_exit=137, verifier_ran=False)).evidence()
    assert (evidence.oom_group_kill, evidence.oom_kill, evidence.pid1_exit) == (1, 3, 137)
    assert evidence.oom_phase == "agent"
    assert evidence.harness_exception is None


def test_the_kernels_own_group_kill_is_counted_by_its_counter() -> None:
    told = Told().say(started()).say(SANDBOX)
    told.say(replace(ENDED, oom_kill_total=9, oom_group_kill_total=1))
    assert told.say(DIED).evidence().oom_group_kill == 1


def test_a_kill_of_the_verifier_is_told_apart() -> None:
    told = Told().say(started()).say(replace(SANDBOX, oom_scope="process"))
    told.say(PhaseStarted(phase="agent")).say(KILL)
    told.say(PhaseStarted(phase="verifier")).say(replace(KILL, ordinal=2))
    evidence = told.say(replace(FINISHED, verifier_ran=True, rewards={"reward": 0.0})).evidence()
    assert (evidence.oom_phase, evidence.oom_kill) == ("verifier", 2)


def test_a_kill_by_a_parents_ceiling_is_the_nodes() -> None:
    for kill in (
        replace(KILL, oom_cgroup="/barograph/x"),
        replace(KILL, oom_cgroup="/"),
        replace(SILENT_KILL, constraint="CONSTRAINT_NONE"),
    ):
        told = Told().say(started()).say(SANDBOX).say(kill)
        evidence = told.say(replace(ENDED, oom_kill_total=1)).say(DIED).evidence()
        assert evidence.node_oom_kill_of_ours is True
        assert evidence.oom_kill == 0


def test_a_kill_below_the_sandbox_is_its_own() -> None:
    told = Told().say(started()).say(SANDBOX).say(replace(KILL, oom_cgroup=BOX + "/inner"))
    evidence = told.say(replace(ENDED, oom_kill_total=1)).say(FINISHED).evidence()
    assert (evidence.node_oom_kill_of_ours, evidence.oom_kill) == (False, 1)


def test_a_kill_that_nobody_described_could_be_anybodys() -> None:
    told = Told().say(started()).say(SANDBOX).say(replace(ENDED, oom_kill_total=2))
    evidence = told.say(SILENT_KILL).say(FINISHED).evidence()
    assert (evidence.oom_kill, evidence.node_oom_kill_of_ours) == (2, None)


def test_an_agent_that_ran_out_of_time_did_but_a_verifier_that_did_is_an_exception() -> None:
    told = Told().say(started())
    evidence = told.say(replace(FINISHED, timed_out_phase="agent", verifier_ran=True)).evidence()
    assert (evidence.timed_out, evidence.killed_by_harness_timeout) == (True, True)
    assert evidence.verifier_exception is None
    evidence = Told().say(started()).say(replace(FINISHED, timed_out_phase="verifier")).evidence()
    assert (evidence.timed_out, evidence.verifier_exception) == (False, "VerifierTimeoutError")


def test_the_verifiers_own_words_go_first() -> None:
    error = replace(FINISHED, verifier_error="RewardFileNotFoundError", verifier_ran=True)
    evidence = Told().say(started()).say(error).evidence()
    assert evidence.verifier_exception == "RewardFileNotFoundError"


def test_a_failure_of_ours_is_the_harness_and_one_before_the_sandbox_is_its_start() -> None:
    raised = [Raised(type="SandboxFailedError", message="no cgroup", phase="environment")]
    evidence = (
        Told().say(started()).say(replace(FINISHED, how="error", exceptions=raised)).evidence()
    )
    assert (evidence.container_started, evidence.start_error) == (False, "no cgroup")
    assert evidence.harness_exception is None
    told = Told().say(started()).say(SANDBOX)
    evidence = told.say(replace(FINISHED, how="error", exceptions=raised)).evidence()
    assert (evidence.container_started, evidence.start_error) == (True, None)
    assert evidence.harness_exception == "SandboxFailedError"


def test_pressure_is_a_share_of_what_could_have_been() -> None:
    told = Told().say(started()).say(SANDBOX).say(PhaseStarted(phase="agent"))
    told.say(command(1, 3 * US, 1.5))
    told.say(PhaseFinished(phase="agent", how="ok", duration_s=3.0))
    told.say(replace(ENDED, cpu_periods=40, cpu_throttled_periods=10, psi_memory_full_us=2 * US))
    evidence = told.say(FINISHED).evidence()
    assert evidence.throttled_frac == 0.25
    assert evidence.psi_mem_full_frac == 0.5
    assert evidence.tool_wall_frac == 0.5


def test_the_collectors_final_counters_go_before_the_runners() -> None:
    told = Told().say(started()).say(SANDBOX)
    told.say(replace(ENDED, read_by="collector", oom_kill_total=2, peak_bytes=7))
    told.say(replace(ENDED, read_by="runner", oom_kill_total=9, peak_bytes=9))
    (row,) = told.say(FINISHED).tries()
    assert (row.evidence.oom_kill, row.peak_bytes) == (2, 7)


def test_a_cancelled_try_does_not_stand_and_the_first_that_stands_is_the_outcome() -> None:
    told = Told()
    told.say(started()).say(replace(FINISHED, how="cancelled"))
    told.say(started(), try_no=2).say(replace(FINISHED, rewards={"reward": 0.0}), try_no=2)
    told.say(started(), try_no=3).say(replace(FINISHED, rewards={"reward": 1.0}), try_no=3)
    told.say(started(), try_no=4)
    rows = told.tries()
    assert [(row.try_no, row.stands, row.outcome) for row in rows] == [
        (1, False, False),
        (2, True, True),
        (3, True, False),
    ]
    assert rows[0].evidence.cancelled_by_operator is True
    reader = Reader(told.store())
    assert [row.try_no for row in reader.tries()] == [2]
    trial = reader.trial("t1")
    assert (trial.tries, trial.standing_try, trial.latest_try) == (4, 2, 4)
    assert (trial.reward, trial.latest_how) == (0.0, None)
    assert [row.try_no for row in reader.running()] == [4]


def test_an_end_told_by_its_own_runner_goes_before_one_told_for_a_dead_one() -> None:
    told = Told().say(started()).say(replace(FINISHED, how="cancelled"), source="r2")
    (row,) = told.say(replace(FINISHED, rewards={"reward": 1.0})).tries()
    assert (row.how, row.outcome) == ("completed", True)


def test_a_kill_is_joined_to_the_command_of_its_session() -> None:
    told = Told().say(started()).say(SANDBOX).say(PhaseStarted(phase="agent"))
    told.say(command(1, 3 * US, 9.0, pid=100))
    told.say(command(2, 4 * US, 9.0, pid=200))
    told.say(
        replace(KILL, victim_pid=105, victim_session_pid=100, killed_t_us=5 * US, victim_comm="py")
    )
    (one,) = told.kills()
    assert (one.command, one.phase, one.joined_by) == ("command 1", "agent", "session")
    assert (one.t_us, one.exact_time, one.by_parent) == (5 * US, True, False)


def test_a_pid_that_came_again_means_the_latest_command_before_the_kill() -> None:
    told = Told().say(started())
    told.say(command(1, 1 * US, 0.5, pid=100))
    told.say(command(2, 2 * US, 0.5, pid=100, phase="verifier"))
    told.say(command(3, 9 * US, 0.5, pid=100, phase="verifier"))
    told.say(replace(KILL, victim_session_pid=100, killed_t_us=3 * US))
    (one,) = told.kills()
    assert (one.exec_ordinal, one.phase) == (2, "verifier")


def test_without_a_session_the_command_of_that_moment_is_a_guess_and_said_to_be() -> None:
    told = Told().say(started()).say(command(1, 1 * US, 1.0, pid=100))
    told.say(command(2, 3 * US, 1.0, pid=200)).say(replace(KILL, read_after_t_us=3_500_000))
    (one,) = told.kills()
    assert (one.exec_ordinal, one.joined_by, one.exact_time) == (2, "time", False)


def test_a_kill_between_commands_still_has_its_phase() -> None:
    told = Told().say(PhaseStarted(phase="setup")).say(started()).say(PhaseStarted(phase="agent"))
    (one,) = told.say(replace(KILL, killed_t_us=7 * US)).kills()
    assert (one.command, one.joined_by, one.phase) == (None, None, "agent")


def test_of_several_reports_of_one_kill_the_best_described_counts() -> None:
    told = Told().say(started()).say(SILENT_KILL)
    told.say(replace(KILL, victim_pid=7, victim_comm="python3", victim_rss_bytes=5), source="r2")
    told.say(replace(KILL, victim_pid=8), source="r3").say(replace(KILL, ordinal=2, victim_pid=9))
    assert [(one.ordinal, one.victim_pid) for one in told.kills()] == [(1, 7), (2, 9)]
