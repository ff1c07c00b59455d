"""What became of the trials of each ceiling, as a strip of marks in the colours of causes.

A strip says without a number whether a ceiling killed or merely did not help. Marks and
colours say the same, so the strip can be read in grey. Where there are more trials than
room, a cell stands for several and the counts beside the strip stay exact.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.cells import Outcomes
from analysis.sweep_report import SweepAnalysis
from ui.palette import DIM, LOOKS, Hue

_LABEL_CELLS: Final = 10
_MOST_CELLS: Final = 96

# What a strip is made of, in this order; the last word is for the legend.
_PARTS: Final[tuple[tuple[Hue, str], ...]] = (
    ("pass", "passed"),
    ("memory", "killed by the ceiling"),
    ("cluster", "other infra error"),
    ("timeout", "time limit"),
    ("model", "not accepted"),
)


def parts_of(outcomes: Outcomes) -> dict[Hue, int]:
    """Disjoint counts by hue; they add up to n."""
    kills = min(outcomes.killed, outcomes.n - outcomes.passed)
    spent = outcomes.timeout + outcomes.timeout_infra
    infra = outcomes.infra + outcomes.suspect
    other = max(0, infra - kills)
    return {
        "pass": outcomes.passed,
        "memory": kills,
        "cluster": other,
        "timeout": spent,
        "model": outcomes.n - outcomes.passed - kills - other - spent,
    }


def strips(found: SweepAnalysis, width: int) -> RenderableType:
    """One strip a ceiling, and the legend with what each mark stands for."""
    most = max((row.n for row in found.table), default=0)
    cells = min(most, _MOST_CELLS, max(10, width - _LABEL_CELLS - 16))
    lines: list[Text] = []
    for row in found.table:
        parts = parts_of(row.outcomes)
        line = Text(f"{row.condition:<{_LABEL_CELLS}}")
        line.append_text(strip(parts, round(cells * row.n / most) if most else 0))
        lines.append(line.append(f"  {row.n:,}", style=DIM))
    used: list[Hue] = [
        hue for hue, _ in _PARTS if any(parts_of(row.outcomes)[hue] for row in found.table)
    ]
    return Group(*lines, _legend(used, each=most / cells if cells else 1))


def strip(parts: Mapping[Hue, int], cells: int) -> Text:
    """Marks in proportion, exactly ``cells`` of them; what is there at all shows if it can."""
    line = Text()
    for (hue, _), marks in zip(
        _PARTS, _apportion([parts[hue] for hue, _ in _PARTS], cells), strict=True
    ):
        line.append(LOOKS[hue].mark * marks, style=LOOKS[hue].colour)
    return line


def _apportion(counts: Sequence[int], cells: int) -> list[int]:
    """Share cells out by largest remainder."""
    total = sum(counts)
    if not total:
        return [0] * len(counts)
    exact = [cells * number / total for number in counts]
    given = [int(share) for share in exact]
    order = sorted(range(len(counts)), key=lambda place: given[place] - exact[place])
    for place in order[: cells - sum(given)]:
        given[place] += 1
    return given


def _legend(used: Sequence[Hue], *, each: float) -> Text:
    line = Text(" " * _LABEL_CELLS)
    words: dict[Hue, str] = dict(_PARTS)
    for hue in used:
        line.append(f"{LOOKS[hue].mark} ", style=LOOKS[hue].colour)
        line.append(f"{words[hue]}   ", style=DIM)
    if each > 1:
        line.append(f"(a mark is {each:.1f} trials)", style=DIM)
    return line
