"""What the kernel holds, read from its own files and not from what the driver says."""

import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandboxes.errors import SandboxDiedError, SandboxRefusal
from runner.sandboxes.local import default_cap_bytes
from runner.sandboxes.port import SandboxRequest
from tests import needs
from tests.conformance.sandbox_suite import hold
from tests.integration.sandboxes.boxes import MIB, local_driver

ROOT = Path(__file__).resolve().parents[3]


def value(cgroups: dict[str, str], controller: str, file: str) -> int:
    return int((Path(cgroups[controller]) / file).read_text())


def test_limits_are_in_the_kernels_files(tmp_path: Path) -> None:
    needs.need_cgroup_v1()
    driver = local_driver(tmp_path)
    box = driver.create(
        SandboxRequest(
            name="box",
            oom_scope="sandbox",
            memory_floor_bytes=32 * MIB,
            memory_ceiling_bytes=64 * MIB + 1,
            cpu_floor_cores=0.25,
            cpu_ceiling_cores=0.5,
            pids_limit=77,
        )
    )
    cgroups = dict(box.standing.cgroups)
    assert value(cgroups, "memory", "memory.limit_in_bytes") == 64 * MIB
    assert value(cgroups, "memory", "memory.soft_limit_in_bytes") == 32 * MIB
    assert value(cgroups, "cpu", "cpu.cfs_quota_us") * 2 == value(
        cgroups, "cpu", "cpu.cfs_period_us"
    )
    assert value(cgroups, "cpu", "cpu.shares") == 256
    assert value(cgroups, "pids", "pids.max") == 77
    swap = Path(cgroups["memory"]) / "memory.memsw.limit_in_bytes"
    assert not swap.exists() or int(swap.read_text()) == 64 * MIB
    created = box.created
    assert created.applied_memory_ceiling_bytes == 64 * MIB
    assert created.cgroup_path == box.standing.kernel_path
    assert created.kernel
    assert created.flags is not None
    assert {"host_files", "oom_scope_emulated", "memory_floor_best_effort"} <= set(created.flags)
    driver.close()


def test_commands_are_in_all_cgroups_and_init_weighs_nothing(tmp_path: Path) -> None:
    needs.need_cgroup_v1()
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process"))
    idle = value(dict(box.standing.cgroups), "memory", "memory.usage_in_bytes")
    assert idle < MIB
    box.exec("sleep 305 > /dev/null 2>&1 &")
    inside = box.exec("cat /proc/self/cgroup").stdout.decode()
    for name in ("memory", "cpu", "cpuacct", "pids"):
        assert f":{name}:{box.standing.kernel_path}" in inside
    driver.close()


def test_uncapped_is_held_by_the_parents_cap(tmp_path: Path) -> None:
    driver = local_driver(tmp_path, parent_cap_bytes=96 * MIB)
    box = driver.create(SandboxRequest(name="box", oom_scope="sandbox"))
    other = driver.create(SandboxRequest(name="other", oom_scope="sandbox"))
    assert box.created.applied_memory_ceiling_bytes is None
    assert box.created.parent_cap_bytes == 96 * MIB
    assert box.exec(["python3", "-c", "x = b'1' * (48 << 20)"]).exit_code == 0
    with pytest.raises(SandboxDiedError) as died:
        box.exec(hold(200), timeout_s=60)
    assert died.value.group_kill
    assert other.exec("true").exit_code == 0  # woken by the parent's trouble, but not hit by it
    driver.close()


def test_more_than_the_cap_is_refused(tmp_path: Path) -> None:
    driver = local_driver(tmp_path, parent_cap_bytes=96 * MIB)
    with pytest.raises(SandboxRefusal, match="cap"):
        driver.create(
            SandboxRequest(name="box", oom_scope="sandbox", memory_ceiling_bytes=97 * MIB)
        )
    driver.close()


def test_the_cpu_ceiling_throttles(tmp_path: Path) -> None:
    needs.need_cgroup_v1()
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process", cpu_ceiling_cores=0.2))
    box.exec("while :; do :; done", timeout_s=1)
    stat = (Path(box.standing.cgroups["cpu"]) / "cpu.stat").read_text()
    throttled = int(stat.split("nr_throttled ")[1].split()[0])
    assert throttled > 0
    driver.close()


def test_the_largest_process_goes_first_and_never_init(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    box = driver.create(
        SandboxRequest(name="box", oom_scope="process", memory_ceiling_bytes=24 * MIB)
    )
    # Each is smaller than the supervisor that init is a copy of.
    small = (
        "python3 -S -c \"x=b'1'*(3<<20); print('held',flush=True); import time; time.sleep(9)\" &"
    )
    for _ in range(3):
        result = box.exec(f"{small} {small} {small} sleep 0.5; true", timeout_s=60)
        assert result.how == "ok"
    assert box.death is None
    assert box.exec("true").exit_code == 0
    driver.close()


def test_the_default_cap_spares_the_host() -> None:
    gib = 1 << 30
    assert default_cap_bytes(24 * gib) == 24 * gib - round(2.4 * gib)
    assert default_cap_bytes(8 * gib) == 6 * gib
    assert default_cap_bytes(2 * gib) == gib


def test_whoever_is_not_root_is_told(tmp_path: Path) -> None:
    needs.need_root()
    code = (
        "import os\n"
        "from pathlib import Path\n"
        "from runner.sandboxes.registry import open_driver\n"
        "from runner.sandboxes.port import DriverContext\n"
        "from barograph.errors import BarographError\n"
        "import runner.sandboxes.local\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "try:\n"
        "    open_driver('local', DriverContext(folder_id='x', scratch=Path('a'), "
        "records=Path('b')))\n"
        "except BarographError as error:\n"
        "    print(int(error.exit_code), error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout.startswith("4 "), done.stderr
    assert "root" in done.stdout
