"""The cell table as rows of the Tasks page: the map, its order, and the tasks that flipped."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.cells import Cell, Outcomes
from analysis.flips import Flip, Flips
from analysis.intervals import newcombe
from analysis.wording import count
from ui.explorer.charts.map import MapCell
from ui.reports.numbers import p_cell

_USUAL_LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRow:
    """One task whose solved share differs between two ceilings."""

    task: str
    passed_a: int
    trials_a: int
    passed_b: int
    trials_b: int
    change_points: float
    """Agents weighing the same."""
    low_points: float | None
    """95%, Newcombe, agents pooled."""
    high_points: float | None
    p_value: float
    q_value: float
    killed_a: int
    """Trials that the ceiling ended, at each of the two."""
    killed_b: int
    was: str
    now: str


def map_cells(cells: Sequence[Cell], agents: Sequence[str]) -> tuple[MapCell, ...]:
    """Counts by task and condition; no agents means all."""
    sums: defaultdict[tuple[str, str], Outcomes] = defaultdict(Outcomes)
    for cell in cells:
        if not agents or cell.contestant in agents:
            sums[cell.task, cell.condition] += cell.outcomes
    return tuple(
        MapCell(
            task=task,
            condition=condition,
            trials=found.n,
            passed=found.passed,
            killed=found.killed,
        )
        for (task, condition), found in sums.items()
    )


def by_effect(cells: Sequence[MapCell], a: str, b: str) -> list[str]:
    """Tasks, those that gained most from ``a`` to ``b`` first, those that lost most last.

    Where nothing changed, the task that is solved more often comes first; where one of the
    two was not tried, nothing is known of a change.
    """
    shares = {(cell.task, cell.condition): cell.share for cell in cells}
    tried: defaultdict[str, list[MapCell]] = defaultdict(list)
    for cell in cells:
        tried[cell.task].append(cell)

    def key(task: str) -> tuple[float, float, str]:
        before, after = shares.get((task, a)), shares.get((task, b))
        effect = 0.0 if before is None or after is None else after - before
        mine = tried[task]
        whole = sum(cell.passed for cell in mine) / max(1, sum(cell.trials for cell in mine))
        return -effect, -whole, task

    return sorted(tried, key=key)


def flip_rows(found: Flips, cells: Sequence[MapCell]) -> list[FlipRow]:
    """The changed tasks with their intervals, and how many trials the ceilings ended."""
    killed = {(cell.task, cell.condition): cell.killed for cell in cells}
    return [_flip(flip, found, killed) for flip in found.changed]


def _flip(flip: Flip, found: Flips, killed: dict[tuple[str, str], int]) -> FlipRow:
    ends = None
    if flip.attempts_a and flip.attempts_b:
        ends = newcombe(flip.passed_a, flip.attempts_a, flip.passed_b, flip.attempts_b)
    return FlipRow(
        task=flip.task,
        passed_a=flip.passed_a,
        trials_a=flip.attempts_a,
        passed_b=flip.passed_b,
        trials_b=flip.attempts_b,
        change_points=flip.change_points,
        low_points=None if ends is None else 100 * ends.low,
        high_points=None if ends is None else 100 * ends.high,
        p_value=flip.p_value,
        q_value=flip.q_value,
        killed_a=killed.get((flip.task, found.a), 0),
        killed_b=killed.get((flip.task, found.b), 0),
        was=flip.was,
        now=flip.now,
    )


def sentence(found: Flips) -> str:
    """How many tasks flipped between two configurations."""
    tasks = len(found.changed) + found.unchanged
    if not found.changed:
        return f"From {found.a} to {found.b}, none of {count(tasks, 'task')} changed."
    return (
        f"From {found.a} to {found.b}, {found.gained} of {count(tasks, 'task')} gained, "
        f"{found.lost} lost, and {found.unchanged} did not change."
    )


def why(rows: Sequence[FlipRow], found: Flips) -> str | None:
    """What the kills have to do with it."""
    gained = [row for row in rows if row.change_points > 0]
    killed = sum(row.killed_a > row.killed_b for row in gained)
    if not gained:
        return None
    if not killed:
        return "None of the tasks that gained had fewer kills there."
    return (
        f"In {killed} of the {count(len(gained), 'task')} that gained, the ceiling had killed "
        f"more trials at {found.a} than at {found.b}."
    )


def doubt(found: Flips) -> str | None:
    """That so few attempts can prove nothing for a single task."""
    least = min((flip.min_attainable_p for flip in found.changed), default=0.0)
    if least <= _USUAL_LEVEL:
        return None
    return f"with so few attempts no single task could have p below {p_cell(least)}"
