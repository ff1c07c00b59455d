"""How far a sweep is, what runs now, and whether what is seen can be trusted.

The first line answers "how far", the tables "what now" and "what died", the last lines
"is somebody watching": collector, journal, database, and the audit of kills.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.shipping.keeping import Shipping
from barograph.units import format_bytes, format_duration
from store.rows import ConditionCount, RunningRow, StoreCounts, SweepRow
from store.story import HostKills
from ui import tables
from ui.palette import BOLD, DIM, LOOKS
from ui.reports.shipping import line as shipping_line
from ui.text import UNKNOWN, ago, bar, clock_time, mebibytes, per_minute, shortened

_BAR_CELLS: Final = 30
_SMALL_BAR: Final = 6
_MOST_RUNNING: Final = 20
_COMMAND_CHARS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class KilledTry:
    """A try in which the kernel killed something."""

    trial: str
    task: str
    agent: str
    condition: str
    t_us: int
    """When the try ended."""
    victim: str | None
    phase: str | None
    command: str | None
    kills: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What ``status`` answers."""

    now_us: int
    folder: str
    sweep: SweepRow | None
    """None while no campaign has written its plan."""
    per_minute: float | None
    """Outcomes a minute, over the last minutes of the campaign."""
    left_s: float | None
    conditions: tuple[ConditionCount, ...]
    running: tuple[RunningRow, ...]
    kills: tuple[KilledTry, ...]
    """Newest first."""
    campaign_pid: int | None
    collector_pid: int | None
    journal_bytes: int
    journal_files: int
    store: StoreCounts
    lag_s: float | None
    """Age of the newest event in the database; None while it is empty."""
    audit: tuple[HostKills, ...]
    shipping: Shipping | None
    """None: the journal is the whole log."""


def render(status: Status) -> RenderableType:
    """Show the status for people."""
    if status.sweep is None:
        said = tables.answer("No sweep has been planned in this data folder yet.")
        return Group(said, Text(), _pipeline(status))
    parts: list[RenderableType] = [_progress(status, status.sweep)]
    parts.append(tables.section("Ceilings", _conditions(status)))
    if status.running:
        title = "Running now, memory in MiB"
        if status.campaign_pid is None:
            title = "Begun and not ended, by a campaign that is gone; the next one runs them again"
        parts.append(tables.section(title, _running(status)))
    if status.kills:
        parts.append(tables.section("Killed, newest first", _kills(status)))
    parts.append(tables.section("Can this be trusted?", _pipeline(status)))
    return Group(*parts)


def _progress(status: Status, sweep: SweepRow) -> RenderableType:
    share = sweep.standing / sweep.trials if sweep.trials else 1.0
    full = round(share * _BAR_CELLS)
    line = Text.assemble((f"{sweep.name} ", BOLD), "━" * full, ("─" * (_BAR_CELLS - full), DIM))
    line.append(f" {sweep.standing:,}", style=BOLD)
    line.append(f" of {sweep.trials:,} trials have an outcome")
    return Group(line, Text(_state(status, sweep), style=DIM))


def _state(status: Status, sweep: SweepRow) -> str:
    if status.campaign_pid is not None:
        pace = per_minute(status.per_minute) if status.per_minute else "no rate yet"
        left = f", {format_duration(status.left_s)} left" if status.left_s is not None else ""
        return f"running (pid {status.campaign_pid}), {pace}{left}"
    if sweep.finished_reason is not None and sweep.finished_t_us is not None:
        words = {
            "complete": "complete",
            "stopped_by_user": "stopped by the user",
            "stopped_by_guard": "stopped by a guard",
        }
        ended = words.get(sweep.finished_reason, sweep.finished_reason)
        return f"{ended}, {ago(status.now_us, sweep.finished_t_us)}"
    return "no campaign is alive: the last one was killed; the same 'barograph run' goes on"


def _conditions(status: Status) -> RenderableType:
    columns = [
        tables.text("ceiling"),
        tables.text("agent"),
        tables.number("ended"),
        tables.number("passed"),
        tables.number("killed"),
        tables.number("out of time"),
        tables.number("our failures"),
    ]
    order = {name: place for place, name in enumerate(_names(status))}
    ranked = sorted(
        status.conditions, key=lambda one: (order.get(one.condition, len(order)), one.agent)
    )
    return tables.table(columns, map(_condition_row, ranked))


def _condition_row(one: ConditionCount) -> list[tables.Cell]:
    return [
        one.condition,
        one.agent,
        f"{one.standing:,}",
        _counted(one.passed, LOOKS["pass"].colour),
        _counted(one.killed, LOOKS["memory"].colour),
        _counted(one.timed_out, LOOKS["timeout"].colour),
        _counted(one.errors, LOOKS["harness"].colour),
    ]


def _names(status: Status) -> Sequence[str]:
    return (status.sweep.conditions if status.sweep else None) or ()


def _counted(number: int, colour: str) -> Text:
    return Text(f"{number:,}", style=colour if number else DIM)


def _running(status: Status) -> RenderableType:
    columns = [
        tables.text("trial", dim=True),
        tables.text("task", shrink=True),
        tables.text("agent"),
        tables.text("ceiling"),
        tables.text("phase"),
        tables.number("for"),
        tables.number("usage"),
        tables.number("peak"),
        tables.number("of"),
        tables.text(""),
    ]
    rows = [_running_row(one, status.now_us) for one in status.running[:_MOST_RUNNING]]
    hidden = len(status.running) - len(rows)
    more = [Text(f"and {hidden} more", style=DIM)] if hidden > 0 else []
    return Group(tables.table(columns, rows), *more)


def _running_row(one: RunningRow, now_us: int) -> list[tables.Cell]:
    since = one.phase_started_t_us or one.started_t_us
    share = one.peak_bytes / one.ceiling_bytes if one.peak_bytes and one.ceiling_bytes else None
    gauge = Text(bar(share, _SMALL_BAR), style=LOOKS["memory"].colour if one.kills else "")
    return [
        one.trial[:6],
        one.task,
        one.agent,
        one.condition,
        one.phase or UNKNOWN,
        format_duration(max(0.0, (now_us - since) / 1e6)),
        mebibytes(one.usage_bytes),
        mebibytes(one.peak_bytes),
        mebibytes(one.ceiling_bytes),
        gauge,
    ]


def _kills(status: Status) -> RenderableType:
    columns = [
        tables.text("ended"),
        tables.text("trial", dim=True),
        tables.text("task", shrink=True),
        tables.text("agent"),
        tables.text("ceiling"),
        tables.text("killed while it ran", shrink=True),
    ]
    return tables.table(columns, map(_kill_row, status.kills))


def _kill_row(one: KilledTry) -> list[tables.Cell]:
    look = LOOKS["memory"]
    what = shortened(one.command or one.victim or one.phase or "", _COMMAND_CHARS)
    return [
        clock_time(one.t_us),
        one.trial[:6],
        one.task,
        one.agent,
        one.condition,
        Text.assemble((f"{look.mark} ", look.colour), what),
    ]


def _pipeline(status: Status) -> RenderableType:
    store = status.store
    collector = (
        f"alive (pid {status.collector_pid})"
        if status.collector_pid is not None
        else "not alive"
        if status.campaign_pid is not None
        else "not running, as nothing is watched"
    )
    journal = f"{format_bytes(status.journal_bytes)} in {count(status.journal_files, 'file')}"
    loaded = f"{store.events:,} events, {store.samples:,} of them samples"
    if status.lag_s is not None:
        loaded += f"; the newest is {format_duration(max(0.0, status.lag_s))} old"
    rows: list[tuple[str, tables.Cell]] = [
        ("collector", collector),
        ("journal", journal),
        *_shared(status),
        ("database", loaded),
        ("missing", _missing(store)),
        *(("kills", _audit(one)) for one in status.audit),
    ]
    return tables.pairs(rows)


def _shared(status: Status) -> list[tuple[str, tables.Cell]]:
    if status.shipping is None:
        return []
    return [("shared log", shipping_line(status.shipping, status.now_us))]


def _missing(store: StoreCounts) -> str:
    found: list[str] = []
    if store.missing_seqs:
        found.append(count(store.missing_seqs, "event is missing", "events are missing"))
    if store.dead_letters:
        found.append(count(store.dead_letters, "line is no event", "lines are no events"))
    return "; ".join(found) + "; 'barograph verify' says which" if found else "nothing"


def _audit(host: HostKills) -> str:
    said = f"the kernel of {host.host} counted {host.counted:,}, of which {host.attributed:,} ours"
    if host.foreign:
        said += f" and {host.foreign:,} of others"
    if host.unclaimed:
        return f"{said}; nobody claims {host.unclaimed:,}: 'barograph verify' says what that means"
    return f"{said}; every one is accounted for"
