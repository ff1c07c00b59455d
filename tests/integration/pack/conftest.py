"""One laid-out task after the other, for the tests that run the pack's programs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.pack.lab import Desk, task_names
from tests.needs import need_cgroup_v1, need_cgroup_v2, need_namespaces


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_namespaces()
    if Path("/sys/fs/cgroup/memory/cgroup.procs").exists():
        need_cgroup_v1("memory")
    else:
        need_cgroup_v2()
    return tmp_path_factory.mktemp("pack")


@pytest.fixture(scope="session", params=task_names())
def task_desk(request: pytest.FixtureRequest, scratch: Path) -> Desk:
    """A task, set up once for all tests; what they leave is taken away by ``desk``."""
    task = str(request.param)
    made = Desk(scratch / task, task)
    assert made.setup.exit_code == 0, made.setup.output
    return made


@pytest.fixture
def desk(task_desk: Desk) -> Iterator[Desk]:
    task_desk.forget()
    yield task_desk
    task_desk.forget()
