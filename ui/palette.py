"""Colour means cause, and only cause; a mark beside it says the same without colour.

Each colour has a luminance near .20, so that it keeps a contrast of about 4 to 1 on a
black terminal and on a white one alike. The hues stay apart for the common forms of colour
blindness; in grey they look the same on purpose, because there the mark is what counts.
Text that is no cause has the terminal's own colour, bold or dim.
"""

from dataclasses import dataclass
from typing import Final, Literal

from rich.text import Text

Hue = Literal[
    "pass", "model", "timeout", "memory", "api", "cluster", "harness", "unknown", "excluded"
]

BOLD: Final = "bold"
DIM: Final = "dim"


@dataclass(frozen=True, slots=True)
class Look:
    """How one kind of cause looks."""

    mark: str
    colour: str
    words: str


LOOKS: Final[dict[Hue, Look]] = {
    "pass": Look("✓", "#2e8b57", "pass"),
    "model": Look("✗", "#808080", "model failure"),
    "timeout": Look("T", "#b07a00", "timeout"),
    "memory": Look("M", "#d1495b", "memory"),
    "api": Look("A", "#a064c8", "API"),
    "cluster": Look("C", "#3a84c4", "cluster"),
    "harness": Look("H", "#b5651d", "harness"),
    "unknown": Look("?", "#808080", "unknown"),
    "excluded": Look("–", "#808080", "not counted"),
}

# Every cause of the verdict policies; a test holds this against the policy in force.
CAUSE_HUES: Final[dict[str, Hue]] = {
    "none": "pass",
    "cancelled": "excluded",
    "scheduling": "cluster",
    "image_pull": "cluster",
    "container_start": "cluster",
    "node_eviction": "cluster",
    "verifier_oom": "memory",
    "oom_container": "memory",
    "oom_host": "memory",
    "disk_full": "cluster",
    "sigkill_unexplained": "unknown",
    "harness_crash": "harness",
    "verifier_error": "harness",
    "network": "cluster",
    "api_rate_limit": "api",
    "api_overloaded": "api",
    "api_auth_or_quota": "api",
    "context_exhausted": "model",
    "timeout_api_latency": "api",
    "timeout_cpu_throttled": "timeout",
    "timeout_memory_pressure": "memory",
    "oom_child": "memory",
    "timeout_model": "timeout",
    "timeout_unattributed": "timeout",
    "model_failure": "model",
    "unknown": "unknown",
}


def hue_of(cause: str) -> Hue:
    """The hue of a verdict's cause; a cause of a later policy is ``unknown``."""
    return CAUSE_HUES.get(cause, "unknown")


def look_of(cause: str) -> Look:
    """Mark, colour and words of a verdict's cause."""
    return LOOKS[hue_of(cause)]


def chip(cause: str, words: str | None = None) -> Text:
    """``M oom_container`` in the cause's colour; ``words`` in place of the cause's name."""
    look = look_of(cause)
    return Text.assemble((f"{look.mark} {cause if words is None else words}", look.colour))
