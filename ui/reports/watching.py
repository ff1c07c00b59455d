"""What a collector sees of some targets right now: the last second of each, and its kills.

A peak is shown beside the usage because it is the truth about the second: a program that
allocated and freed in between is invisible in usage.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.envelope import Event
from barograph.facts import OomKill, Sample, SandboxDestroyed
from barograph.metrics import PeakKind
from barograph.shipping.keeping import Shipping
from barograph.units import format_bytes
from collector.client import CollectorStatus
from ui import tables
from ui.palette import LOOKS
from ui.text import UNKNOWN, bar, clock_time

_BAR_CELLS: Final = 12
_LAST_KILLS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """One kill, for people."""

    t_us: int
    target: str
    comm: str | None
    pid: int | None
    rss_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is known of one target so far."""

    target: str
    samples: int = 0
    usage_bytes: int | None = None
    peak_bytes: int | None = None
    """Highest usage within the last interval."""
    peak_kind: PeakKind | None = None
    highest_bytes: int | None = None
    """Highest peak of all intervals that were seen."""
    limit_bytes: int | None = None
    cpu_cores: float | None = None
    pids: int | None = None
    kills: tuple[Killed, ...] = ()
    ended: bool = False

    def with_event(self, event: Event) -> "Seen":
        """The same target after one more fact about it; other facts change nothing."""
        match event.payload:
            case Sample() as sample:
                return self._with_sample(sample)
            case OomKill() as kill:
                killed = Killed(
                    t_us=kill.killed_t_us or event.t_us,
                    target=self.target,
                    comm=kill.victim_comm,
                    pid=kill.victim_pid,
                    rss_bytes=kill.victim_rss_bytes,
                )
                return replace(self, kills=(*self.kills, killed))
            case SandboxDestroyed() as end:
                peaks = [size for size in (self.highest_bytes, end.peak_bytes) if size is not None]
                return replace(self, ended=True, highest_bytes=max(peaks, default=None))
            case _:
                return self

    def _with_sample(self, sample: Sample) -> "Seen":
        sizes = (self.highest_bytes, sample.peak_bytes, sample.usage_bytes)
        known = [size for size in sizes if size is not None]
        cores = None
        if sample.cpu_usage_us is not None and sample.interval_us:
            cores = sample.cpu_usage_us / sample.interval_us
        return replace(
            self,
            samples=self.samples + 1,
            usage_bytes=sample.usage_bytes,
            peak_bytes=sample.peak_bytes,
            peak_kind=None if sample.peak_kind is None else PeakKind(sample.peak_kind),
            highest_bytes=max(known, default=None),
            limit_bytes=sample.limit_bytes,
            cpu_cores=cores,
            pids=sample.pids,
        )


def fold(seen: Mapping[str, Seen], events: Iterable[Event]) -> dict[str, Seen]:
    """Take new facts about the targets in ``seen``; those about others are left out."""
    now = dict(seen)
    for event in events:
        target = event.belongs.target
        if target in now:
            now[target] = now[target].with_event(event)
    return now


def content(seen: Mapping[str, Seen]) -> dict[str, object]:
    """Give what was seen of each target, as plain data."""
    return {"targets": list(seen.values())}


def status_content(status: CollectorStatus, shipping: Shipping | None) -> dict[str, object]:
    """Of a collector that runs, for programs."""
    return {
        "source": status.source,
        "pid": status.pid,
        "ticks": status.ticks,
        "watched": list(status.targets),
        "shipping": shipping,
    }


def render_status(status: CollectorStatus, shipping: Shipping | None) -> RenderableType:
    """Of a collector that runs: that it does, and whether what it sees arrives."""
    watched = f" and {count(len(status.targets), 'cgroup')}" if status.targets else ""
    alive = f"Process {status.pid} watches this machine{watched}: {count(status.ticks, 'tick')}."
    if shipping is None:
        return tables.answer(alive)
    waits = f"{format_bytes(shipping.waiting_bytes)} of the journal wait for {shipping.log}"
    wrong = "" if shipping.error is None else f": {shipping.error}"
    return Group(tables.answer(alive), Text(f"{waits}{wrong}."))


def render(seen: Mapping[str, Seen]) -> RenderableType:
    """A line a target, and the last kills below."""
    if not seen:
        return tables.answer("This machine alone was watched: no cgroup was named.")
    columns = [
        tables.text("target", shrink=True),
        tables.number("usage"),
        tables.number("peak in 1 s"),
        tables.number("highest"),
        tables.number("ceiling"),
        tables.text(""),
        tables.number("CPU"),
        tables.number("pids"),
        tables.number("kills"),
    ]
    table = tables.table(columns, (_row(one) for one in seen.values()))
    kills = sorted((kill for one in seen.values() for kill in one.kills), key=_when)
    if not kills:
        return table
    lines = [kill_line(kill) for kill in reversed(kills[-_LAST_KILLS:])]
    return Group(table, tables.section("Kills, newest first", *lines))


def kill_line(kill: Killed) -> Text:
    """One kill in a line."""
    line = Text(f"{LOOKS['memory'].mark} {clock_time(kill.t_us)} ", style=LOOKS["memory"].colour)
    line.append(f"{kill.comm or 'a process'}", style="bold")
    if kill.pid is not None:
        line.append(f" (pid {kill.pid})")
    if kill.rss_bytes is not None:
        line.append(f", {format_bytes(kill.rss_bytes)} resident")
    line.append(f" in {kill.target}", style="dim")
    return line


def _row(one: Seen) -> list[tables.Cell]:
    peak = one.peak_bytes
    share = peak / one.limit_bytes if peak is not None and one.limit_bytes else None
    style = LOOKS["memory"].colour if one.kills else ""
    return [
        Text(one.target, style="dim" if one.ended else ""),
        format_bytes(one.usage_bytes),
        format_bytes(peak) if one.peak_kind is PeakKind.INTERVAL else UNKNOWN,
        format_bytes(one.highest_bytes),
        format_bytes(one.limit_bytes),
        bar(share, _BAR_CELLS),
        UNKNOWN if one.cpu_cores is None else f"{one.cpu_cores:.2f}",
        UNKNOWN if one.pids is None else f"{one.pids:,}",
        Text(str(len(one.kills)), style=style),
    ]


def _when(kill: Killed) -> int:
    return kill.t_us
