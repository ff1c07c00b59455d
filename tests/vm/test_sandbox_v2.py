"""The local sandbox on cgroup v2, in a Linux 6.12 that has nothing else.

The guest runs what a version 1 host runs, from the same files: there the kernel itself keeps
OOM scope ``sandbox``, a command's own cgroup is a child without controllers, and killing is
one write. Emulated, a sandbox takes seconds, so of the suites for what does not differ
between the versions (streams, copies, odd requests) a sample has to do.
"""

import pytest

from tests.vm.machine import Machine

PYTEST = "python3 -m pytest -q -p no:cacheprovider --color=no --basetemp=/var/tmp/boxes"
SELECTED = {
    "test_limits.py": "kernels_files or swap or all_cgroups or uncapped or throttles",
    "test_local_conformance.py": (
        "Ceilings or time_limit or background or binary or absent_until or come_out or no_network"
    ),
    "test_hostile.py": "ceiling or neighbours or data_folder or powers or descriptor",
    "test_leaving_nothing.py": "ordinary or killed_runner or without_a_collector or supervisor",
}


@pytest.mark.slow
@pytest.mark.parametrize("file", list(SELECTED))
def test_sandboxes_hold_in_the_guest(machine: Machine, file: str) -> None:
    # On a disk: what tasks write to a tmpfs is memory, and their ceiling would pay for it.
    chosen = f"-k '{SELECTED[file]}' tests/integration/sandboxes/{file}"
    command = f"mkdir -p /var/tmp && CI=true {PYTEST} {chosen}"
    ran = machine.run(command, timeout_s=1200)
    assert not ran.timed_out
    assert ran.exit_code == 0, ran.stdout[-6000:] + ran.stderr[-2000:]
    assert " passed" in ran.stdout
    assert "skipped" not in ran.stdout
