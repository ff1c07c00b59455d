"""Several tests at once: Holm for a few planned ones, Benjamini-Hochberg for a screen.

Holm keeps the chance of *any* false alarm in a family at the level; a family is one
endpoint over the ceilings. Benjamini-Hochberg bounds the share of false alarms among
those raised, for tables of many tasks.
"""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjust by Holm's step-down method (1979).

    Args:
        p_values: of one family; None stays None and does not count as a test, because a
            guard refused before looking at the outcome.

    Returns:
        Adjusted p-values in the same order, at most 1.

    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, place) in enumerate(known):
        running = max(running, min(1.0, p * (len(known) - rank)))
        adjusted[place] = running
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust by Benjamini and Hochberg's step-up method (1995).

    Args:
        p_values: of the screen.

    Returns:
        q-values in the same order, at most 1.

    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place], reverse=True)
    adjusted = [1.0] * len(p_values)
    running = 1.0
    for rank, place in enumerate(order):
        running = min(running, p_values[place] * len(p_values) / (len(p_values) - rank))
        adjusted[place] = running
    return adjusted
