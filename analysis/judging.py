"""A verdict policy as the store takes it, to keep what it says of every try.

The store may not know what a policy is (it lies below), so it is handed a value with
functions. What it keeps are plain columns; the facts that a verdict rests on are kept as
JSON, and come back as ``EvidenceItem``, which knows their sentences.
"""

import json
from collections.abc import Mapping
from typing import cast

from analysis.verdicts.engine import EvidenceItem, Verdict, evidence_digest, judge
from analysis.verdicts.policy import Policy
from analysis.verdicts.vocabulary import checked_value
from store.judging import Judgement, JudgingPolicy


def judging_policy(policy: Policy) -> JudgingPolicy:
    """Hand a policy over to ``store.judging``.

    Args:
        policy: a policy that was read.

    Returns:
        The same as the store takes it; its digest of evidence is that of a ``Verdict``.

    """

    def judged(evidence: Mapping[str, object]) -> Judgement:
        # The store has the digest already, and keeps it beside the verdict.
        return judgement(judge(policy, evidence, digest="-"))

    return JudgingPolicy(
        name=policy.name,
        version=policy.version,
        digest=policy.digest,
        digest_of=evidence_digest,
        judge=judged,
    )


def judgement(verdict: Verdict) -> Judgement:
    """Take what is kept of a verdict."""
    because = tuple({"fact": item.fact, "value": item.value} for item in verdict.evidence)
    return Judgement(
        cause=verdict.cause,
        family=verdict.family,
        confidence=verdict.confidence,
        counts_as=verdict.counts_as,
        says=verdict.says,
        ceiling_kill=verdict.ceiling_kill,
        also=verdict.also,
        because=because,
    )


def evidence_items(because: str) -> tuple[EvidenceItem, ...]:
    """Read back what ``judged_try.because`` holds.

    Args:
        because: a JSON list of ``{"fact", "value"}``.

    Returns:
        The facts in the verdict's order; ``sentence()`` says each in plain words.

    """
    items = cast("list[dict[str, object]]", json.loads(because))
    return tuple(
        EvidenceItem(fact=str(item["fact"]), value=checked_value(str(item["fact"]), item["value"]))
        for item in items
    )
