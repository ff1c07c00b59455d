"""Local drivers for tests, and the look at the machine for what they left on it."""

import hashlib
from dataclasses import replace
from pathlib import Path

from runner.sandboxes import hierarchies
from runner.sandboxes.local import LocalDriver
from runner.sandboxes.port import DriverContext
from tests import needs

MIB = 1 << 20


def context_in(tmp_path: Path) -> DriverContext:
    """A data folder's worth of paths, with cgroups that no other test has."""
    digest = hashlib.sha256(str(tmp_path).encode()).hexdigest()[:8]
    return DriverContext(
        folder_id=f"test-{digest}",
        scratch=tmp_path / "data" / "trials",
        records=tmp_path / "data" / "run" / "sandboxes",
    )


def local_driver(tmp_path: Path, **changes: object) -> LocalDriver:
    """The driver, where this machine can have it."""
    needs.need_namespaces()
    return LocalDriver(replace(context_in(tmp_path), **changes))  # type: ignore[arg-type]  # any field


def cgroups_left(context: DriverContext) -> list[Path]:
    """Every cgroup of the data folder that still exists, in any hierarchy."""
    places = set(hierarchies.find().mounts.values())
    return [
        path
        for place in places
        for path in (place / "barograph" / context.folder_id,)
        if path.exists()
        for path in (path, *path.rglob("*/"))
        if path.is_dir()
    ]


def processes_left(context: DriverContext) -> list[str]:
    """Command lines of processes that are in a cgroup of the data folder, or supervise one."""
    left: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            cgroups = (folder / "cgroup").read_text()
            command = (folder / "cmdline").read_bytes()
            if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                continue  # dead, and not ours to reap
            files = [str(link.readlink()) for link in (folder / "fd").iterdir()]
        except OSError:
            continue
        mine = f"/barograph/{context.folder_id}/" in cgroups
        supervises = any(str(context.records) in file for file in files)
        if mine or supervises:
            left.append(f"{folder.name} {command!r}")
    return left


def mounts_left(tmp_path: Path) -> list[str]:
    """Mounts of this mount namespace below the test's folder."""
    table = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in table if str(tmp_path) in line]


def assert_nothing_left(context: DriverContext, tmp_path: Path) -> None:
    """No process, cgroup, mount, record or scratch file of the data folder."""
    left: dict[str, object] = {
        "processes": processes_left(context),
        "cgroups": cgroups_left(context),
        "mounts": mounts_left(tmp_path),
        "files": [
            path
            for folder in (context.records, context.scratch)
            if folder.exists()
            for path in folder.iterdir()
        ],
    }
    assert not any(left.values()), left
