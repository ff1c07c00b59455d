"""Applying a policy: evidence in, verdict out, with the facts that made it.

A verdict is never stored as a fact. It is this pure function of (policy, evidence), so
that an old sweep can be judged by a new policy; both digests are in the verdict, and a
store may cache it under them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from analysis.verdicts.conditions import Condition, Facts
from analysis.verdicts.policy import Policy, Rule
from analysis.verdicts.vocabulary import (
    FACT_NAMES,
    Confidence,
    CountsAs,
    Evidence,
    FactValue,
    Family,
    checked_value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """One fact that the verdict rests on."""

    fact: str
    value: FactValue | None
    """None: that this fact is not known is part of why the rule held."""

    def sentence(self) -> str:
        """Say the fact in plain words."""
        meaning = FACT_NAMES[self.fact].meaning
        if self.value is None:
            return f"not known: {meaning}"
        if isinstance(self.value, bool):
            return f"{meaning}: {'yes' if self.value else 'no'}"
        if isinstance(self.value, tuple):
            return f"{meaning}: {', '.join(self.value)}"
        return f"{meaning}: {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Why a trial ended as it did, by one policy."""

    cause: str
    family: Family
    confidence: Confidence
    counts_as: CountsAs
    says: str
    ceiling_kill: bool
    """Whether the cause is a kill by the trial's own memory ceiling."""
    evidence: tuple[EvidenceItem, ...]
    also: tuple[str, ...]
    """Causes of the other rules that held, in the policy's order."""
    policy: str
    policy_version: int
    policy_digest: str
    evidence_digest: str

    def sentence(self) -> str:
        """Say the verdict with its confidence and evidence."""
        facts = "; ".join(item.sentence() for item in self.evidence)
        sure = "" if self.confidence == "certain" else f" ({self.confidence})"
        return f"{self.says}{sure}" + (f" — {facts}" if facts else "")


_CANONICAL: Final = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
)


def evidence_digest(evidence: Evidence) -> str:
    """Sha256 over what is known, in canonical form; unknown (None) keys don't count.

    Args:
        evidence: fact name -> value, JSON types.

    Returns:
        64 hex characters.

    """
    known = {key: value for key, value in evidence.items() if value is not None}
    return hashlib.sha256(_CANONICAL.encode(known).encode()).hexdigest()


def judge(policy: Policy, evidence: Evidence, *, digest: str | None = None) -> Verdict:
    """Give the verdict of a policy on one trial.

    Args:
        policy: ordered rules.
        evidence: fact name -> value; an absent key or None is unknown, never false.
        digest: of the evidence, where the caller has it already.

    Returns:
        The verdict of the first rule that holds, else of the fallback.

    Raises:
        EvidenceError: a known fact has a value of the wrong type.

    """
    facts = _known_facts(evidence)
    hits = [
        (rule, found)
        for rule, when in _candidates(policy, frozenset(facts))
        if (found := when.found(facts)) is not None
    ]
    decisive, found = hits[0] if hits else (policy.fallback, ())
    return Verdict(
        cause=decisive.cause,
        family=decisive.family,
        confidence=decisive.confidence,
        counts_as=decisive.counts_as,
        says=decisive.says,
        ceiling_kill=decisive.ceiling_kill,
        evidence=tuple(EvidenceItem(fact=name, value=value) for name, value in found),
        also=_others(decisive, [rule for rule, _ in hits[1:]]),
        policy=policy.name,
        policy_version=policy.version,
        policy_digest=policy.digest,
        evidence_digest=digest or evidence_digest(evidence),
    )


def _known_facts(evidence: Mapping[str, object]) -> Facts:
    facts: dict[str, FactValue] = {}
    for name, value in evidence.items():
        if name in FACT_NAMES:
            checked = checked_value(name, value)
            if checked is not None:
                facts[name] = checked
    return facts


@lru_cache(maxsize=4096)
def _candidates(policy: Policy, known: frozenset[str]) -> tuple[tuple[Rule, Condition], ...]:
    """Leave out the rules that ask for facts of which none is known.

    Trials know different values of few sets of facts, so this is found once a set.
    """
    return tuple(
        (rule, rule.when)
        for rule in policy.rules
        if rule.when is not None and not (rule.needs and rule.needs.isdisjoint(known))
    )


def _others(decisive: Rule, hits: list[Rule]) -> tuple[str, ...]:
    kept = (
        rule.cause
        for rule in hits
        if rule.in_also
        and rule.cause != decisive.cause
        and (decisive.also_only is None or rule.cause in decisive.also_only)
    )
    return tuple(dict.fromkeys(kept))
