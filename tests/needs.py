"""What a test needs of the machine, said in its first line: ``need_root()``.

A component that is missing on a developer's machine is no fault of the code, so the test is
skipped with the reason. In CI it *is* a fault: a suite that goes green because half of it
was skipped has tested nothing, so there (``CI=true``) the same line fails the test.
"""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from tests.vm.image import missing_programs

CGROUP_ROOT = Path("/sys/fs/cgroup")
V1_CONTROLLERS = ("memory", "cpu", "cpuacct", "pids")
V2_CONTROLLERS = frozenset({"memory", "cpu", "pids", "io"})


def unmet(reason: str) -> NoReturn:
    """End the test: skipped here, failed in CI."""
    if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
        pytest.fail(f"CI must have it: {reason}", pytrace=False)
    pytest.skip(reason)


def need_root() -> None:
    """Uid 0, for mounts, namespaces and cgroups."""
    if os.geteuid() != 0:
        unmet("needs root")


def need_program(*names: str) -> None:
    """Programs on PATH (or where administrators' programs are)."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in names if shutil.which(name, path=path) is None]
    if missing:
        unmet(f"needs the programs {', '.join(missing)}")


def need_cgroup_v1(*controllers: str) -> None:
    """Writable cgroup v1 hierarchies of the controllers (default: all that trials use)."""
    need_root()
    for name in controllers or V1_CONTROLLERS:
        folder = CGROUP_ROOT / name
        if not (folder / "cgroup.procs").exists() or not os.access(folder, os.W_OK):
            unmet(f"needs a writable cgroup v1 hierarchy {folder}")


def need_cgroup_v2() -> None:
    """A writable cgroup v2 hierarchy, at the usual place, with the controllers of trials."""
    need_root()
    known = CGROUP_ROOT / "cgroup.controllers"
    if not known.exists():
        unmet(f"needs cgroup v2 at {CGROUP_ROOT}")
    missing = V2_CONTROLLERS - set(known.read_text().split())
    if missing or not os.access(CGROUP_ROOT, os.W_OK):
        unmet(f"needs cgroup v2, writable, with {', '.join(sorted(missing or V2_CONTROLLERS))}")


def need_psi() -> None:
    """Pressure stall information of the host."""
    try:
        Path("/proc/pressure/memory").read_text()
    except OSError as problem:
        unmet(f"needs /proc/pressure ({problem})")


def need_kmsg() -> None:
    """A kernel log that may be read."""
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))
    except OSError as problem:
        unmet(f"needs to read /dev/kmsg ({problem})")


@cache
def _namespaces_problem() -> str | None:
    command = ("unshare", "--mount", "--pid", "--user", "--fork", "true")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr.strip()


def need_namespaces() -> None:
    """Leave to make mount, PID and user namespaces."""
    need_root()
    if problem := _namespaces_problem():
        unmet(f"needs namespaces ({problem})")


def need_chromium() -> None:
    """The browser in which the explorer is opened."""
    need_program("chromium")


def need_vm() -> None:
    """What the virtual machine of tests/vm is built and booted with."""
    need_root()
    if missing := missing_programs():
        unmet(f"needs, for the virtual machine: {', '.join(missing)} (make services)")
