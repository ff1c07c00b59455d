"""Failures grouped for ``why SWEEP``: by cause, phase, task and command.

A pure count over judged rows. Groups are sorted by size, then by name, so that the same
sweep always prints the same table; a key that does not apply (a timeout has no killed
command) is None, which is not an empty text.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from analysis.rows import JudgedTrial
from analysis.verdicts.vocabulary import Confidence, CountsAs, Family

_EXAMPLES: Final = 5
_Key = TypeVar("_Key", str, str | None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Failures that share a key."""

    key: str | None
    trials: int
    share: float
    """Of the failures that the table is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseGroup:
    """Failures of one cause, with where they happened."""

    cause: str
    family: Family
    confidence: Confidence
    """The surest that any of its verdicts has."""
    counts_as: CountsAs
    says: str
    trials: int
    share: float
    by_phase: tuple[Group, ...]
    """Of the OOM kill; None where nothing was killed."""
    by_task: tuple[Group, ...]
    by_condition: tuple[Group, ...]
    by_agent: tuple[Group, ...]
    by_command: tuple[Group, ...]
    examples: tuple[str, ...]
    """Trials to ask ``why`` about, the first of each task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """All trials of a sweep that did not pass."""

    trials: int
    """All, failed or not."""
    failed: int
    excluded: int
    by_cause: tuple[CauseGroup, ...]
    by_phase: tuple[Group, ...]
    by_task: tuple[Group, ...]
    by_command: tuple[Group, ...]
    passed_with_kill: int
    """Trials that passed although something was killed."""


def group_failures(judged: Iterable[JudgedTrial]) -> Failures:
    """Group the trials that did not pass.

    Args:
        judged: rows with verdicts, one a trial.

    Returns:
        Groups by cause (each with phases, tasks, conditions, agents and commands inside)
        and by phase, task and command over all causes.

    """
    entries = list(judged)
    failed = [entry for entry in entries if entry.verdict.counts_as not in {"pass", "excluded"}]
    causes = Counter(entry.verdict.cause for entry in failed)
    return Failures(
        trials=len(entries),
        failed=len(failed),
        excluded=sum(entry.verdict.counts_as == "excluded" for entry in entries),
        by_cause=tuple(
            _cause_group([entry for entry in failed if entry.verdict.cause == cause], len(failed))
            for cause, _ in _by_size(causes)
        ),
        by_phase=_groups((entry.row.oom_phase for entry in failed), len(failed)),
        by_task=_groups((entry.row.task for entry in failed), len(failed)),
        by_command=_groups((entry.row.oom_command for entry in failed), len(failed)),
        passed_with_kill=sum(
            entry.verdict.counts_as == "pass" and bool(entry.verdict.also) for entry in entries
        ),
    )


def _cause_group(entries: list[JudgedTrial], failed: int) -> CauseGroup:
    order: tuple[Confidence, ...] = ("certain", "likely", "possible")
    surest = min(entries, key=lambda entry: order.index(entry.verdict.confidence)).verdict
    first_of_task = {entry.row.task: entry.row.trial for entry in reversed(entries)}
    examples = [first_of_task[group.key] for group in _tasks(entries) if group.key is not None]
    return CauseGroup(
        cause=surest.cause,
        family=surest.family,
        confidence=surest.confidence,
        counts_as=surest.counts_as,
        says=surest.says,
        trials=len(entries),
        share=len(entries) / failed,
        by_phase=_groups((entry.row.oom_phase for entry in entries), len(entries)),
        by_task=_tasks(entries),
        by_condition=_groups((entry.row.condition for entry in entries), len(entries)),
        by_agent=_groups((entry.row.contestant for entry in entries), len(entries)),
        by_command=_groups((entry.row.oom_command for entry in entries), len(entries)),
        examples=tuple(examples[:_EXAMPLES]),
    )


def _tasks(entries: list[JudgedTrial]) -> tuple[Group, ...]:
    return _groups((entry.row.task for entry in entries), len(entries))


def _groups(keys: Iterable[str | None], total: int) -> tuple[Group, ...]:
    return tuple(
        Group(key=key, trials=trials, share=trials / total)
        for key, trials in _by_size(Counter(keys))
    )


def _by_size(counts: Counter[_Key]) -> list[tuple[_Key, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0] or ""))
