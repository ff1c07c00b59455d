"""What the page Live asks: what runs now, who was killed last, how far, on which hosts.

The questions are made for being asked every second while a sweep of 1,000 running trials
writes: each looks only at what is recent. ``span`` finds since when anything runs; ``lanes``
takes that as a number, so that DuckDB skips whole blocks of older rows by their lowest and
highest time instead of joining all of them. Filters and pages are the query's work, too, so
that what travels is what is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from barograph.clock import US_PER_S
from store.answers import Answers
from store.catalogue import query

if TYPE_CHECKING:
    from store.literals import Value

PEAK_OVER_US: Final = 3600 * US_PER_S
"""Samples older than this are not looked at for a lane's highest peak."""
RATE_OVER_US: Final = 120 * US_PER_S
HOSTS_OVER_US: Final = 60 * US_PER_S
BEGINNING: Final = "beginning"
"""The phase of a try that no phase has been told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignRow:
    """A sweep's plan and its latest campaign."""

    sweep: str
    name: str
    trials: int
    """Planned."""
    source: str | None
    """The runner of the latest campaign; None: none has begun."""
    concurrency: int | None
    started_t_us: int | None
    finished_t_us: int | None
    """None while it runs, or after it was killed."""
    finished_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Tries that have begun and not ended."""

    begun: int
    first_t_us: int | None
    last_t_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which lanes are wanted: filters that are all met, and a page of what they leave."""

    text: str | None = None
    """Part of a task's name, or the beginning of a trial's id."""
    agents: Sequence[str] = ()
    """None named: all."""
    conditions: Sequence[str] = ()
    phases: Sequence[str] = ()
    most: int = 60
    skip: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRow:
    """A try that has begun and not ended, as last heard of."""

    trial: str
    try_no: int
    task: str
    agent: str
    condition: str
    attempt: int
    host: str
    source: str
    """The runner that began it."""
    started_t_us: int
    phase: str | None
    phase_started_t_us: int | None
    usage_bytes: int | None
    """By the newest sample."""
    peak_bytes: int | None
    """Highest interval peak since the try began, or of the last hour."""
    ceiling_bytes: int | None
    """As applied; None when uncapped or not known."""
    parent_cap_bytes: int | None
    sampled_t_us: int | None
    kills: int
    last_kind: str
    """kill, command, phase, sandbox or begun: what the newest event but samples was."""
    last_what: str | None
    """The victim, the command or the phase."""
    last_how: str | None
    """How that command ended."""
    last_t_us: int
    matching: int
    """Lanes that the filters leave, on all pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressRow:
    """How far a sweep is, and what its judged outcomes count as."""

    begun: int
    """Trials."""
    ended: int
    """Trials with a standing try."""
    lately: int
    """Of these, since the moment that was asked about."""
    judged: int
    counted: int
    """Judged and not left out of rates."""
    infra: int
    suspects: int
    passed: int
    policy_version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentKillRow:
    """One of the newest kills."""

    trial: str
    try_no: int
    ordinal: int
    at_us: int
    victim: str | None
    victim_pid: int | None
    victim_rss_bytes: int | None
    ceiling_bytes: int | None
    task: str | None
    agent: str | None
    condition: str | None
    phase: str | None
    kills: int
    """Of the whole sweep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A host by its newest sample; shares are of the sample's interval."""

    host: str
    cores: int | None
    t_us: int
    load1: float | None
    busy_cores: float | None
    memory_total_bytes: int | None
    memory_available_bytes: int | None
    memory_lowest_bytes: int | None
    """Lowest available in the window."""
    psi_memory: float | None
    psi_memory_highest: float | None
    """In the window."""
    psi_cpu: float | None
    psi_io: float | None
    targets: int | None
    disk_free_bytes: int | None


def campaign(answers: Answers, sweep: str) -> CampaignRow | None:
    """The sweep's plan and latest campaign; None: there is no such sweep."""
    found = answers.ask(query("live_campaign").fill({"sweep": sweep})).to(CampaignRow)
    return found[0] if found else None


def span(answers: Answers, sweep: str) -> Span:
    """Since when does anything of the sweep run?"""
    return answers.ask(query("live_span").fill({"sweep": sweep})).to(Span)[0]


def lanes(answers: Answers, sweep: str, found: Span, wanted: Wanted) -> list[LaneRow]:
    """One page of what runs, tightest against their ceiling first.

    Args:
        answers: a store.
        sweep: its id.
        found: what ``span`` said a moment ago; what began since then and is not within it
            is seen the next time.
        wanted: filters and page.

    """
    if found.first_t_us is None or found.last_t_us is None:
        return []
    values: dict[str, Value] = {
        "sweep": sweep,
        "since_us": found.first_t_us,
        "samples_us": max(found.first_t_us, found.last_t_us - PEAK_OVER_US),
        "text": wanted.text or None,
        "agents": tuple(wanted.agents),
        "conditions": tuple(wanted.conditions),
        "phases": tuple(wanted.phases),
        "most": wanted.most,
        "skip": wanted.skip,
    }
    return answers.ask(query("live_lanes").fill(values)).to(LaneRow)


def progress(answers: Answers, sweep: str, *, since_us: int) -> ProgressRow:
    """How far the sweep is; ``lately`` counts outcomes since ``since_us``."""
    sql = query("live_progress").fill({"sweep": sweep, "since_us": since_us})
    return answers.ask(sql).to(ProgressRow)[0]


def kills(answers: Answers, sweep: str, *, most: int) -> list[RecentKillRow]:
    """The newest kills, newest first."""
    sql = query("live_kills").fill({"sweep": sweep, "most": most})
    return answers.ask(sql).to(RecentKillRow)


def hosts(answers: Answers, *, now_us: int) -> list[HostRow]:
    """Hosts that were heard of within the last minute."""
    sql = query("live_hosts").fill({"since_us": now_us - HOSTS_OVER_US})
    return answers.ask(sql).to(HostRow)
