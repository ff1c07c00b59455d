"""Sandbox drivers by name, loaded when asked for.

A dictionary and not a decorator: what exists can be read here, and a driver's client
library is imported by whoever uses that driver and by nobody else.
"""

import importlib
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from runner.sandboxes.errors import SandboxInputError
from runner.sandboxes.port import Driver, DriverContext

if TYPE_CHECKING:
    from collections.abc import Callable


class _Home(NamedTuple):
    module: str
    name: str
    meaning: str


DRIVERS: Final[dict[str, _Home]] = {
    "local": _Home(
        "runner.sandboxes.local", "LocalDriver", "namespaces and cgroups of this machine (root)"
    ),
}


def names() -> list[str]:
    """What can be asked for."""
    return sorted(DRIVERS)


def open_driver(name: str, context: DriverContext) -> Driver:
    """Load and open a driver.

    Args:
        name: as in ``names()``.
        context: what the driver needs to know about the campaign.

    Raises:
        SandboxInputError: there is no such driver.
        EnvironmentRefusal: this machine or user cannot have its sandboxes.

    """
    home = DRIVERS.get(name)
    if home is None:
        raise SandboxInputError(
            "no such sandbox driver",
            field="driver",
            value=name,
            remedy=f"use one of: {', '.join(names())}",
        )
    module = importlib.import_module(home.module)
    opened = cast("Callable[[DriverContext], Driver]", getattr(module, home.name))
    return opened(context)
