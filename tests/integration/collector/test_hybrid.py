"""A target of version 1 on a machine that has both versions of cgroups."""

import subprocess
import time
from collections.abc import Iterator

import pytest

from collector.probes.opening import open_probe
from collector.probes.port import Probe
from tests.cells import PYTHON, Cell, cell
from tests.needs import need_cgroup_v1, unmet


@pytest.fixture
def target() -> Iterator[Cell]:
    need_cgroup_v1()
    with cell() as made:
        if "unified" not in made.folders:
            unmet("needs a version 2 tree beside version 1")
        yield made


@pytest.fixture
def probe(target: Cell) -> Iterator[Probe]:
    opened = open_probe(target.folders, reset_peaks=True)
    yield opened
    opened.close()


def start_in(target: Cell, *controllers: str) -> subprocess.Popen[bytes]:
    """A process that is in some of the target's hierarchies only."""
    folders = {name: target.folders[name] for name in controllers}
    part = Cell(version=1, folders=folders, kernel_path=target.kernel_path)
    return part.start([*PYTHON, "import time; time.sleep(60)"])


def test_pressure_is_known_of_members_of_both_trees(target: Cell, probe: Probe) -> None:
    process = start_in(target, "memory", "unified")
    time.sleep(0.2)
    for _ in range(5):
        assert probe.members() == [process.pid]
    assert probe.read().psi_memory_some_us is not None
    process.kill()
    process.wait()


def test_pressure_that_nobody_is_counted_in_is_unknown_and_not_0(
    target: Cell, probe: Probe
) -> None:
    process = start_in(target, "memory", "pids")
    time.sleep(0.2)
    for _ in range(5):
        assert probe.members() == [process.pid]
    reading = probe.read()
    assert (reading.psi_memory_some_us, reading.psi_cpu_some_us, reading.psi_io_full_us) == (
        None,
        None,
        None,
    )
    [gap] = [gap for gap in probe.gaps if gap.probe == "cgroup_v1.psi"]
    assert "not in its version 2 cgroup" in gap.reason
    process.kill()
    process.wait()
