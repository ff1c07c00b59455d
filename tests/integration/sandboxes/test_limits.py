"""What the kernel holds, read from its own files and not from what the driver says."""

import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandboxes.errors import SandboxDiedError, SandboxRefusal
from runner.sandboxes.local import default_cap_bytes
from runner.sandboxes.local_sandbox import LocalSandbox
from runner.sandboxes.port import SandboxRequest
from tests import needs
from tests.conformance.sandbox_suite import hold
from tests.integration.sandboxes.boxes import MIB, local_driver

ROOT = Path(__file__).resolve().parents[3]


def files(box: LocalSandbox, *names: str) -> list[str]:
    """Contents of files of the sandbox's cgroups, whichever hierarchy has them."""
    folders = [Path(path) for path in box.standing.cgroups.values()]
    found = [next(path for path in folders if (path / name).exists()) / name for name in names]
    return [file.read_text().strip() for file in found]


def test_limits_are_in_the_kernels_files(tmp_path: Path) -> None:
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
    created = box.created
    assert created.applied_memory_ceiling_bytes == 64 * MIB
    assert created.cgroup_path == box.standing.kernel_path
    assert created.flags is not None
    assert {"host_files", "storage_not_enforced"} <= set(created.flags)
    if box.standing.cgroup_version == 1:
        memory = files(box, "memory.limit_in_bytes", "memory.soft_limit_in_bytes")
        assert memory == [str(64 * MIB), str(32 * MIB)]
        cpu = files(box, "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares", "pids.max")
        assert cpu == ["50000", "100000", "256", "77"]
        assert {"oom_scope_emulated", "memory_floor_best_effort"} <= set(created.flags)
        assert created.oom_scope_enforced_by == "supervisor"
    else:
        memory = files(box, "memory.max", "memory.min", "memory.high", "memory.oom.group")
        assert memory == [str(64 * MIB), str(32 * MIB), "max", "1"]
        assert files(box, "cpu.max", "cpu.weight", "pids.max") == ["50000 100000", "25", "77"]
        parent = Path(box.standing.cgroups["unified"]).parent
        assert (parent / "memory.min").read_text() == f"{32 * MIB}\n"
        assert created.oom_scope_enforced_by == "kernel"
        box.destroy()
        assert (parent / "memory.min").read_text() == "0\n"
    driver.close()


def test_swap_is_closed(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    box = driver.create(
        SandboxRequest(name="box", oom_scope="process", memory_ceiling_bytes=64 * MIB)
    )
    held = {"memory.memsw.limit_in_bytes": str(64 * MIB), "memory.swap.max": "0"}
    for path in box.standing.cgroups.values():
        for name, value in held.items():
            if (Path(path) / name).exists():
                assert files(box, name) == [value]
    driver.close()


def test_commands_are_in_all_cgroups_and_init_weighs_nothing(tmp_path: Path) -> None:
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process"))
    version = box.standing.cgroup_version
    (idle,) = files(box, "memory.usage_in_bytes" if version == 1 else "memory.current")
    assert int(idle) < MIB
    inside = box.exec("cat /proc/self/cgroup").stdout.decode()
    for name in ("memory", "cpu", "cpuacct", "pids") if version == 1 else ("",):
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
    driver = local_driver(tmp_path)
    box = driver.create(SandboxRequest(name="box", oom_scope="process", cpu_ceiling_cores=0.2))
    box.exec("while :; do :; done", timeout_s=1)
    cgroups = box.standing.cgroups
    stat = (Path(cgroups.get("cpu", cgroups.get("unified", ""))) / "cpu.stat").read_text()
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
