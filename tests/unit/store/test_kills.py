"""A kill has its victim, its moment, its command and its phase, as far as anybody saw them."""

from dataclasses import replace

from barograph.facts import PhaseStarted
from store.reader import Reader
from tests.told import ENDED, KILL, SANDBOX, SILENT_KILL, US, Told, command, started


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


def test_a_counter_that_saw_more_kills_than_were_told_of_is_seen() -> None:
    told = Told().say(started()).say(SANDBOX).say(KILL).say(replace(ENDED, oom_kill_total=2))
    (total,) = Reader(told.store()).kill_totals()
    assert (total.trial, total.try_no, total.counted, total.told) == ("t1", 1, 2, 1)
