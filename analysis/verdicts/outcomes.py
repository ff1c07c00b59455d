"""What a verdict counts as in a rate: the outcome algebra and its two treatments.

Every trial that counts has exactly one of three outcomes: solved s, infra error e, not
solved f, with s + e + f = 1. Which of them a suspect is cannot be settled by an opinion,
so it is settled twice: the *headline* counts it as not solved, the *sensitivity*
treatment as an infra error, and a report shows where the two disagree.
"""

from collections.abc import Mapping
from typing import Final, Literal

from analysis.verdicts.vocabulary import CountsAs

Outcome = Literal["solved", "infra", "not_solved"]
Treatment = Literal["headline", "sensitivity"]

HEADLINE: Final[Mapping[CountsAs, Outcome | None]] = {
    "pass": "solved",
    "fail": "not_solved",
    "timeout": "not_solved",
    "infra_error": "infra",
    "infra_suspect": "not_solved",
    "timeout_infra": "not_solved",
    "excluded": None,
}
SENSITIVITY: Final[Mapping[CountsAs, Outcome | None]] = {
    **HEADLINE,
    "infra_suspect": "infra",
    "timeout_infra": "infra",
}
TREATMENTS: Final[Mapping[Treatment, Mapping[CountsAs, Outcome | None]]] = {
    "headline": HEADLINE,
    "sensitivity": SENSITIVITY,
}
INFRA_CLASSES: Final[frozenset[CountsAs]] = frozenset(
    {"infra_error", "infra_suspect", "timeout_infra"}
)
"""What is or may be infrastructure, at some confidence."""


def outcome(counts_as: CountsAs, treatment: Treatment = "headline") -> Outcome | None:
    """Return a trial's outcome under a treatment; None when it is left out and counted."""
    return TREATMENTS[treatment][counts_as]
