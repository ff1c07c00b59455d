"""What a supervisor keeps, and what it does not pile up."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from barograph.facts import SandboxState
from runner.sandboxes.cgroups import kill_path
from runner.sandboxes.errors import SandboxFailedError
from runner.sandboxes.local import LocalDriver
from runner.sandboxes.local_sandbox import LocalSandbox
from runner.sandboxes.port import SandboxRequest
from tests.conformance.sandbox_suite import running
from tests.integration.sandboxes.boxes import (
    MIB,
    assert_nothing_left,
    context_in,
    local_driver,
    processes_left,
)
from tests.integration.sandboxes.test_leaving_nothing import runner, supervisors, wait_for


@pytest.fixture
def box(tmp_path: Path) -> Iterator[LocalSandbox]:
    driver = local_driver(tmp_path)
    yield driver.create(SandboxRequest(name="box", oom_scope="process"))
    driver.close()


def status(pid: int, field: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1])


def test_a_flood_fills_neither_memory_nor_disk(box: LocalSandbox, tmp_path: Path) -> None:
    before_kib = status(box.link.pid, "VmRSS")
    result = box.exec("yes", timeout_s=1.5)
    assert result.how == "timeout"
    assert result.stdout_bytes > 16 * MIB
    assert len(result.stdout) < 1.1 * MIB
    assert status(box.link.pid, "VmHWM") - before_kib < 16 * 1024
    scratch = context_in(tmp_path).scratch
    assert sum(file.lstat().st_size for file in scratch.rglob("*") if file.is_file()) < MIB


def test_a_background_flood_costs_the_host_little(box: LocalSandbox) -> None:
    box.exec("yes & yes &")
    ticks = _cpu_ticks(box.link.pid)
    time.sleep(1)
    assert _cpu_ticks(box.link.pid) - ticks < 0.2 * os.sysconf("SC_CLK_TCK")
    assert running(box, "yes") == 2


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_cgroups_and_descriptors_of_commands_do_not_pile_up(box: LocalSandbox) -> None:
    box.exec("true")
    descriptors = len(_descriptors(box))
    for _ in range(12):
        box.exec("sleep 0.01 & echo x")

    def settled() -> bool:
        box.exec("true")
        left = [path for path in Path(kill_path(box.standing)).iterdir() if path.is_dir()]
        return len(left) <= 1 and len(_descriptors(box)) <= descriptors

    wait_for(settled)


def _descriptors(box: LocalSandbox) -> list[Path]:
    return list(Path(f"/proc/{box.link.pid}/fd").iterdir())


def test_orphans_are_reaped(box: LocalSandbox) -> None:
    box.exec("for n in 1 2 3 4; do (sleep 0.05 &); done; setsid sleep 0.05 &")
    time.sleep(0.3)
    states = box.exec("cat /proc/[0-9]*/stat | cut -d')' -f2").stdout.split(b"\n")
    assert not [state for state in states if state.strip().startswith(b"Z")]


def test_a_sandbox_whose_init_ends_has_died(box: LocalSandbox) -> None:
    pids = [int(pid) for pid in Path(kill_path(box.standing), "cgroup.procs").read_text().split()]
    assert len(pids) == 1
    os.kill(pids[0], signal.SIGKILL)  # as the host's own OOM killer might
    wait_for(lambda: box.death is not None)
    assert box.death is not None
    assert (box.death.state, box.death.exit_code) == ("died", 137)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_waits_hears_of_a_death_that_nobody_else_could_hear_of(tmp_path: Path) -> None:
    def hear(state: SandboxState) -> None:
        assert state.state != "died", "a bug of whoever listens"

    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process"), hear)
    init = int(Path(kill_path(box.standing), "cgroup.procs").read_text())
    with ThreadPoolExecutor(1) as hands:
        waiting = hands.submit(box.exec, "sleep 300")
        wait_for(lambda: running(box, "sleep 300") == 1)
        os.kill(init, signal.SIGKILL)
        with pytest.raises(SandboxFailedError, match="supervisor"):
            waiting.result(30)
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_a_supervisor_that_takes_no_messages_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.sandboxes.link._TAKEN_WITHIN_S", 1)
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process"))
    os.kill(box.link.pid, signal.SIGSTOP)
    with pytest.raises(SandboxFailedError, match="takes no messages"):
        box.exec("true " + "x" * MIB)
    driver.close()
    assert_nothing_left(context_in(tmp_path), tmp_path)


def test_a_supervisor_that_hangs_is_ended_by_the_next_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_driver(tmp_path)
    context = context_in(tmp_path)
    with runner(tmp_path, count=1) as process:
        (supervisor,) = supervisors(process, 1)
        os.kill(supervisor, signal.SIGSTOP)
        process.kill()
    monkeypatch.setattr("runner.sandboxes.leftovers._PATIENCE_S", 0.3)
    driver = LocalDriver(context)
    assert [standing.name for standing in driver.clean_left_overs()] == ["t0-1"]
    driver.close()
    wait_for(lambda: not processes_left(context))
    assert_nothing_left(context, tmp_path)
