"""Old payloads, lifted to today's version by pure functions, one version at a time.

A version goes up only when a field changes its meaning; a new optional field does not
need one. ``UPGRADES[(type, v)]`` turns the payload of version v into that of v + 1.
Old logs must replay for ever (tests/golden), so entries are never removed.
"""

from collections.abc import Callable, Mapping
from typing import Final

Upgrade = Callable[[Mapping[str, object]], Mapping[str, object]]

UPGRADES: Final[dict[tuple[str, int], Upgrade]] = {}


def lift(
    kind: str,
    version: int,
    data: Mapping[str, object],
    *,
    to: int,
    upgrades: Mapping[tuple[str, int], Upgrade] = UPGRADES,
) -> Mapping[str, object]:
    """Apply the upgrades of ``kind`` from ``version`` up to ``to``.

    Raises:
        KeyError: a step is missing: a defect of this package, held by a test.

    """
    for step in range(version, to):
        data = upgrades[kind, step](data)
    return data
