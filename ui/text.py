"""How times, shares and lists of things are written, for every sentence and table.

Sizes and durations come from ``barograph.units``, rates and p-values from
``analysis.wording``; what is here is what only people need: the time of day with its
zone, how long ago, how far along. Unknown is a dash, never a zero.
"""

from datetime import UTC, datetime
from typing import Final

from barograph.clock import US_PER_S
from barograph.units import MIB, format_duration

UNKNOWN: Final = "–"

_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def moment(t_us: int | None) -> str:
    """A wall time for people: ``2026-11-29 22:31:05 UTC``."""
    if t_us is None:
        return UNKNOWN
    return f"{_utc(t_us):%Y-%m-%d %H:%M:%S} UTC"


def clock_time(t_us: int | None) -> str:
    """The time of day alone, to a tenth of a second: ``22:31:05.2`` (UTC)."""
    if t_us is None:
        return UNKNOWN
    at = _utc(t_us)
    return f"{at:%H:%M:%S}.{at.microsecond // 100_000}"


def day(t_us: int | None) -> str:
    """The date alone: ``2026-11-29`` (UTC)."""
    return UNKNOWN if t_us is None else f"{_utc(t_us):%Y-%m-%d}"


def ago(now_us: int, then_us: int | None) -> str:
    """``3.2 s ago``; ``in 2.0 s`` when a clock stepped in between."""
    if then_us is None:
        return UNKNOWN
    seconds = (now_us - then_us) / US_PER_S
    if seconds < 0:
        return f"in {format_duration(-seconds)}"
    return f"{format_duration(seconds)} ago"


def after(t_us: int | None, start_us: int | None) -> str:
    """Where in a try something happened: ``+5.3 s``."""
    if t_us is None or start_us is None:
        return UNKNOWN
    seconds = (t_us - start_us) / US_PER_S
    return f"{'−' if seconds < 0 else '+'}{abs(seconds):.1f} s"


def share(part: int, whole: int) -> str:
    """``12 of 288 (4.2%)``; without a percentage when there is nothing to divide by."""
    if whole == 0:
        return f"{part:,} of 0"
    return f"{part:,} of {whole:,} ({100 * part / whole:.1f}%)"


def per_minute(rate: float | None) -> str:
    """``58.1/min``."""
    return UNKNOWN if rate is None else f"{rate:.1f}/min"


def mebibytes(size_bytes: float | None) -> str:
    """A number for a column headed MiB: ``64``, ``1,024``, ``61.5`` where it is not whole."""
    if size_bytes is None:
        return UNKNOWN
    size = size_bytes / MIB
    return f"{size:,.0f}" if size >= 100 or size == int(size) else f"{size:.1f}"  # noqa: PLR2004 - three digits are enough


def signed(value: float, digits: int = 1) -> str:
    """``+4.2`` or ``−4.2`` (a real minus sign); 0 has none."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+") + text


def bar(fraction: float | None, width: int) -> str:
    """A filled bar of exactly ``width`` cells; the fraction is held to 0..1."""
    if fraction is None:
        return " " * width
    eighths = round(min(1.0, max(0.0, fraction)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def shortened(text: str, most: int) -> str:
    """One line of at most ``most`` characters; what is left out shows as ``…``."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _utc(t_us: int) -> datetime:
    return datetime.fromtimestamp(t_us / US_PER_S, UTC)
