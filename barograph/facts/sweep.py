"""What was planned, and how a campaign over the plan began and ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from barograph.facts.base import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlanned(Fact):
    """The whole plan, written once, before the first trial. ``sweep`` is in the envelope."""

    type: ClassVar[str] = "sweep.planned"

    name: str
    digest: str
    """sha256 over the resolved sweep file and every task's digest: what resume compares."""
    seed: int
    trials: int
    attempts: int
    spec: Mapping[str, object]
    """The sweep file as read, defaults filled in."""
    product_version: str
    harness: str
    tasks: Mapping[str, str]
    """Task name -> digest of the task's directory."""
    dataset: str | None = None
    timezone: str = "UTC"
    """Declared zone for hour-of-day questions (an IANA name), never the server's."""
    oom_scope: Literal["sandbox", "process"] | None = None
    conditions: list[str] | None = None
    """Condition names in the order of the sweep file (the order of the ceilings)."""
    agents: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStarted(Fact):
    """A campaign process began (or resumed) work on the plan."""

    type: ClassVar[str] = "sweep.started"

    host: str
    pid: int
    concurrency: int
    resumed: bool
    trials_left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepFinished(Fact):
    """A campaign process ended."""

    type: ClassVar[str] = "sweep.finished"

    reason: Literal["complete", "stopped_by_user", "stopped_by_guard"]
    trials_ended: int
    message: str | None = None
