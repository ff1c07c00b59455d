"""What the page Overview asks: the cell table of a sweep, and how much of it is known.

Rates, intervals and tests need counts by contestant, task and condition and nothing else,
so a sweep of 50,000 trials comes as one row a cell; no trial travels but the few that the
page links to.
"""

from dataclasses import dataclass

from store.answers import Answers
from store.catalogue import query


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """Outcomes of one contestant at one task under one condition."""

    sweep: str
    model: str | None
    agent: str
    task: str
    condition: str
    passed: int
    infra: int
    fail: int
    timeout: int
    suspect: int
    timeout_infra: int
    excluded: int
    killed: int
    """Ended by a kill of their own ceiling, whatever they count as (but excluded ones)."""
    certain: int
    """Of infra, suspect and timeout_infra, by the verdict's confidence."""
    likely: int
    possible: int
    retries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseCount:
    """Outcomes of one contestant under one condition that have one cause."""

    model: str | None
    agent: str
    condition: str
    cause: str
    counts_as: str
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The ceiling of one condition, as its tries had it."""

    condition: str
    multiple: float | None
    """Median; None: uncapped, or not told."""
    least_multiple: float | None
    most_multiple: float | None
    least_bytes: int | None
    most_bytes: int | None
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepProgress:
    """How far a sweep is, and how much of it has a verdict."""

    tries_open: int
    """Begun and not ended: they run, or their runner died."""
    tries_unjudged: int
    """Ended without a verdict yet."""
    outcomes: int
    """Trials with an outcome that was judged."""
    unmeasured: int
    """Of those: nobody measured their memory."""
    killed: int
    """Of those: ended by their ceiling."""
    last_finished_t_us: int | None
    policies: list[str] | None
    policy_versions: list[int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KilledTrial:
    """One trial that its ceiling ended."""

    trial: str
    try_no: int
    task: str
    agent: str
    model: str | None
    condition: str
    attempt: int
    finished_t_us: int
    kill_victim: str | None
    """Name of the process that the kernel killed."""
    kill_phase: str | None
    kill_command: str | None
    peak_bytes: int | None
    ceiling_bytes: int | None
    cause: str


def cells(answers: Answers, sweep: str) -> tuple[CellRow, ...]:
    """The cell table of a sweep, in the order of tasks and agents."""
    return tuple(answers.ask(query("overview_cells").fill({"sweep": sweep})).to(CellRow))


def causes(answers: Answers, sweep: str) -> tuple[CauseCount, ...]:
    """What became of the trials, by contestant and condition."""
    return tuple(answers.ask(query("overview_causes").fill({"sweep": sweep})).to(CauseCount))


def ceilings(answers: Answers, sweep: str) -> tuple[Ceiling, ...]:
    """The ceilings that conditions had, the tightest first."""
    return tuple(answers.ask(query("overview_ceilings").fill({"sweep": sweep})).to(Ceiling))


def progress(answers: Answers, sweep: str) -> SweepProgress:
    """How far the sweep is."""
    (row,) = answers.ask(query("overview_progress").fill({"sweep": sweep})).to(SweepProgress)
    return row


def newest_kills(answers: Answers, sweep: str, most: int) -> tuple[KilledTrial, ...]:
    """The last trials that their ceiling ended, newest first."""
    sql = query("overview_kills").fill({"sweep": sweep, "most": most})
    return tuple(answers.ask(sql).to(KilledTrial))


def overridden(answers: Answers, sweep: str) -> int:
    """How many outcomes of the sweep have a verdict of a person's beside the policy's."""
    ((trials,),) = answers.ask(query("overview_overridden").fill({"sweep": sweep})).rows
    return int(str(trials))
