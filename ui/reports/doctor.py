"""What the doctor found: the worst first in a sentence, then every check with its remedy."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis.wording import count
from ui import tables
from ui.checks.check import Check, State
from ui.palette import BOLD, DIM, LOOKS

# Colour means cause elsewhere; here a line that is not ok is what the machine would cause.
_LOOKS: Final[dict[State, tuple[str, str]]] = {
    "ok": ("ok", LOOKS["pass"].colour),
    "warn": ("warn", f"{BOLD} {LOOKS['timeout'].colour}"),
    "fail": ("FAIL", f"{BOLD} {LOOKS['memory'].colour}"),
}


def content(checks: Sequence[Check]) -> dict[str, object]:
    """Give all checks and how many of each state."""
    return {
        "can_run_sweeps": _number(checks, "fail") == 0,
        "fails": _number(checks, "fail"),
        "warnings": _number(checks, "warn"),
        "checks": list(checks),
    }


def render(checks: Sequence[Check]) -> RenderableType:
    """This machine: one line a check, and below it what would mend it."""
    return Group(tables.answer(_sentence(checks)), Text(), _lines(checks))


def render_log(log: str, checks: Sequence[Check]) -> RenderableType:
    """A shared log, likewise."""
    fails, warnings = _number(checks, "fail"), _number(checks, "warn")
    noted = f", with {count(warnings, 'warning')}" if warnings else ""
    if fails:
        said = f"{log} cannot be shared: {count(fails, 'check')} failed{noted}."
    else:
        said = f"{log} can be shared{noted}."
    return Group(tables.answer(said), Text(), _lines(checks))


def _lines(checks: Sequence[Check]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=4)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for check in checks:
        mark, style = _LOOKS[check.state]
        said = Text(check.said)
        if check.remedy is not None:
            said.append(f"\n→ {check.remedy}", style=DIM)
        grid.add_row(Text(mark, style=style), check.name, said)
    return grid


def _sentence(checks: Sequence[Check]) -> str:
    fails, warnings = _number(checks, "fail"), _number(checks, "warn")
    noted = f", with {count(warnings, 'warning')}" if warnings else ""
    if fails:
        return f"This machine cannot run local sweeps: {count(fails, 'check')} failed{noted}."
    return f"This machine can run and measure local sweeps{noted}."


def _number(checks: Sequence[Check], state: State) -> int:
    return sum(check.state == state for check in checks)
