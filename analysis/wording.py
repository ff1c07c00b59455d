"""Numbers as people read them, in the one way that every sentence and table uses.

A p-value is shown with two significant digits, and below .001 as a bound: further
digits describe the assumptions and not the data.
"""

from collections.abc import Sequence
from typing import Final

_TINY_P: Final = 0.001


def per_cent(rate: float) -> str:
    """``0.0208`` as ``2.1%``."""
    return f"{100 * rate:.1f}%"


def points(difference: float) -> str:
    """A difference in points with its sign: ``+6.3 points``."""
    rounded = round(difference, 1)
    if rounded == 0:
        return "0.0 points"
    return f"{'+' if rounded > 0 else '−'}{abs(rounded):.1f} points"


def span(low: float, high: float, *, unit: str) -> str:
    """The two ends of an interval, the unit once: ``−1.6 to +26.6 points``, ``17.0% to 44.1%``."""
    if unit == "points":
        return f"{points(low).removesuffix(' points')} to {points(high)}"
    word = per_cent if unit == "rate" else ratio
    return f"{word(low)} to {word(high)}"


def ratio(value: float) -> str:
    """Three significant digits: ``0.905``."""
    return f"{value:.3g}"


def probability(p: float) -> str:
    """``p = .40``, ``p = .012``, ``p < .001``; never ``p = .000``."""
    if p < _TINY_P:
        return "p < .001"
    digits = 2 if p >= 0.1 else 3  # noqa: PLR2004 - two significant digits either way
    text = f"{p:.{digits}f}"
    return f"p = {text.removeprefix('0')}"


def chance(p: float) -> str:
    """How often chance alone does as much: ``at most 3 times in 1,000``."""
    if p < _TINY_P:
        return "less than once in 1,000"
    if p < 0.1:  # noqa: PLR2004 - below that, a count in 1,000 reads better
        times = max(1, round(1000 * p))
        return f"at most {'once' if times == 1 else f'{times} times'} in 1,000"
    return f"at most {max(1, round(100 * p))} times in 100"


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 task``, ``12 tasks``, ``1,000 tries``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listing(words: Sequence[str], *, most: int = 5) -> str:
    """``a, b and c``; past ``most`` the rest is counted: ``a, b and 7 more``."""
    shown = list(words[:most])
    if len(words) > most:
        shown.append(f"{len(words) - most} more")
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
