"""What the numbers would be if people's verdicts stood in the place of the policy's.

Numbers are the policy's, because it judges every trial alike, and people look at the
trials that surprise them. This is for asking how much the difference would be. Where
several people disagree about a try, the last of them counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, cast, get_args

from analysis.rows import JudgedTrial
from analysis.verdicts.engine import Verdict
from analysis.verdicts.policy import Policy, Rule
from analysis.verdicts.vocabulary import CountsAs
from analysis.wording import count
from store.rows import WordRow

_COUNTS_AS: Final[tuple[str, ...]] = get_args(CountsAs)


def causes_of(policy: Policy) -> Mapping[str, Rule]:
    """The causes that a policy knows, each with its first rule, in the policy's order."""
    rules: dict[str, Rule] = {}
    for rule in (*policy.rules, policy.fallback):
        rules.setdefault(rule.cause, rule)
    return rules


def overrides_of(judged: Iterable[JudgedTrial], words: Iterable[WordRow]) -> Mapping[str, WordRow]:
    """Find the overrides that count, of the tries that are outcomes.

    Args:
        judged: the trials of a sweep.
        words: what people say.

    Returns:
        Trial -> the last word on its outcome.

    """
    tries = {(entry.row.trial, entry.row.try_no) for entry in judged}
    return {
        str(word.trial): word
        for word in words
        if word.kind == "override" and word.counts and (word.trial, word.try_no) in tries
    }


def overridden(
    judged: Iterable[JudgedTrial], overrides: Mapping[str, WordRow], policy: Policy
) -> tuple[JudgedTrial, ...]:
    """Put people's verdicts in the place of the policy's.

    Args:
        judged: the trials of a sweep.
        overrides: trial -> what a person says.
        policy: knows what a cause means, where it knows the cause.

    Returns:
        The trials in the same order; those that nobody overrides as they were.

    """
    rules = causes_of(policy)
    return tuple(
        entry
        if (word := overrides.get(entry.row.trial)) is None
        else replace(entry, verdict=_said(entry.verdict, word, rules))
        for entry in judged
    )


def sentence(overrides: int, *, counted: bool) -> str | None:
    """Say whose verdicts the numbers are, where there is a choice.

    Args:
        overrides: trials whose verdict a person overrides.
        counted: whether the numbers are with these.

    """
    if not overrides:
        return None
    many = count(overrides, "verdict")
    is_are = "is" if overrides == 1 else "are"
    if counted:
        return f"{many} {is_are} people's, in place of the policy's."
    return f"{many} {is_are} overridden by people; numbers are the policy's."


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
