"""Which cgroup version a machine has is read from its mount table."""

from pathlib import Path

import pytest

from runner.sandboxes import hierarchies
from runner.sandboxes.errors import SandboxRefusal

V1 = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
38 31 0:35 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""


def table(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "mountinfo"
    file.write_text(text)
    return file


def test_version_1_with_shared_controllers(tmp_path: Path) -> None:
    found = hierarchies.find(table(tmp_path, V1))
    assert found.version == 1
    assert found.kernel_prefix == ""
    assert found.mounts["cpu"] == found.mounts["cpuacct"] == Path("/sys/fs/cgroup/cpu")
    assert found.mounts["unified"] == Path("/sys/fs/cgroup/unified")
    assert set(found.mounts) == {"cpu", "cpuacct", "memory", "blkio", "pids", "unified"}


def test_a_container_sees_part_of_the_tree(tmp_path: Path) -> None:
    text = V1.replace("0:32 / /sys", "0:32 /docker/abc /sys").replace("/cgroup/pids", "/a\\040b")
    found = hierarchies.find(table(tmp_path, text))
    assert found.kernel_prefix == "/docker/abc"
    assert found.mounts["pids"] == Path("/sys/fs/a b")


def test_version_1_without_a_controller_is_refused(tmp_path: Path) -> None:
    text = "".join(line for line in V1.splitlines(keepends=True) if "pids" not in line)
    with pytest.raises(SandboxRefusal, match="pids"):
        hierarchies.find(table(tmp_path, text))


def test_version_2_is_what_has_the_memory_controller(tmp_path: Path) -> None:
    top = tmp_path / "cgroup"
    top.mkdir()
    text = f"40 31 0:37 / {top} rw - cgroup2 cgroup2 rw,memory_recursiveprot\n"
    (top / "cgroup.controllers").write_text("cpuset cpu io memory hugetlb pids\n")
    found = hierarchies.find(table(tmp_path, text))
    assert (found.version, found.mounts) == (2, {"unified": top})
    (top / "cgroup.controllers").write_text("cpu io pids\n")
    with pytest.raises(SandboxRefusal, match="memory"):
        hierarchies.find(table(tmp_path, text))


def test_no_cgroups_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxRefusal, match="cgroup"):
        hierarchies.find(table(tmp_path, "22 27 0:21 / /proc rw - proc proc rw\n"))
