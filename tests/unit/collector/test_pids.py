"""The map from pids to targets: who was there, for long enough to be asked about."""

from collector.pids import REMEMBER_US, PidMap
from collector.probes.processes import Leader


class Table:
    """Processes by pid, as ``/proc`` would show them."""

    def __init__(self, **sessions: int) -> None:
        self.sessions = {int(pid[1:]): session for pid, session in sessions.items()}
        self.looks = 0

    def __call__(self, pid: int) -> Leader | None:
        self.looks += 1
        session = self.sessions.get(pid)
        return None if session is None else Leader(session=session, comm="c")


def test_a_member_is_found_and_looked_up_once() -> None:
    table = Table(p7=5)
    pids = PidMap(table)
    for now in range(10):
        pids.scan("a", [7], now_us=now)
    assert table.looks == 1
    assert pids.targets_of(7) == ["a"]
    assert pids.targets_of(8) == []


def test_who_left_is_remembered_for_a_while() -> None:
    pids = PidMap(Table(p7=5, p8=8))
    pids.scan("a", [7, 8], now_us=0)
    pids.scan("a", [8], now_us=1)
    assert pids.targets_of(7) == ["a"]
    pids.scan("a", [8], now_us=1 + REMEMBER_US)
    assert pids.targets_of(7) == ["a"]
    pids.scan("a", [8], now_us=2 + REMEMBER_US)
    assert pids.targets_of(7) == []


def test_the_session_is_as_it_is_now_else_as_it_was() -> None:
    table = Table(p7=5)
    pids = PidMap(table)
    pids.scan("a", [7], now_us=0)
    table.sessions[7] = 7  # it began a session of its own
    assert pids.session_of(7) == 7
    del table.sessions[7]  # it was reaped
    assert pids.session_of(7) == 5
    assert pids.session_of(99) is None


def test_a_fresh_look_sees_a_session_that_was_begun_meanwhile() -> None:
    table = Table(p7=5)
    pids = PidMap(table)
    pids.scan("a", [7], now_us=0)
    table.sessions[7] = 7
    pids.scan("a", [7], now_us=1, fresh=True)
    table.sessions.clear()
    assert pids.session_of(7) == 7
    pids.scan("a", [7], now_us=2, fresh=True)  # gone before the look: what was known stays
    assert pids.session_of(7) == 7


def test_a_fresh_look_at_thousands_is_not_taken() -> None:
    table = Table()
    pids = PidMap(table)
    pids.scan("a", range(1, 1001), now_us=0)
    looks = table.looks
    pids.scan("a", range(1, 1001), now_us=1, fresh=True)
    assert table.looks == looks


def test_a_pid_that_came_back_is_another_process() -> None:
    table = Table(p7=5)
    pids = PidMap(table)
    pids.scan("a", [7], now_us=0)
    pids.scan("a", [], now_us=1)
    table.sessions[7] = 6
    pids.scan("a", [7], now_us=2)
    table.sessions.clear()
    assert pids.session_of(7) == 6


def test_a_target_that_ended_is_forgotten() -> None:
    pids = PidMap(Table(p7=5))
    pids.scan("a", [7], now_us=0)
    pids.forget("a")
    pids.forget("a")
    assert pids.targets_of(7) == []
