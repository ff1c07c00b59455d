"""What the page Trial asks: one trial's story, its lanes in slices, its neighbours, its siblings.

Each question names the trial and, where samples are read, the moments between which they
lie (``store.spans``), so that one trial among 50,000 costs what it would cost alone.
Verdicts come from the table of them (``judged_try``) and not from the view of evidence, which
is computed anew each time it is asked. Lanes are cut into slices by the query; a narrower
window is read again at its own, finer slices, down to single samples. Kills are never cut:
they are read whole, beside the slices.
"""

from dataclasses import dataclass, fields
from typing import Final, TypeVar

from store.answers import Answers, made
from store.catalogue import query
from store.literals import Value
from store.rows import Evidence, TrialRow, TryRow, WordRow
from store.spans import sampled_span
from store.story import (
    BegunRow,
    EndRow,
    ExecRow,
    KillRow,
    PhaseRow,
    SandboxEndRow,
    SandboxRow,
    StateRow,
    Story,
    UsageRow,
)

Row = TypeVar("Row")

MOST_SLICES: Final = 2000
MOST_NEIGHBOUR_KILLS: Final = 2000
_TRY_FIELDS: Final = frozenset(field.name for field in fields(TryRow)) - {"evidence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneSlice:
    """A slice of one try's samples; None where no sample of it has the number."""

    first_t_us: int
    """Read time of the slice's first sample."""
    t_us: int
    """Read time of its last."""
    samples: int
    interval_us: int | None
    """Time that its samples are about, together."""
    usage_min_bytes: int | None
    usage_mean_bytes: float | None
    usage_max_bytes: int | None
    peak_bytes: int | None
    """Highest peak between two reads."""
    peak_kind: int | None
    """The worst ``barograph.metrics.PeakKind`` in it."""
    limit_bytes: int | None
    """The lowest ceiling seen in force."""
    cpu_usage_us: int | None
    cpu_throttled_us: int | None
    psi_memory_some_us: int | None
    psi_memory_full_us: int | None
    psi_cpu_some_us: int | None
    psi_io_some_us: int | None
    oom_kills: int | None
    pids: int | None
    """The most at a read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourSlice:
    """How many other tries ran on the host at a moment."""

    t_us: int
    running: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourKill:
    """A kill in another try on the host."""

    t_us: int
    trial: str
    try_no: int
    task: str
    contestant: str
    condition: str
    victim_comm: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow:
    """An ended try with its verdict, as the table has it; its evidence is left in the view."""

    row: TryRow
    cause: str
    family: str
    confidence: str
    counts_as: str
    says: str
    ceiling_kill: bool
    also: tuple[str, ...]
    because: str
    """A JSON list of {"fact", "value"}; ``analysis.judging.evidence_items`` reads it."""
    policy: str
    policy_version: int
    policy_digest: str
    evidence_digest: str


def head(answers: Answers, trial: str) -> TrialRow | None:
    """The trial with this whole id, if there is one."""
    found = _ask(answers, "trial_head", TrialRow, trial=trial)
    return found[0] if found else None


def story(answers: Answers, row: TrialRow) -> Story:
    """Everything about one trial but its verdicts, which ``task_tries`` has."""
    key = row.trial
    begun = _ask(answers, "trial_begun", BegunRow, trial=key)
    ends = _ask(answers, "trial_ends", EndRow, trial=key)
    low_us, high_us = sampled_span(begun, ends)
    return Story(
        trial=row,
        outcomes=[],
        begun=begun,
        ends=ends,
        phases=_ask(answers, "trial_phases", PhaseRow, trial=key),
        execs=_ask(answers, "trial_execs", ExecRow, trial=key),
        kills=_ask(answers, "trial_kills", KillRow, trial=key),
        sandboxes=_ask(answers, "trial_sandboxes", SandboxRow, trial=key),
        states=_ask(answers, "trial_states", StateRow, trial=key),
        sandbox_ends=_ask(answers, "trial_sandbox_ends", SandboxEndRow, trial=key),
        usage=_ask(answers, "trial_usage", UsageRow, trial=key, low_us=low_us, high_us=high_us),
        words=_ask(answers, "trial_words", WordRow, trial=key),
    )


def task_tries(answers: Answers, sweep: str | None, task: str) -> tuple[JudgedRow, ...]:
    """All judged tries of one task in a sweep, whoever made them, in order of time."""
    sql = query("trial_task").fill({"sweep": sweep, "task": task})
    return tuple(_judged(dict(record)) for record in answers.ask(sql).records())


def lanes(
    answers: Answers, trial: str, try_no: int, *, low_us: int, high_us: int, slices: int
) -> tuple[LaneSlice, ...]:
    """One try between two moments.

    Args:
        answers: a store.
        trial: whole id.
        try_no: which try.
        low_us: first moment, microseconds since the epoch.
        high_us: last moment.
        slices: the most slices to return (``MOST_SLICES`` at most); where samples are fewer
            than that, each is its own.

    """
    return tuple(
        _ask(
            answers,
            "trial_lanes",
            LaneSlice,
            trial=trial,
            try_no=try_no,
            low_us=low_us,
            high_us=max(low_us, high_us),
            slices=max(1, min(slices, MOST_SLICES)),
        )
    )


def neighbours(
    answers: Answers, mine: BegunRow, trial: str, *, low_us: int, high_us: int, slices: int
) -> tuple[NeighbourSlice, ...]:
    """How many other tries ran on the try's host; a try without an end counts as running."""
    return tuple(
        _ask(
            answers,
            "trial_neighbours",
            NeighbourSlice,
            trial=trial,
            try_no=mine.try_no,
            host=mine.host,
            low_us=low_us,
            high_us=max(low_us, high_us),
            slices=max(1, min(slices, MOST_SLICES)),
        )
    )


def neighbour_kills(
    answers: Answers, mine: BegunRow, trial: str, *, low_us: int, high_us: int
) -> tuple[NeighbourKill, ...]:
    """Kills in other tries on the try's host, in order of time.

    One more than ``MOST_NEIGHBOUR_KILLS`` says that there are more than can be drawn.
    """
    return tuple(
        _ask(
            answers,
            "trial_neighbour_kills",
            NeighbourKill,
            trial=trial,
            try_no=mine.try_no,
            host=mine.host,
            low_us=low_us,
            high_us=max(low_us, high_us),
            most=MOST_NEIGHBOUR_KILLS + 1,
        )
    )


def _judged(record: dict[str, object]) -> JudgedRow:
    """Move the columns that are the try's into one value of their own."""
    told = {name: record.pop(name) for name in _TRY_FIELDS & record.keys()}
    row = made(TryRow, told | {"evidence": Evidence()})
    also = record.pop("also")
    named = tuple(str(cause) for cause in also) if isinstance(also, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # a VARCHAR[]
    return made(JudgedRow, record | {"row": row, "also": named})


def _ask(answers: Answers, name: str, row: type[Row], **values: Value) -> list[Row]:
    return answers.ask(query(name).fill(values)).to(row)
