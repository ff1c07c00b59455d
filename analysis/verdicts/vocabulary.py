"""The closed vocabulary of policies: facts a rule may ask about, words a verdict may use.

A fact's name fixes its kind, so that a policy which compares an exit code with ``true``,
or a reader which hands over ``"137"``, is told so instead of silently never matching
(in Python ``True == 1``). Evidence may hold further keys, which newer builders know and
this version does not: they are kept in the digest and no rule can ask about them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

from analysis.errors import EvidenceError

Kind = Literal["flag", "count", "fraction", "code", "text", "texts"]
FactValue: TypeAlias = bool | int | float | str | tuple[str, ...]
Evidence: TypeAlias = Mapping[str, object]
"""Fact name -> value. An absent key, or None, is unknown; it is never False or 0."""

Family = Literal["none", "infra", "api", "harness", "model", "operator", "ambiguous"]
Confidence = Literal["certain", "likely", "possible"]
CountsAs = Literal[
    "pass", "fail", "timeout", "infra_error", "infra_suspect", "timeout_infra", "excluded"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactName:
    """One fact that a policy may ask about."""

    kind: Kind
    meaning: str
    """Completes "it is known that ..." when the value follows a colon."""


def _fact(kind: Kind, meaning: str) -> FactName:
    return FactName(kind=kind, meaning=meaning)


FACT_NAMES: Final[Mapping[str, FactName]] = {
    "passed": _fact("flag", "the reward is a pass"),
    "cancelled_by_operator": _fact("flag", "an operator cancelled the try"),
    "container_started": _fact("flag", "the sandbox started"),
    "start_error": _fact("text", "the driver's error at the start"),
    "k8s_reasons": _fact("texts", "reasons that Kubernetes gave"),
    "container_reason": _fact("text", "the runtime's reason for the sandbox's end"),
    "pid1_exit": _fact("code", "exit code of the sandbox's init before teardown"),
    "oom_kill": _fact("count", "processes killed by the kernel's OOM killer"),
    "oom_group_kill": _fact("count", "times the whole sandbox was OOM-killed at once"),
    "oom_phase": _fact("texts", "phase in which an OOM kill happened"),
    "systemd_oomd_kill": _fact("flag", "systemd-oomd killed the sandbox"),
    "node_oom_kill_of_ours": _fact("flag", "an OOM kill of the host hit the sandbox"),
    "killed_by_harness_timeout": _fact("flag", "the harness sent SIGKILL at its time limit"),
    "timed_out": _fact("flag", "the agent reached its time limit"),
    "enospc_count": _fact("count", "writes that failed for want of space"),
    "disk_used_frac": _fact("fraction", "fill of the sandbox's disk"),
    "harness_exception": _fact("text", "exception of the harness"),
    "verifier_exception": _fact("text", "exception of the verifier"),
    "verifier_ran": _fact("flag", "the verifier ran"),
    "net_errors_terminal": _fact("text", "network error that ended the try"),
    "api_terminal_status": _fact("code", "HTTP status that ended the calls to the model"),
    "api_retries": _fact("count", "retries of calls to the model"),
    "context_length_exceeded": _fact("flag", "the model's context was exceeded"),
    "api_wait_frac": _fact("fraction", "share of the time spent waiting for the model"),
    "api_excess_frac": _fact("fraction", "share of the time above the usual latency"),
    "throttled_frac": _fact("fraction", "share of CPU periods that were throttled"),
    "tool_wall_frac": _fact("fraction", "share of the time in which commands ran"),
    "psi_mem_full_frac": _fact("fraction", "share of the time stalled for memory"),
}


def checked_value(name: str, value: object) -> FactValue | None:
    """Read one value of the evidence as its fact's kind.

    Args:
        name: a name of ``FACT_NAMES``.
        value: what the evidence holds; None is unknown. A single text is taken where
            several may stand, since most trials have one.

    Returns:
        The value, lists as tuples; None for unknown.

    Raises:
        EvidenceError: the value is not of the fact's kind.

    """
    if value is None:
        return None
    kind = FACT_NAMES[name].kind
    if kind == "texts":
        texts = (value,) if isinstance(value, str) else value
        if isinstance(texts, (list, tuple)):
            items = tuple(cast("Sequence[object]", texts))
            if all(isinstance(item, str) for item in items):
                return cast("tuple[str, ...]", items)
    # The exact type: a flag is an int to isinstance, and would pass for an exit code.
    elif type(value) in _TYPES[kind]:
        return cast("FactValue", value)
    remedy = f"give {_WANTED[kind]}, or leave the key out when it is unknown"
    raise EvidenceError("the fact has a wrong type", field=name, value=value, remedy=remedy)


_TYPES: Final[Mapping[Kind, frozenset[type]]] = {
    "flag": frozenset({bool}),
    "count": frozenset({int}),
    "code": frozenset({int}),
    "fraction": frozenset({int, float}),
    "text": frozenset({str}),
}
_WANTED: Final[Mapping[Kind, str]] = {
    "flag": "true or false",
    "count": "an integer",
    "code": "an integer",
    "fraction": "a number",
    "text": "a text",
    "texts": "a text or a list of texts",
}
