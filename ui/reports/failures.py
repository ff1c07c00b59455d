"""The failures of a sweep: which causes, and for each where it struck and what to open next.

One block a cause, the largest first. Inside, the same five questions in the same order, so
that two causes can be compared by looking: phase, ceiling, task, agent, command.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.console import Group as Renderables
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from analysis.failures import CauseGroup, Failures, Group
from analysis.wording import count, listing
from ui import tables
from ui.palette import DIM, LOOKS, chip, hue_of, look_of
from ui.text import bar, shortened

_MOST_GROUPS: Final = 6
_MOST_LINES: Final = 3
_BAR_CELLS: Final = 20
_COMMAND_CHARS: Final = 60

_COUNTS_AS: Final = {
    "fail": "counts as not solved",
    "timeout": "counts as not solved",
    "infra_error": "counts as an infra error",
    "infra_suspect": "a suspect: not solved in the headline, an infra error in the sensitivity run",
    "timeout_infra": "not solved in the headline, an infra error in the sensitivity run",
}


def content(sweep: str, failures: Failures) -> dict[str, object]:
    """Give all groups as plain data."""
    return {"about": "sweep", "sweep": sweep, "failures": failures}


def render(failures: Failures, conditions: Sequence[str] = ()) -> RenderableType:
    """Show the sentence, then a block for each cause.

    Args:
        failures: grouped.
        conditions: names in the order of the ceilings; others come after them.

    """
    blocks: list[RenderableType] = [tables.answer(_sentence(failures))]
    widest = max((len(cause.cause) for cause in failures.by_cause), default=0)
    blocks += [_block(cause, conditions, widest) for cause in failures.by_cause]
    blocks += _notes(failures)
    return Renderables(*blocks)


def _sentence(failures: Failures) -> str:
    counted = failures.trials - failures.excluded
    if not counted:
        return "No trial has ended yet."
    if not failures.failed:
        return f"All {count(counted, 'trial')} passed."
    hues = Counter[str]()
    for cause in failures.by_cause:
        hues[LOOKS[hue_of(cause.cause)].words] += cause.trials
    kinds = listing([f"{trials:,} {words}" for words, trials in hues.most_common()])
    part = 100 * failures.failed / counted
    return f"{failures.failed:,} of {counted:,} trials ({part:.1f}%) did not pass: {kinds}."


def _block(cause: CauseGroup, conditions: Sequence[str], widest: int) -> RenderableType:
    look = look_of(cause.cause)
    head = chip(cause.cause, cause.cause.ljust(widest))
    head.append(f"  {bar(cause.share, _BAR_CELLS).rstrip()} ", style=look.colour)
    head.append(f"{cause.trials:,}", style="bold")
    head.append(f" of the failures ({100 * cause.share:.0f}%)", style="not bold")
    sure = "" if cause.confidence == "certain" else f", {cause.confidence} at best"
    said = f"{cause.says}{sure}; {_COUNTS_AS.get(cause.counts_as, cause.counts_as)}"
    return Renderables(
        Text(), head, tables.indented(Text(said)), tables.indented(_where(cause, conditions))
    )


def _where(cause: CauseGroup, conditions: Sequence[str]) -> Table:
    rows: list[tuple[str, tables.Cell]] = []
    for name, groups in (
        ("phase", cause.by_phase),
        ("ceiling", _in_order(cause.by_condition, conditions)),
        ("task", cause.by_task),
        ("agent", cause.by_agent),
    ):
        if any(group.key is not None for group in groups):
            rows.append((name, _groups(groups)))
    commands = [group for group in cause.by_command if group.key is not None]
    rows += [
        ("command" if place == 0 else "", f"{group.trials} × {_command(group)}")
        for place, group in enumerate(commands[:_MOST_LINES])
    ]
    tasks = [group.key for group in cause.by_task if group.key is not None]
    examples = list(zip(cause.examples, tasks, strict=False))
    rows += [
        ("open next" if place == 0 else "", _example(trial, task))
        for place, (trial, task) in enumerate(examples[:_MOST_LINES])
    ]
    return tables.pairs(rows)


def _in_order(groups: Sequence[Group], names: Sequence[str]) -> list[Group]:
    """Put groups in the order of their names, where they are known."""
    places = {name: place for place, name in enumerate(names)}
    return sorted(groups, key=lambda group: places.get(group.key or "", len(places)))


def _example(trial: str, task: str) -> Text:
    return Text(f"barograph why {trial}").append(f"  {task}", style=DIM)


def _command(group: Group) -> str:
    return shortened(group.key or "", _COMMAND_CHARS)


def _groups(groups: Sequence[Group]) -> str:
    shown = [
        f"{'not known' if group.key is None else group.key} {group.trials}"
        for group in groups[:_MOST_GROUPS]
    ]
    rest = groups[_MOST_GROUPS:]
    if rest:
        shown.append(f"{len(rest)} more {sum(group.trials for group in rest)}")
    return " · ".join(shown)


def _notes(failures: Failures) -> list[RenderableType]:
    notes: list[str] = []
    if failures.passed_with_kill:
        killed = count(failures.passed_with_kill, "trial")
        notes.append(f"{killed} passed although something in the sandbox was killed")
    if failures.excluded:
        notes.append(f"{count(failures.excluded, 'trial')} cancelled by an operator: in no rate")
    return [tables.section("Also", tables.bullets(notes))] if notes else []
