"""Probes on files of other kernels than the one at hand: what is missing is None and said."""

from pathlib import Path

import pytest

from barograph.metrics import PeakKind
from collector.errors import ProbeRefusal, TargetGone
from collector.probes.cgroup_v1 import CgroupV1
from collector.probes.cgroup_v2 import CgroupV2
from collector.probes.opening import open_probe
from collector.probes.port import Probe
from tests.needs import unmet

V2 = {
    "memory.current": "4096\n",
    "memory.stat": "anon 100\nfile 200\ninactive_file 96\n",
    "memory.events": "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 1\n",
    "memory.max": "max\n",
}
V1 = {
    "memory.usage_in_bytes": "4096\n",
    "memory.stat": "rss 1\ninactive_file 2\ntotal_rss 100\ntotal_inactive_file 5000\n",
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
    "memory.limit_in_bytes": "9223372036854771712\n",
    "memory.max_usage_in_bytes": "8192\n",
}
READ_ONLY = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")


def folder(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).write_text(text)
    return str(path)


def gaps(probe: Probe) -> set[str]:
    return {gap.probe for gap in probe.gaps}


def test_v2_before_5_19_remembers_no_peak(tmp_path: Path) -> None:
    probe = CgroupV2(folder(tmp_path, V2))
    reading = probe.read()
    assert (reading.peak_bytes, reading.peak_kind) == (4096, PeakKind.SAMPLED)
    (tmp_path / "memory.current").write_text("1024\n")
    assert probe.read().lifetime_peak_bytes == 4096
    probe.close()
    assert gaps(probe) == {
        "cgroup_v2.lifetime_peak",
        "cgroup_v2.cpu",
        "cgroup_v2.pids",
        "cgroup_v2.io",
        "cgroup_v2.psi",
    }


def test_v2_before_6_12_has_the_lifetime_peak_only(tmp_path: Path) -> None:
    """A kernel file that is not for writing stands for a memory.peak that is not either."""
    if not READ_ONLY.exists():
        unmet("no kernel file that refuses to be written")
    (tmp_path / "memory.peak").symlink_to(READ_ONLY)
    probe = CgroupV2(folder(tmp_path, V2))
    reading = probe.read()
    probe.close()
    assert (reading.peak_bytes, reading.peak_kind) == (
        int(READ_ONLY.read_text()),
        PeakKind.LIFETIME,
    )
    [reason] = [gap.reason for gap in probe.gaps if gap.probe == "cgroup_v2.interval_peak"]
    assert "6.12" in reason


def test_v2_counters_as_the_kernel_writes_them(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 50\nuser_usec 1\nsystem_usec 2\n")
    probe = CgroupV2(folder(tmp_path, V2))
    reading = probe.read()
    assert (reading.oom_total, reading.oom_kill_total) == (3, 2)
    assert (reading.oom_group_kill_total, reading.limit_hits_total) == (1, 7)
    assert (reading.working_set_bytes, reading.anon_bytes) == (4000, 100)
    assert reading.limit_bytes is None
    # Without a quota there are no periods to count.
    assert (reading.cpu_usage_us, reading.cpu_periods) == (50, None)
    assert not probe.woken()
    (tmp_path / "memory.events").write_text(V2["memory.events"].replace("max 7", "max 8"))
    assert not probe.woken()
    (tmp_path / "memory.events").write_text(V2["memory.events"].replace("oom 3", "oom 4"))
    assert probe.woken()
    probe.close()


def test_v1_with_the_memory_controller_alone(tmp_path: Path) -> None:
    (tmp_path / "cgroup.event_control").write_text("")
    probe = CgroupV1({"memory": folder(tmp_path, V1)}, reset_peaks=False)
    reading = probe.read()
    assert (reading.usage_bytes, reading.working_set_bytes, reading.anon_bytes) == (4096, 0, 100)
    assert (reading.peak_bytes, reading.peak_kind) == (8192, PeakKind.LIFETIME)
    assert (reading.limit_bytes, reading.oom_kill_total, reading.oom_total) == (None, 2, None)
    assert {reading.cpu_usage_us, reading.pids, reading.io_read_bytes} == {None}
    assert {reading.psi_memory_some_us, reading.net_rx_bytes} == {None}
    assert {"cgroup_v1.cpu", "cgroup_v1.pids", "cgroup_v1.blkio", "cgroup_v1.psi"} <= gaps(probe)
    assert (tmp_path / "memory.max_usage_in_bytes").read_text() == "8192\n"
    probe.close()


def test_v1_without_notification_says_so_and_is_read_all_the_same(tmp_path: Path) -> None:
    probe = CgroupV1({"memory": folder(tmp_path, V1)}, reset_peaks=True)
    assert probe.wake_fd is None
    assert "cgroup_v1.oom_wake" in gaps(probe)
    assert probe.kill_count() == 2
    probe.close()


@pytest.mark.parametrize("name", sorted(V1.keys() - {"memory.max_usage_in_bytes"}))
def test_v1_without_a_file_that_it_needs_is_refused_by_name(tmp_path: Path, name: str) -> None:
    where = folder(tmp_path, {key: text for key, text in V1.items() if key != name})
    with pytest.raises(ProbeRefusal, match=name):
        CgroupV1({"memory": where}, reset_peaks=False)


@pytest.mark.parametrize("name", sorted(V2))
def test_v2_without_a_file_that_it_needs_is_refused_by_name(tmp_path: Path, name: str) -> None:
    where = folder(tmp_path, {key: text for key, text in V2.items() if key != name})
    with pytest.raises(ProbeRefusal, match=name):
        CgroupV2(where)


def test_a_folder_that_is_not_there_is_gone(tmp_path: Path) -> None:
    for cgroups in ({"memory": str(tmp_path / "x")}, {"unified": str(tmp_path / "x")}):
        with pytest.raises(TargetGone):
            open_probe(cgroups)


def test_a_target_that_names_nothing_is_refused() -> None:
    with pytest.raises(ProbeRefusal, match="names no memory cgroup"):
        open_probe({"cpu": "/x"})
