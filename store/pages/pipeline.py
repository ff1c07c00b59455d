"""What the page Pipeline asks: was everything seen, read and kept, and what did seeing cost?

Everything here is about the pipeline and not about a sweep: one collector watches all that
runs on a host. Histories come in at most ``SLICES`` slices, with the worst of each.
"""

from dataclasses import dataclass
from typing import Final

from store.answers import Answers
from store.catalogue import query
from store.gaps import explained
from store.story import GapRow, HostKills

SLICES: Final = 240
_MOST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class NowRow:
    """The pipeline in numbers, over all that the store holds."""

    first_t_us: int | None
    newest_t_us: int | None
    sources: int
    collectors: int
    """Collector processes."""
    dead_letters: int
    unknown_events: int
    missed_ticks: int
    missed_late_us: int | None
    served_ticks: int
    dropped_samples: int
    """Given up before they got into the log; those thinned out of it are gaps."""
    thinnings: int
    clock_steps: int
    largest_step_us: int | None
    self_interval_us: int
    """Time over which collectors told of their own cost."""
    self_cpu_us: int
    self_rss_bytes: int | None
    self_lateness_us: int | None
    self_events: int
    self_targets: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorBin:
    """Collectors in one slice."""

    slice: int
    cpu_mean: float
    """Share of one core."""
    cpu_highest: float
    rss_bytes: int | None
    lateness_us: int
    events_per_s: float
    targets: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LossBin:
    """What was lost or moved in one slice."""

    kind: str
    """missed ticks, samples given up, or clock steps (in microseconds)."""
    slice: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KillBin:
    """Kills in one slice, by the kernel's count or by what was told."""

    kind: str
    """counted or told."""
    slice: int
    kills: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRow:
    """A probe that could not work."""

    probe: str
    reason: str
    told: int
    t_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterRow:
    """A kind of pieces of the log that are no events."""

    reason: str
    pieces: int
    stream: str
    offset: int
    """Of the first such piece of any stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipperRow:
    """A process that ships a journal to the shared log, by what it said of itself."""

    log: str
    source: str
    t_us: int
    """When it last said something."""
    records: int
    size_bytes: int
    """Of journal lines that were acknowledged."""
    waiting_bytes: int
    """In the journal and not acknowledged, at ``t_us``."""
    worst_lag_us: int | None
    failures: int
    last_error: str | None
    cpu_mean: float
    """Share of one core."""
    rss_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """All that the page shows."""

    now: NowRow
    from_us: int
    to_us: int
    bin_us: int
    collector: list[CollectorBin]
    losses: list[LossBin]
    kills: list[KillBin]
    hosts: list[HostKills]
    gaps: list[GapRow]
    probes: list[ProbeRow]
    letters: list[LetterRow]
    shippers: list[ShipperRow]
    """The latest first; none where the journal is the log."""


def pipeline(answers: Answers) -> Pipeline:
    """Ask for everything."""
    now = answers.ask(query("pipeline_now").fill({})).to(NowRow)[0]
    to_us = now.newest_t_us or 0
    from_us = min(to_us, to_us if now.first_t_us is None else now.first_t_us)
    bin_us = max(1, -(-(to_us - from_us + 1) // SLICES))
    slices = {"from_us": from_us, "to_us": to_us, "bin_us": bin_us}
    most = {"most": _MOST}
    return Pipeline(
        now=now,
        from_us=from_us,
        to_us=to_us,
        bin_us=bin_us,
        collector=answers.ask(query("pipeline_collector").fill(slices)).to(CollectorBin),
        losses=answers.ask(query("pipeline_losses").fill(slices)).to(LossBin),
        kills=answers.ask(query("pipeline_kills").fill(slices)).to(KillBin),
        hosts=answers.ask(query("host_kills").fill({})).to(HostKills),
        gaps=explained(answers),
        probes=answers.ask(query("pipeline_probes").fill(most)).to(ProbeRow),
        letters=answers.ask(query("pipeline_letters").fill(most)).to(LetterRow),
        shippers=answers.ask(query("pipeline_shippers").fill(most)).to(ShipperRow),
    )
