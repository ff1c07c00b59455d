"""What the page Trials asks: one page of the list, its counts, and each row's memory in small.

Filtering, sorting and paging are the query's work, so that a sweep of 50,000 trials costs
what one page of it costs. A sparkline's slices are those that ``store.sparks`` keeps of tries
that ended; only of others, which are recent, samples are read. Kills are read apart from
them, all of them, because a mark must not depend on how coarse the slices are. A column to
sort by is one of ``SORTS``: no text of an address ever becomes a name in SQL.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from store.answers import Answers
from store.catalogue import query
from store.literals import Value
from store.sparks import SLICES

Sort = Literal[
    "started",
    "task",
    "agent",
    "ceiling",
    "attempt",
    "cause",
    "reward",
    "duration",
    "peak",
    "share",
    "kills",
    "victim",
]
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
MOST_ROWS: Final = 1000
"""On a page; what is more would be drawn by nobody's eyes."""
SPARK_SLICES: Final = SLICES
RUNNING: Final = "running"
UNJUDGED: Final = "unjudged"
_LAST_US: Final = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which trials are wanted, in which order; filters are all met, an empty one is none."""

    sweep: str
    agents: tuple[str, ...] = ()
    """Contestants: an agent, with its model where there is one."""
    conditions: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    """Causes of the policy, ``running`` or ``unjudged``."""
    tasks: tuple[str, ...] = ()
    text: str | None = None
    sort: Sort = "started"
    descending: bool = True
    most: int = 50
    skip: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTrial:
    """A trial by its outcome; where it has none that is judged, by its latest try."""

    trial: str
    try_no: int
    task: str
    contestant: str
    condition: str
    attempt: int
    host: str
    started_t_us: int
    finished_t_us: int | None
    duration_s: float | None
    how: str | None
    reward: float | None
    spec_memory_bytes: int | None
    ceiling_bytes: int | None
    """As applied; None: uncapped, or not known."""
    ceiling_multiple: float | None
    parent_cap_bytes: int | None
    peak_bytes: int | None
    """Of the whole life of the sandbox; None while it runs."""
    kills: int
    kill_phase: str | None
    kill_command: str | None
    kill_victim: str | None
    cause: str | None
    """None: not judged; see ``state``."""
    confidence: str | None
    counts_as: str | None
    says: str | None
    policy_version: int | None
    state: str
    """judged, running or unjudged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseCount:
    """How many trials ended in something."""

    ended_in: str
    """A cause, ``running`` or ``unjudged``."""
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkSlice:
    """A slice of one try's memory."""

    trial: str
    try_no: int
    slice: int
    """0 is the try's beginning."""
    usage_bytes: int | None
    peak_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A row of ``try_spark``; None: nothing was sampled."""

    trial: str
    try_no: int
    usage_bytes: Sequence[int | None] | None
    peak_bytes: Sequence[int | None] | None

    def slices(self) -> list[SparkSlice]:
        """Those in which something was sampled."""
        pairs = zip(self.usage_bytes or (), self.peak_bytes or (), strict=True)
        return [
            SparkSlice(
                trial=self.trial, try_no=self.try_no, slice=at, usage_bytes=usage, peak_bytes=peak
            )
            for at, (usage, peak) in enumerate(pairs)
            if usage is not None or peak is not None
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class KillMoment:
    """When something was killed in a try."""

    trial: str
    try_no: int
    t_us: int


def page(answers: Answers, wanted: Wanted) -> tuple[ListedTrial, ...]:
    """One page of the trials that fit.

    Args:
        answers: a store.
        wanted: filters, order and page; at most ``MOST_ROWS`` are given.

    """
    values = _filters(wanted) | {
        "causes": wanted.causes or None,
        "sort": wanted.sort,
        "descending": wanted.descending,
        "limit": max(0, min(wanted.most, MOST_ROWS)),
        "offset": max(0, wanted.skip),
    }
    return tuple(answers.ask(query("trials_page").fill(values)).to(ListedTrial))


def causes(answers: Answers, wanted: Wanted) -> tuple[CauseCount, ...]:
    """What the trials ended in that fit all filters but the one by cause, most first."""
    sql = query("trials_causes").fill(_filters(wanted))
    return tuple(answers.ask(sql).to(CauseCount))


def sparks(answers: Answers, rows: Sequence[ListedTrial]) -> tuple[SparkSlice, ...]:
    """The memory of each row's try in ``SPARK_SLICES`` slices; none where none was sampled.

    Slices of a try that runs are of the time from its beginning to its newest sample's.
    """
    ended = [row for row in rows if row.finished_t_us is not None]
    kept = _kept(answers, ended) if ended else []
    known = {(one.trial, one.try_no) for one in kept}
    others = [row for row in rows if (row.trial, row.try_no) not in known]
    read = _read(answers, others) if others else []
    return (*(one for row in kept for one in row.slices()), *read)


def _kept(answers: Answers, rows: Sequence[ListedTrial]) -> list[_Kept]:
    return answers.ask(query("trials_spark_kept").fill(_times(rows))).to(_Kept)


def _read(answers: Answers, rows: Sequence[ListedTrial]) -> list[SparkSlice]:
    """From samples: of tries that run, or ended a moment ago."""
    ends_us = [row.finished_t_us for row in rows]
    values: dict[str, Value] = {
        **_times(rows),
        "low_us": min(row.started_t_us for row in rows),
        "high_us": max(_LAST_US if end is None else end for end in ends_us),
        "slices": SPARK_SLICES,
    }
    return answers.ask(query("trials_spark").fill(values)).to(SparkSlice)


def _times(rows: Sequence[ListedTrial]) -> dict[str, Value]:
    return {
        "trials": [row.trial for row in rows],
        "tries": [row.try_no for row in rows],
        "starts_us": [row.started_t_us for row in rows],
        "ends_us": [row.finished_t_us for row in rows],
    }


def kill_moments(answers: Answers, rows: Sequence[ListedTrial]) -> tuple[KillMoment, ...]:
    """Every kill in the tries of these rows."""
    killed = [row.trial for row in rows if row.kills]
    if not killed:
        return ()
    sql = query("trials_kills").fill({"trials": killed})
    return tuple(answers.ask(sql).to(KillMoment))


def _filters(wanted: Wanted) -> dict[str, Value]:
    return {
        "sweep": wanted.sweep,
        "agents": wanted.agents or None,
        "conditions": wanted.conditions or None,
        "tasks": wanted.tasks or None,
        "text": wanted.text or None,
    }
