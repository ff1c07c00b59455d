"""What a pruning would remove, or has removed."""

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.folder import DataFolder
from barograph.units import format_bytes
from store.retention.planning import Plan, PrunableSweep
from store.retention.pruner import Effect
from ui import tables
from ui.palette import DIM
from ui.text import moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """What ``prune`` answers."""

    done: bool
    """False: only foreseen."""
    folder: str
    sweeps: list[PrunableSweep]
    before_t_us: int | None
    events: int
    """In the tables."""
    writers: int
    """Whose events they are."""
    trials: int
    effect: Effect
    unfinished: bool
    """Something that was pruned before was still here."""
    shared_log: str | None
    """Where the lines stay until retention takes them."""


def pruning(
    folder: DataFolder, plan: Plan, effect: Effect, *, unfinished: bool, done: bool = False
) -> Pruning:
    """Put together what is told.

    Args:
        folder: whose.
        plan: what goes.
        effect: what goes, or went, from the disk.
        unfinished: whether something that was pruned before was still there.
        done: whether it has gone.

    """
    return Pruning(
        done=done,
        folder=str(folder.root),
        sweeps=plan.sweeps,
        before_t_us=plan.before_t_us,
        events=plan.events,
        writers=len(plan.ranges),
        trials=len(plan.trials),
        effect=effect,
        unfinished=unfinished,
        shared_log=folder.shared_log_url,
    )


def render(found: Pruning) -> RenderableType:
    """Show it for people."""
    effect = found.effect
    rows: list[tuple[str, tables.Cell]] = [
        ("tables", f"{count(found.events, 'event')} of {count(found.writers, 'writer')}"),
        ("journal", f"{count(effect.lines, 'line')}, {format_bytes(effect.journal_bytes)}"),
        ("printed", f"by {count(effect.outputs, 'trial')}, {format_bytes(effect.output_bytes)}"),
    ]
    if not found.done:
        rows.append(("database", f"{format_bytes(effect.store_bytes)} as it is, made anew"))
    parts: list[RenderableType] = [tables.answer(_sentence(found))]
    if found.sweeps:
        parts.append(
            tables.section("Sweeps", tables.bullets([_sweep(one) for one in found.sweeps]))
        )
    if found.events or effect.lines or effect.outputs:
        parts.append(tables.section("Went" if found.done else "Would go", tables.pairs(rows)))
    if notes := _notes(found):
        parts += [Text(), *(Text(note, style=DIM) for note in notes)]
    return Group(*parts)


def _sentence(found: Pruning) -> str:
    if not found.events:
        if not found.unfinished:
            return "There is nothing to remove."
        verb = "Removed" if found.done else "Would remove"
        return f"{verb} what an earlier pruning left on this machine."
    what = count(len(found.sweeps), "sweep")
    if found.before_t_us is not None:
        what += f", and what is of no sweep, from before {moment(found.before_t_us)}"
    return f"{'Removed' if found.done else 'Would remove'} {what}."


def _sweep(one: PrunableSweep) -> str:
    name = one.sweep if one.name is None else f"{one.name} ({one.sweep})"
    trials, events = count(one.trials, "trial"), count(one.events, "event")
    return f"{name}: {trials}, {events}, from {moment(one.first_t_us)} to {moment(one.last_t_us)}"


def _notes(found: Pruning) -> list[str]:
    if not (found.events or found.unfinished):
        return []
    keeps = "The log keeps that it was removed, by whom, and the numbers of the events."
    if found.shared_log is None:
        return [keeps]
    stays = f"{found.shared_log} has the lines until its retention takes them"
    return [
        keeps,
        f"{stays}; no store that loads it shows them.",
        "Other machines remove what they have of it with the same command.",
        "'barograph load --rebuild' makes the database anew, without what its file still has.",
    ]
