"""What ceilings do, what is refused, and how sandboxes stand beside each other."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from barograph.errors import InputError
from runner.sandboxes.errors import SandboxDiedError
from runner.sandboxes.port import Driver, SandboxRequest, Standing
from tests.conformance.sandbox_suite import (
    HOLD,
    MIB,
    ONCE_ASLEEP,
    Create,
    SandboxSuite,
    hold,
    running,
)

if TYPE_CHECKING:
    from barograph.facts import SandboxState


class CeilingSuite(SandboxSuite):
    """What a memory ceiling does under each OOM scope."""

    def test_scope_process_kills_the_victim_alone(self, create: Create) -> None:
        box = create(oom_scope="process", memory_ceiling_bytes=48 * MIB)
        box.exec(f"sleep 302 > /dev/null 2>&1 & {ONCE_ASLEEP}")
        victim = box.exec(hold(100), timeout_s=60)
        assert (victim.how, victim.exit_code, victim.signal) == ("ok", None, 9)
        assert running(box, "sleep 302") == 1
        assert box.death is None

    def test_scope_sandbox_kills_everything(self, driver: Driver, tmp_path: Path) -> None:
        states: list[SandboxState] = []
        request = SandboxRequest(
            name="box", oom_scope="sandbox", memory_ceiling_bytes=48 * MIB, environment={}
        )
        box = driver.create(request, states.append)
        box.exec("sleep 303 > /dev/null 2>&1 & echo kept > /app/note")
        with pytest.raises(SandboxDiedError) as caught:
            box.exec(f'echo alive; python3 -c "{HOLD}" 100; echo never', timeout_s=60)
        died = caught.value
        assert (died.group_kill, died.init_exit) == (True, 137)
        assert died.result is not None
        assert (died.result.how, died.result.signal) == ("sandbox_died", None)
        assert died.result.stdout.startswith(b"alive\n")
        assert box.death is not None
        assert box.death.state == "group_killed"
        with pytest.raises(SandboxDiedError):
            box.exec("true")
        with pytest.raises(SandboxDiedError):
            box.upload(tmp_path, "/tests")
        assert box.download("/app/note", tmp_path / "note")
        assert (tmp_path / "note").read_text() == "kept\n"
        box.destroy()
        assert [state.state for state in states] == ["running", "group_killed", "stopped"]

    def test_below_the_ceiling_nothing_dies(self, create: Create) -> None:
        box = create(oom_scope="sandbox", memory_ceiling_bytes=64 * MIB)
        result = box.exec(["python3", "-c", "x = b'1' * (32 << 20)"], timeout_s=60)
        assert result.exit_code == 0

    def test_what_was_applied_is_told(self, driver: Driver) -> None:
        request = SandboxRequest(
            name="box",
            oom_scope="sandbox",
            memory_floor_bytes=16 * MIB + 1,
            memory_ceiling_bytes=64 * MIB + 1,
            cpu_floor_cores=0.5,
            cpu_ceiling_cores=1.5,
            pids_limit=99,
        )
        created = driver.create(request).created
        assert (created.asked_memory_ceiling_bytes, created.asked_memory_floor_bytes) == (
            64 * MIB + 1,
            16 * MIB + 1,
        )
        page = os.sysconf("SC_PAGE_SIZE")
        for applied in (created.applied_memory_ceiling_bytes, created.applied_memory_floor_bytes):
            assert applied is not None
            assert applied % page == 0  # rounded by the kernel, so read back and not copied
        assert created.applied_cpu_ceiling_cores == pytest.approx(1.5)
        assert created.applied_cpu_floor_cores == pytest.approx(0.5)
        assert created.pids_limit == 99
        assert created.driver == driver.name

    def test_a_fork_bomb_meets_the_pids_limit(self, create: Create) -> None:
        box = create(pids_limit=64)
        result = box.exec("bomb() { bomb | bomb & }; bomb; sleep 1; ls", timeout_s=20)
        assert b"fork" in result.stderr
        assert box.exec("true", timeout_s=20).how == "ok"


class RequestSuite(SandboxSuite):
    """What is refused, and how sandboxes stand beside each other."""

    @pytest.mark.parametrize(
        "name", ["", "a/b", "..", "-a", "tasks", "ü", "a b", "a.b", "x" * 65, "a\n", "a\0b"]
    )
    def test_odd_names_are_refused(self, create: Create, name: str) -> None:
        with pytest.raises(InputError):
            create(name)

    @pytest.mark.parametrize(
        "asked",
        [
            {"memory_floor_bytes": 65 * MIB, "memory_ceiling_bytes": 64 * MIB},
            {"memory_ceiling_bytes": 0},
            {"memory_ceiling_bytes": -1},
            {"cpu_floor_cores": 2.0, "cpu_ceiling_cores": 1.0},
            {"cpu_ceiling_cores": 0.0},
            {"pids_limit": 0},
            {"workdir": "app"},
            {"workdir": "/"},
            {"workdir": "/app/../etc"},
            {"workdir": "/usr/src"},
            {"environment": {"A=B": "c"}},
            {"environment": {"A": "\0"}},
        ],
        ids=str,
    )
    def test_contradictions_are_refused(self, create: Create, asked: dict[str, object]) -> None:
        with pytest.raises(InputError):
            create(**asked)

    def test_a_name_stands_once(self, create: Create) -> None:
        first = create("box")
        with pytest.raises(InputError):
            create("box")
        assert first.exec("true").exit_code == 0
        first.destroy()
        assert create("box").exec("true").exit_code == 0

    def test_sandboxes_do_not_see_each_other(self, create: Create) -> None:
        one, two = create("one"), create("two")
        one.exec(f"echo secret > /tmp/mine; sleep 304 > /dev/null 2>&1 & {ONCE_ASLEEP}")
        assert two.exec("cat /tmp/mine").exit_code != 0
        assert running(two, "sleep 304") == 0

    def test_no_network_is_none(self, create: Create) -> None:
        box = create(network="no-network")
        devices = box.exec("tail -n +3 /proc/net/dev").stdout.decode().split(":")
        assert devices[0].strip() == "lo"
        assert len(devices) == 2

    def test_counters_can_be_read_before_removal(self, create: Create) -> None:
        box = create()
        seen: list[Standing] = []
        box.destroy(seen.append)
        assert seen == [box.standing]

    def test_a_failing_reader_does_not_stop_removal(self, create: Create) -> None:
        def fail(standing: Standing) -> None:
            raise RuntimeError(standing.name)

        box = create("box")
        with pytest.raises(RuntimeError, match="box"):
            box.destroy(fail)
        create("box").destroy()

    def test_sixteen_at_once(self, create: Create) -> None:
        def live(number: int) -> bytes:
            box = create(f"box-{number}", memory_ceiling_bytes=64 * MIB)
            try:
                return box.exec(f"sleep 0.2; echo {number}", timeout_s=60).stdout
            finally:
                box.destroy()

        with ThreadPoolExecutor(16) as pool:
            said = list(pool.map(live, range(32)))
        assert said == [f"{number}\n".encode() for number in range(32)]
