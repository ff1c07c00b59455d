"""Where cgroups are mounted, in the forms that machines have."""

from pathlib import Path

import pytest

from collector.errors import ProbeRefusal, TargetGone
from collector.probes.hierarchies import kernel_path, memory_version, mounts, resolve

HYBRID = r"""
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/my\040unified rw,relatime - cgroup2 cgroup2 rw
"""
UNIFIED = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"


def test_a_hybrid_machine_has_its_memory_in_version_1() -> None:
    found = mounts(HYBRID)
    assert found == {
        "cpu": "/sys/fs/cgroup/cpu,cpuacct",
        "cpuacct": "/sys/fs/cgroup/cpu,cpuacct",
        "memory": "/sys/fs/cgroup/memory",
        "pids": "/sys/fs/cgroup/pids",
        "unified": "/sys/fs/cgroup/my unified",
    }
    assert memory_version(found) == 1


def test_a_unified_machine_has_one_mount() -> None:
    assert mounts(UNIFIED) == {"unified": "/sys/fs/cgroup"}
    assert memory_version(mounts(UNIFIED)) == 2


def test_a_machine_without_cgroups_has_none() -> None:
    assert mounts("1 2 3\nnonsense - x\n\n") == {}
    assert memory_version({}) is None
    with pytest.raises(ProbeRefusal):
        resolve("/x", {})


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("/sys/fs/cgroup/memory/a/b", "/a/b"),
        ("/sys/fs/cgroup/memory", "/"),
        ("/elsewhere/a", None),
    ],
)
def test_the_kernel_names_a_cgroup_from_its_root(folder: str, path: str | None) -> None:
    assert kernel_path({"memory": folder}, mounts(HYBRID)) == path


def test_without_a_mount_or_a_folder_there_is_no_name() -> None:
    assert kernel_path({"memory": "/x"}, {}) is None
    assert kernel_path({}, mounts(UNIFIED)) is None
    assert kernel_path({"unified": "/sys/fs/cgroup/a"}, mounts(UNIFIED)) == "/a"


@pytest.mark.parametrize("spelling", ["folder", "other folder", "kernel path"])
def test_any_spelling_of_a_cgroup_finds_all_its_folders(tmp_path: Path, spelling: str) -> None:
    found = {name: str(tmp_path / name) for name in ("memory", "pids", "unified", "cpu")}
    for name in ("memory", "pids", "unified"):
        (tmp_path / name / "docker" / "abc").mkdir(parents=True)
    given = {
        "folder": f"{found['memory']}/docker/abc",
        "other folder": f"{found['pids']}/docker/abc/",
        "kernel path": "/docker/abc",
    }[spelling]
    assert resolve(given, found) == {
        name: f"{found[name]}/docker/abc" for name in ("memory", "pids", "unified")
    }


def test_a_cgroup_without_memory_is_not_watched(tmp_path: Path) -> None:
    found = {name: str(tmp_path / name) for name in ("memory", "pids")}
    (tmp_path / "pids" / "x").mkdir(parents=True)
    with pytest.raises(TargetGone, match="no such cgroup"):
        resolve("/x", found)


def test_version_2_has_one_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert resolve("/x", {"unified": str(tmp_path)}) == {"unified": str(tmp_path / "x")}
