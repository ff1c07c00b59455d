"""What the numbers would be if people's verdicts stood in the place of the policy's.

Numbers are the policy's, because it judges every trial alike, and people look at the
trials that surprise them. This is for asking how much the difference would be. Where
several people disagree about a try, the last of them counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast, get_args

from analysis.rows import JudgedTrial
from analysis.verdicts.engine import Verdict
from analysis.verdicts.policy import Policy, Rule
from analysis.verdicts.vocabulary import CountsAs
from store.rows import TryRow, WordRow

_COUNTS_AS: Final[tuple[str, ...]] = get_args(CountsAs)


def causes_of(policy: Policy) -> Mapping[str, Rule]:
    """The causes that a policy knows, each with its first rule, in the policy's order."""
    rules: dict[str, Rule] = {}
    for rule in (*policy.rules, policy.fallback):
        rules.setdefault(rule.cause, rule)
    return rules


def overrides_of(outcomes: Iterable[TryRow], words: Iterable[WordRow]) -> Mapping[str, WordRow]:
    """Find the overrides that count, of the tries that are outcomes.

    Args:
        outcomes: tries, of which those that are no outcome are left out.
        words: what people say.

    Returns:
        Trial -> the last word on its outcome.

    """
    tries = {(row.trial, row.try_no) for row in outcomes if row.outcome}
    return {
        str(word.trial): word
        for word in words
        if word.kind == "override" and word.counts and (word.trial, word.try_no) in tries
    }


def overridden(
    judged: Iterable[JudgedTrial], overrides: Mapping[str, WordRow], policy: Policy
) -> Sequence[JudgedTrial]:
    """Put people's verdicts in the place of the policy's.

    Args:
        judged: the trials of a sweep.
        overrides: trial -> what a person says.
        policy: knows what a cause means, where it knows the cause.

    Returns:
        The trials in the same order; those that nobody overrides as they were.

    """
    rules = causes_of(policy)
    return [
        entry
        if (word := overrides.get(entry.row.trial)) is None
        else replace(entry, verdict=_said(entry.verdict, word, rules))
        for entry in judged
    ]


def _said(verdict: Verdict, word: WordRow, rules: Mapping[str, Rule]) -> Verdict:
    """The verdict as the person has it. What it counts as is theirs, not today's policy's."""
    cause, counts_as = str(word.cause), str(word.counts_as)
    rule = rules.get(cause)
    return replace(
        verdict,
        cause=cause,
        family="ambiguous" if rule is None else rule.family,
        confidence="certain",
        # A log of another version may count in other words; then the policy's stand.
        counts_as=cast("CountsAs", counts_as) if counts_as in _COUNTS_AS else verdict.counts_as,
        says=f"{word.author} says: {cause if rule is None else rule.says}",
        ceiling_kill=rule is not None and rule.ceiling_kill,
        evidence=(),
        also=(),
    )
