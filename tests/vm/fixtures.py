"""The image and the payload, once a test run; a machine that test modules share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needs import need_vm, unmet
from tests.vm import payload
from tests.vm.image import Image, image
from tests.vm.machine import Machine


@pytest.fixture(scope="session")
def guest_image() -> Image:
    """Built where absent: minutes, once a machine."""
    need_vm()
    if problem := payload.guest_problem():
        unmet(problem)
    return image()


@pytest.fixture(scope="session")
def guest_payload(guest_image: Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working tree as a disk."""
    del guest_image  # asked for first: without a machine there is nothing to pack for
    return payload.pack(tmp_path_factory.mktemp("payload") / "payload.img")


@pytest.fixture(scope="session")
def machine(
    guest_image: Image, guest_payload: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """One boot for everything that does not cut the power."""
    scratch = tmp_path_factory.mktemp("machine")
    with Machine(guest_image, guest_payload, scratch=scratch) as booted:
        yield booted
