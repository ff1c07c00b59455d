"""What the fault tests share."""

from collections.abc import Generator

import pytest

from tests.promised import Promised, promises


@pytest.fixture
def noted() -> Generator[Promised]:
    """What the writers that a test starts are promised."""
    with promises() as found:
        yield found
