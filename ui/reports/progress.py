"""How far a campaign is: a bar, what tries gave so far, and what runs now.

What is counted here are raw outcomes, for watching. Verdicts come from the log, when
everything about a try is in it.
"""

from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.clock import US_PER_S
from barograph.units import format_duration
from runner.progress import GAVE, Gave, Progress, Running
from ui import tables
from ui.palette import BOLD, DIM, LOOKS, Hue
from ui.text import per_minute

_BAR_CELLS: Final = 30
_MOST_RUNNING: Final = 16

GAVE_LOOKS: Final[dict[Gave, tuple[Hue, str]]] = {
    "passed": ("pass", "passed"),
    "sandbox_died": ("memory", "sandbox died"),
    "timed_out": ("timeout", "out of time"),
    "failed": ("model", "not accepted"),
    "verifier_error": ("harness", "verifier failed"),
    "error": ("harness", "our failure"),
    "cancelled": ("excluded", "cancelled"),
}


def render(name: str, progress: Progress, now_us: int) -> RenderableType:
    """Draw the view that is redrawn while a campaign runs.

    Args:
        name: of the sweep.
        progress: the latest.
        now_us: monotonic, by the campaign's clock.

    """
    running = sorted(progress.running, key=lambda one: one.phase_since_us)
    columns = [
        tables.text("running", shrink=True),
        tables.text("agent"),
        tables.text("ceiling"),
        tables.text("phase"),
        tables.number("for"),
    ]
    rows = [_running(one, now_us) for one in running[:_MOST_RUNNING]]
    hidden = len(running) - len(rows)
    more = [Text(f"and {hidden} more", style=DIM)] if hidden > 0 else []
    table = tables.table(columns, rows)
    return Group(_bar(name, progress), tally(progress), Text(), table, *more)


def line(name: str, progress: Progress) -> Text:
    """The same in one line, for where nothing can be redrawn."""
    text = Text(f"{name}: {progress.done:,} of {progress.planned:,}")
    text.append(f", {len(progress.running)} running, {_pace(progress)}: ")
    return text.append_text(tally(progress, separator=", "))


def tally(progress: Progress, *, separator: str = "   ") -> Text:
    """What tries gave so far, each with its mark."""
    parts = [_gave(gave, progress.gave.get(gave, 0)) for gave in _ORDER]
    shown = [part for part in parts if part is not None]
    return Text(separator).join(shown) if shown else Text("nothing has ended yet", style=DIM)


_ORDER: Final = tuple(sorted(GAVE, key=list(GAVE_LOOKS).index))


def _gave(gave: Gave, tries: int) -> Text | None:
    if not tries:
        return None
    hue, words = GAVE_LOOKS[gave]
    look = LOOKS[hue]
    return Text.assemble((f"{look.mark} {tries:,} ", look.colour), (words, DIM))


def _bar(name: str, progress: Progress) -> Text:
    share = progress.done / progress.planned if progress.planned else 1.0
    full = round(share * _BAR_CELLS)
    text = Text.assemble((f"{name} ", BOLD), "━" * full, ("─" * (_BAR_CELLS - full), DIM))
    text.append(f" {progress.done:,}", style=BOLD)
    return text.append(f" of {progress.planned:,} · {_pace(progress)}")


def _pace(progress: Progress) -> str:
    if progress.per_minute is None or progress.left_s is None:
        return f"{format_duration(progress.elapsed_s)} so far"
    return f"{per_minute(progress.per_minute)} · {format_duration(progress.left_s)} left"


def _running(one: Running, now_us: int) -> list[str]:
    since_s = max(0.0, (now_us - one.phase_since_us) / US_PER_S)
    trial = one.planned
    attempt = "" if one.try_no == 1 else f", try {one.try_no}"
    return [
        f"{trial.task} #{trial.attempt}{attempt}",
        trial.agent,
        trial.condition,
        one.phase,
        format_duration(since_s),
    ]


def ended(progress: Progress) -> str:
    """How far it came, as a clause."""
    outcomes = count(progress.done, "trial has", "trials have")
    return f"{outcomes} an outcome of {progress.planned:,} planned"
