"""Every real kill is told once, with the right victim; nothing else is told as a kill.

The cases are those in which other tools were measured to fail (a flag that cannot count,
a counter that goes with its cgroup, a notification that is no kill, a log that is
rationed). Truth is the kernel's own counter and the pids that were started.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from barograph.facts import HostSample, OomKill, Sample, SandboxDestroyed
from tests.cells import MIB, PYTHON, Cell, cell, eat, host_kills, make_cell
from tests.integration.collector.watching import Watching, until, watching
from tests.needs import need_kmsg

CEILING = 24 * MIB
TOO_MUCH = eat(200 * MIB)
ROUNDS = 4


@pytest.fixture(scope="module")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watching]:
    need_kmsg()
    with watching(tmp_path_factory.mktemp("kills") / "data") as made:
        yield made


@contextlib.contextmanager
def watched(watcher: Watching, name: str) -> Generator[Cell]:
    """A cgroup of ours from watch to finish."""
    with cell(limit_bytes=CEILING) as target:
        watcher.watch(name, target)
        yield target
        final = watcher.client.finish(name)
        assert final["oom_kill_total"] == target.kills


def check(
    watcher: Watching, name: str, target: Cell, pids: list[int], *, ordered: bool = True
) -> None:
    """The facts of a finished target are the kills that were caused, and no others."""
    victims = watcher.victims(name)
    assert victims == pids or (not ordered and sorted(map(str, victims)) == sorted(map(str, pids)))
    for fact in watcher.kills(name).values():
        assert fact.task_cgroup in {target.kernel_path, None}
        assert fact.limit_bytes == CEILING
        assert fact.constraint == "CONSTRAINT_MEMCG"
        assert fact.victim_rss_bytes is not None
        assert 0 < fact.victim_rss_bytes < 2 * CEILING
        assert fact.killed_t_us is not None
        assert abs(fact.killed_t_us / 1e6 - time.time()) < 900
        assert fact.counter_before < fact.ordinal <= fact.counter_after
        if fact.read_before_t_us is not None and fact.read_after_t_us is not None:
            assert fact.read_before_t_us <= fact.killed_t_us <= fact.read_after_t_us
    [end] = watcher.payloads(SandboxDestroyed, name)
    assert end.oom_kill_total == len(pids)
    deltas = [sample.oom_kill_delta for sample in watcher.payloads(Sample, name)]
    assert sum(delta or 0 for delta in deltas) == len(pids)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_the_last_process_is_killed(watcher: Watching, number: int) -> None:
    name = f"last-{number}"
    with watched(watcher, name) as target:
        pid, code = target.run(TOO_MUCH)
        assert code == -signal.SIGKILL
    check(watcher, name, target, [pid])
    [fact] = watcher.kills(name).values()
    assert fact.victim_session_pid == pid


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_child_is_killed_and_its_parent_ends_well(watcher: Watching, number: int) -> None:
    name = f"child-{number}"
    with watched(watcher, name) as target:
        script = (
            "import os, sys\n"
            "pid = os.fork()\n"
            f"if not pid: b = b'x' * {200 * MIB}\n"
            "os.waitpid(pid, 0)\n"
            "open(sys.argv[1], 'w').write(str(pid))"
        )
        told = Path(f"/tmp/{os.getpid()}-{name}")
        leader, code = target.run([*PYTHON, script, str(told)])
        assert code == 0
        pid = int(told.read_text())
        told.unlink()
    check(watcher, name, target, [pid])
    [fact] = watcher.kills(name).values()
    assert fact.victim_session_pid == leader


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_command_beside_the_main_process_is_killed(watcher: Watching, number: int) -> None:
    name = f"beside-{number}"
    with watched(watcher, name) as target:
        main = target.start(["sleep", "60"])
        pid, code = target.run(TOO_MUCH)
        assert code == -signal.SIGKILL
        assert main.poll() is None
        main.kill()
        main.wait()
    check(watcher, name, target, [pid])


@pytest.mark.parametrize("number", range(ROUNDS))
def test_two_are_killed_within_a_second(watcher: Watching, number: int) -> None:
    name = f"two-{number}"
    with watched(watcher, name) as target:
        pids = [target.run(TOO_MUCH)[0] for _ in range(2)]
    check(watcher, name, target, pids)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_process_is_killed_as_soon_as_it_begins(watcher: Watching, number: int) -> None:
    name = f"start-{number}"
    with cell(limit_bytes=CEILING) as target:
        process = target.start(TOO_MUCH)  # before anybody watches
        watcher.watch(name, target)
        process.wait()
        watcher.client.finish(name)
        check(watcher, name, target, [process.pid])


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_kill_in_the_last_instant_before_a_foreign_cgroup_goes(
    watcher: Watching, number: int
) -> None:
    name = f"instant-{number}"
    target = make_cell()
    try:
        target.limit(CEILING)
        watcher.watch(name, target, ours=False)
        pid, code = target.run(TOO_MUCH)
        assert code == -signal.SIGKILL
    finally:
        target.remove()
    until(lambda: bool(watcher.payloads(SandboxDestroyed, name)), "the target did not end")
    [fact] = watcher.kills(name).values()
    assert (fact.ordinal, fact.victim_pid) == (1, pid)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_signal_is_no_kill_of_the_kernel(watcher: Watching, number: int) -> None:
    name = f"signal-{number}"
    with watched(watcher, name) as target:
        process = target.start(eat(5 * MIB, hold_s=60))
        time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    check(watcher, name, target, [])


def test_memory_that_is_reclaimed_at_the_ceiling_is_no_kill(watcher: Watching) -> None:
    name = "reclaimed"
    # A place on a disk: what lies in a tmpfs cannot be reclaimed.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place, watched(watcher, name) as target:
        write = f"open({place!r} + '/%d' % i, 'wb').write(b'x' * {MIB})"
        assert target.run([*PYTHON, f"for i in range(60): {write}"])[1] == 0
    check(watcher, name, target, [])
    [end] = watcher.payloads(SandboxDestroyed, name)
    assert end.limit_hits_total is not None
    assert end.limit_hits_total > 0


def test_thirty_kills_in_a_burst_that_the_kernel_log_rations(
    watcher: Watching, tmp_path: Path
) -> None:
    """Three targets, ten kills each: their lines are mixed, and most name no cgroup."""
    names = [f"burst-{number}" for number in range(3)]
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    wait_and_grow = ["sh", "-c", 'read x < "$0"; exec tail /dev/zero', str(gate)]
    pids: dict[str, list[int]] = {}
    with contextlib.ExitStack() as stack:
        targets = {name: stack.enter_context(watched(watcher, name)) for name in names}
        started = {name: [targets[name].start(wait_and_grow) for _ in range(10)] for name in names}
        time.sleep(1.0)
        stack.enter_context(gate.open("rb+", buffering=0)).write(b"go\n" * 30)
        for name, processes in started.items():
            assert [process.wait() for process in processes] == [-signal.SIGKILL] * 10
            pids[name] = [process.pid for process in processes]
    for name in names:
        check(watcher, name, targets[name], pids[name], ordered=False)
    found_by = [fact.victim_from for name in names for fact in watcher.kills(name).values()]
    assert "kernel_log_and_pid_map" in found_by, "nothing was rationed: the test shows nothing"


def test_a_kill_by_a_parents_ceiling_is_the_childs(watcher: Watching) -> None:
    with cell(limit_bytes=2 * CEILING) as parent:
        target = make_cell(parent=parent)
        try:
            watcher.watch("capped", target)
            pid, code = target.run(TOO_MUCH)
            assert code == -signal.SIGKILL
            watcher.client.finish("capped")
        finally:
            target.remove()
    [fact] = watcher.kills("capped").values()
    assert (fact.victim_pid, fact.limit_bytes) == (pid, None)
    if fact.victim_from == "kernel_log":
        assert fact.oom_cgroup == parent.kernel_path
        assert fact.task_cgroup == target.kernel_path


def test_a_kill_in_a_cgroup_that_nobody_watches_is_the_hosts(watcher: Watching) -> None:
    time.sleep(5.0)  # the kernel's ration of full reports is ten in five seconds
    with cell(limit_bytes=CEILING) as elsewhere:
        pid, _ = elsewhere.run(TOO_MUCH)
    until(
        lambda: pid in [fact.victim_pid for fact in watcher.foreign_kills()],
        "the kill was never told",
    )
    [fact] = [fact for fact in watcher.foreign_kills() if fact.victim_pid == pid]
    assert fact.task_cgroup == elsewhere.kernel_path


def test_the_audit_adds_up(tmp_path: Path) -> None:
    """The host's own count of kills grows by as many as were told, of whatever cgroup."""
    with watching(tmp_path / "data") as watcher:
        before = host_kills()
        with watched(watcher, "a") as target:
            for _ in range(3):
                target.run(TOO_MUCH)
        with cell(limit_bytes=CEILING) as elsewhere:
            elsewhere.run(TOO_MUCH)
        time.sleep(1.1)  # one more tick
    told = len(watcher.kills("a")) + len(watcher.foreign_kills())
    totals = [sample.oom_kill_total for sample in watcher.payloads(HostSample)]
    assert totals[-1] is not None
    # Others may use this machine too; their kills are told and counted like ours.
    assert told == totals[-1] - before >= 4
    watcher.check_sequences()


def test_no_kill_was_told_that_did_not_happen(watcher: Watching) -> None:
    """Run last: over all cases, each (target, ordinal) has one victim and each victim one."""
    facts: dict[tuple[str | None, int], set[int]] = {}
    for event in watcher.events():
        if isinstance(event.payload, OomKill) and event.payload.victim_pid is not None:
            key = event.belongs.target, event.payload.ordinal
            facts.setdefault(key, set()).add(event.payload.victim_pid)
    assert all(len(victims) == 1 for victims in facts.values())
    everybody = [pid for victims in facts.values() for pid in victims]
    everybody += [fact.victim_pid for fact in watcher.foreign_kills() if fact.victim_pid]
    assert len(everybody) == len(set(everybody))
    watcher.check_sequences()


def test_descendants_that_share_no_session_are_told_apart(watcher: Watching) -> None:
    name = "sessions"
    with watched(watcher, name) as target:
        script = f"import os\nos.setsid() if os.fork() == 0 else os.wait()\nb = b'x' * {200 * MIB}"
        process = target.start([*PYTHON, script])
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
    sessions = {fact.victim_session_pid for fact in watcher.kills(name).values()}
    assert len(watcher.kills(name)) == 2
    assert process.pid in sessions
    assert len(sessions) == 2
