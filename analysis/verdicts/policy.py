"""A verdict policy: ordered rules, read from data, with a digest of what they say.

Policies are data and not code, because what counts as an infrastructure error is a
choice that people differ on: one harness moved OOM kills out of that class, another
retries them. A policy in a file can be read, compared and replayed on old sweeps by
somebody who does not program. The digest is taken over the parsed content, so that a
comment or a blank line changes nothing and a threshold changes it.
"""

from dataclasses import dataclass

from analysis.verdicts.conditions import Condition
from analysis.verdicts.vocabulary import Confidence, CountsAs, Family


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a trial is when a condition holds."""

    cause: str
    family: Family
    confidence: Confidence
    counts_as: CountsAs
    says: str
    """The verdict as a clause: "the memory ceiling killed the whole sandbox"."""
    when: Condition | None = None
    """None for the fallback, which is taken when nothing else holds."""
    needs: frozenset[str] = frozenset()
    """The condition cannot hold unless one of these facts is known; empty: it may."""
    ceiling_kill: bool = False
    """Whether the cause is a kill by the trial's own memory ceiling."""
    also_only: frozenset[str] | None = None
    """When this rule decides, only these causes are kept in ``also``; None keeps all."""
    in_also: bool = True
    """Whether the rule may stand in the ``also`` of another verdict."""


# Compared by identity: the digest says whether two policies are the same, and a policy
# must be cheap to look up by.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Policy:
    """Ordered rules with a name, a version and a digest."""

    name: str
    version: int
    digest: str
    """sha256 of the content, 64 hex characters."""
    rules: tuple[Rule, ...]
    fallback: Rule
