"""Evidence says what events show, and nothing more: what they do not show is unknown."""

from dataclasses import replace

from barograph.facts import PhaseFinished, PhaseStarted, Raised, SandboxState
from store.reader import Reader
from tests.told import (
    BOX,
    DIED,
    ENDED,
    FINISHED,
    KILL,
    SANDBOX,
    SILENT_KILL,
    US,
    Told,
    command,
    started,
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
