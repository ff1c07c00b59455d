"""Marks by folder, so that nobody has to remember which tests may share the machine.

The fixtures of the virtual machine and of Kafka are here too, because tests of any folder
may ask for ``machine`` and ``kafka``: all of them get the same one.
"""

import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers import stop_servers
from tests.services.kafka import Kafka
from tests.vm.fixtures import guest_image, guest_payload, machine

__all__ = ["guest_image", "guest_payload", "machine"]

HERE = Path(__file__).parent

# A deadline for an example is a timed test: on a busy machine it fails and means nothing.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A shell starts what it puts into the background with Ctrl-C ignored, and programs that we
# start would inherit that; the tests interrupt them.
signal.signal(signal.SIGINT, signal.default_int_handler)

FOLDER_MARKS = {
    "compose": ("serial", "slow"),
    "e2e": ("serial", "slow"),
    "faults": ("serial",),
    "integration": ("serial", "kernel"),
    "vm": ("serial", "vm"),
}
"""First folder below tests/ -> the marks that every test in it bears."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the marks of the folder that a test lies in."""
    for item in items:
        below = item.path.relative_to(HERE).parts
        for mark in FOLDER_MARKS.get(below[0], ()):
            item.add_marker(mark)
        if "guest_image" in getattr(item, "fixturenames", ()):
            item.add_marker("vm")


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Generator[Kafka]:
    """A broker that stays up; a test makes topics of its own."""
    with Kafka(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker


@pytest.fixture(autouse=True)
def _no_server_outlives_a_test(request: pytest.FixtureRequest) -> Generator[None]:
    """End the servers of stores that a test started below its own folder."""
    own: object = request.getfixturevalue("tmp_path") if _has_folder(request) else None
    yield
    if isinstance(own, Path):
        stop_servers(own)


@pytest.fixture(autouse=True, scope="session")
def _no_server_outlives_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Likewise for folders that tests share."""
    yield
    stop_servers(tmp_path_factory.getbasetemp())


def _has_folder(request: pytest.FixtureRequest) -> bool:
    return "tmp_path" in request.fixturenames
