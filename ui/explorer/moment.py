"""One look at a sweep that runs: everything the page Live says, as of one moment.

The moment has the server's time in it, and every "3 s ago" on the page counts from that:
a browser's clock may be an hour off, and a view that was frozen must not age. Freezing keeps
a moment with all its lanes, so that what is frozen can still be filtered and paged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.anytime import anytime
from analysis.wording import count, per_cent, span
from barograph.clock import US_PER_S
from barograph.units import format_duration
from store.pages.live import (
    BEGINNING,
    RATE_OVER_US,
    CampaignRow,
    HostRow,
    LaneRow,
    ProgressRow,
    RecentKillRow,
    Span,
    Wanted,
)
from ui.text import UNKNOWN, ago

State = Literal["planned", "running", "ended", "gone"]

_REASONS: Final = {
    "complete": "the sweep was complete",
    "stopped_by_user": "the user stopped it",
    "stopped_by_guard": "a guard stopped it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A sweep as it was at ``now_us``."""

    now_us: int
    """The server's clock."""
    campaign: CampaignRow
    alive: bool
    """Whether a runner holds the data folder."""
    span: Span
    lanes: tuple[LaneRow, ...]
    """A page of them, or all when it is frozen."""
    progress: ProgressRow
    kills: tuple[RecentKillRow, ...]
    """The newest."""
    hosts: tuple[HostRow, ...]

    @property
    def state(self) -> State:
        """What is going on."""
        if self.alive:
            return "running"
        if self.campaign.source is None:
            return "planned"
        return "gone" if self.campaign.finished_t_us is None else "ended"

    @property
    def per_minute(self) -> float | None:
        """Outcomes a minute, over the last two minutes of a living campaign."""
        began_us = self.campaign.started_t_us
        if self.state != "running" or began_us is None or not self.progress.lately:
            return None
        over_us = min(RATE_OVER_US, self.now_us - began_us)
        return self.progress.lately * 60 * US_PER_S / over_us if over_us > 0 else None

    @property
    def left_s(self) -> float | None:
        """Seconds to the end, if it goes on like this."""
        rate, left = self.per_minute, self.campaign.trials - self.progress.ended
        return None if not rate else max(0, left) * 60 / rate


def since_us(now_us: int) -> int:
    """From when on outcomes count for the pace."""
    return now_us - RATE_OVER_US


def sentence(moment: Moment) -> str:
    """What is happening now?"""
    ended, planned = moment.progress.ended, moment.campaign.trials
    begun = moment.span.begun
    far = f"{ended:,} of {count(planned, 'trial')} {'has' if ended == 1 else 'have'} ended"
    if moment.state == "running":
        runs = f"{begun:,} {'runs' if begun == 1 else 'run'} now"
        if moment.left_s is None:
            return f"{far}; {runs}"
        return f"{far}; {runs}, and about {format_duration(moment.left_s)} are left"
    if moment.state == "planned":
        return f"Nothing has begun yet: {count(planned, 'trial')} {_are(planned)} planned"
    if moment.state == "ended":
        when = ago(moment.now_us, moment.campaign.finished_t_us)
        reason = moment.campaign.finished_reason or ""
        return f"Nothing runs: {far}; {_REASONS.get(reason, reason)} {when}"
    if begun:
        tries = f"{begun:,} {'try' if begun == 1 else 'tries'} began"
        return f"{tries} and their runner is gone; {far}"
    return f"The runner is gone; {far}"


def notes(moment: Moment) -> list[str]:
    """What is to be known about the sentence."""
    said: list[str] = []
    unjudged = moment.progress.ended - moment.progress.judged
    if moment.state == "gone":
        said.append("the same 'barograph run' goes on where it stopped, and runs them again")
    if unjudged > 0:
        said.append(f"{count(unjudged, 'outcome')} {_are(unjudged)} not judged yet")
    if moment.progress.policy_version is not None:
        said.append(f"computed under policy {moment.progress.policy_version}")
    if moment.state == "running" and not moment.hosts:
        said.append("no collector has told of a host within the last minute")
    return said


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """The share of infra errors so far, in words."""

    value: str
    says: str


def infra(progress: ProgressRow) -> Rate:
    """How many outcomes are infra errors so far, with a bound that holds at every look."""
    bound = anytime(progress.infra, progress.counted)
    if bound is None:
        return Rate(value=UNKNOWN, says="no outcome is judged yet")
    between = span(bound.low, bound.high, unit="rate")
    says = f"{progress.infra:,} of {progress.counted:,} judged outcomes; {between} (anytime 95%)"
    if progress.suspects:
        says += f"; {progress.suspects:,} more suspected"
    return Rate(value=per_cent(progress.infra / progress.counted), says=says)


def pace(moment: Moment) -> str:
    """Trials a minute."""
    return f"{moment.per_minute:.1f}" if moment.per_minute else UNKNOWN


def matching(rows: Sequence[LaneRow], wanted: Wanted) -> list[LaneRow]:
    """The lanes that filters leave, as ``store.pages.live.lanes`` does in SQL, on all pages."""
    text = (wanted.text or "").lower()
    return [
        row
        for row in rows
        if (not text or text in row.task.lower() or row.trial.startswith(text))
        and (not wanted.agents or row.agent in wanted.agents)
        and (not wanted.conditions or row.condition in wanted.conditions)
        and (not wanted.phases or (row.phase or BEGINNING) in wanted.phases)
    ]
