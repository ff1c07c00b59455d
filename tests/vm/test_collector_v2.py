"""The collector on cgroup v2, in a Linux 6.12 that has nothing else.

The guest runs the same suites as a version 1 host does: the probes' conformance suite, every
real kill, and what of the process depends on the cgroup. What only a guest may do is done
there too: its wall clock is set.
"""

import pytest

from tests.vm.machine import Machine

PYTEST = "python3 -m pytest -q -p no:cacheprovider --color=no"


def test_the_guest_has_version_2_alone(machine: Machine) -> None:
    ran = machine.run("cat /proc/self/cgroup; uname -r; cat /sys/fs/cgroup/cgroup.controllers")
    hierarchy, kernel, controllers = ran.stdout.splitlines()
    assert hierarchy == "0::/"
    assert tuple(map(int, kernel.split(".")[:2])) >= (6, 12)
    assert "memory" in controllers.split()


@pytest.mark.parametrize(
    "suite",
    [
        "tests/conformance/test_probes.py",
        "tests/integration/collector/test_kills.py",
        "tests/integration/collector/test_process.py -k 'kill or owner or cgroup or sampled'",
        "tests/vm/guest/collector_cases.py",
    ],
)
def test_a_suite_passes_in_the_guest(machine: Machine, suite: str) -> None:
    # Emulated: everything takes some ten times as long as here.
    ran = machine.run(f"CI=true {PYTEST} {suite}", timeout_s=900)
    assert not ran.timed_out
    assert ran.exit_code == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert " passed" in ran.stdout
    assert "skipped" not in ran.stdout
