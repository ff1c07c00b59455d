"""What is said over the collector's socket: one JSON object a line, each way.

======== ============================================================= =======================
request  fields                                                        answer, beside ``ok``
======== ============================================================= =======================
watch    target; sweep, trial, try; cgroups or pid; ours, reset_peaks, (nothing)
         kernel_path
finish   target; reason                                                ``final``: totals
status                                                                 source, pid, ...
stop                                                                   (nothing)
======== ============================================================= =======================

A request that cannot be served is answered ``{"ok": false, "error": SENTENCE, "kind":
WORD}`` and costs nothing else. Unknown fields are ignored, so that an older collector can
be spoken to. The socket is its owner's alone (0600); sandboxed code never sees it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from collector.errors import CollectorError, ProbeRefusal, RequestError, TargetGone
from collector.errors import UnknownTargetError as Unknown
from collector.rates import EndReason

LONGEST_LINE_BYTES: Final = 1 << 16
_REASONS: Final = ("finished", "owner_gone", "left_over")

ErrorKind = Literal["request", "unknown_target", "gone", "refused", "failed"]
_KINDS: Final[tuple[tuple[type[CollectorError], ErrorKind], ...]] = (
    (RequestError, "request"),
    (Unknown, "unknown_target"),
    (TargetGone, "gone"),
    (ProbeRefusal, "refused"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Watch a target from now on."""

    target: str
    """Unique name; what its events carry as ``target``."""
    cgroups: Mapping[str, str] = field(default_factory=dict[str, str])
    """Controller -> folder; see ``collector.probes.opening``."""
    pid: int | None = None
    """Root of a process tree, where there is no cgroup."""
    ours: bool = False
    """Made by us: its counters began at 0 for us, and its peak may be reset."""
    reset_peaks: bool = False
    """Reset the peak of a cgroup that is not ours (v1: every other reader sees it)."""
    kernel_path: str | None = None
    """The cgroup as the kernel log prints it; derived from the folder when None."""
    sweep: str | None = None
    trial: str | None = None
    try_no: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Read the target for the last time and tell how it ended."""

    target: str
    reason: EndReason = "finished"


@dataclass(frozen=True, slots=True)
class Status:
    """Say who you are and what you watch."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Write what is outstanding and end; targets stay as they are."""


Request = Watch | Finish | Status | Stop


def parse_request(line: bytes) -> Request:
    """Read a request.

    Raises:
        RequestError: not JSON, no such request, a field missing or of the wrong kind.

    """
    fields = parse_object(line)
    match fields.get("do"):
        case "watch":
            return _watch(fields)
        case "finish":
            return _finish(fields)
        case "status":
            return Status()
        case "stop":
            return Stop()
        case other:
            raise RequestError(
                "no such request", field="do", value=other, remedy="watch, finish, status or stop"
            )


def parse_object(line: bytes) -> dict[str, object]:
    """One JSON object.

    Raises:
        RequestError: anything else.

    """
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RequestError("not JSON", value=line[:80].decode(errors="replace")) from error
    if not isinstance(value, dict):
        raise RequestError("not a JSON object", value=line[:80].decode(errors="replace"))
    return cast("dict[str, object]", value)


def encode(fields: Mapping[str, object]) -> bytes:
    """One line."""
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def watch_fields(watch: Watch) -> dict[str, object]:
    """A ``Watch`` as it travels."""
    return {
        "do": "watch",
        "target": watch.target,
        "sweep": watch.sweep,
        "trial": watch.trial,
        "try": watch.try_no,
        "cgroups": dict(watch.cgroups),
        "pid": watch.pid,
        "ours": watch.ours,
        "reset_peaks": watch.reset_peaks,
        "kernel_path": watch.kernel_path,
    }


def refusal(error: CollectorError) -> dict[str, object]:
    """An error as an answer."""
    kind = next((kind for cls, kind in _KINDS if isinstance(error, cls)), "failed")
    return {"ok": False, "error": str(error), "kind": kind}


def _watch(fields: Mapping[str, object]) -> Watch:
    return Watch(
        target=_name(fields),
        cgroups=_cgroups(fields),
        pid=_natural(fields, "pid"),
        ours=_flag(fields, "ours"),
        reset_peaks=_flag(fields, "reset_peaks"),
        kernel_path=_text(fields, "kernel_path"),
        sweep=_text(fields, "sweep"),
        trial=_text(fields, "trial"),
        try_no=_natural(fields, "try"),
    )


def _finish(fields: Mapping[str, object]) -> Finish:
    reason = fields.get("reason", "finished")
    if reason not in _REASONS:
        raise RequestError(
            "no such reason", field="reason", value=reason, remedy=", ".join(_REASONS)
        )
    return Finish(target=_name(fields), reason=reason)


def _name(fields: Mapping[str, object]) -> str:
    name = _text(fields, "target")
    if not name:
        raise RequestError("names no target", field="target", value=fields.get("target"))
    return name


def _text(fields: Mapping[str, object], key: str) -> str | None:
    value = fields.get(key)
    if value is not None and not isinstance(value, str):
        raise RequestError("not a text", field=key, value=value)
    return value


def _natural(fields: Mapping[str, object], key: str) -> int | None:
    value = fields.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**62:
        raise RequestError("not a whole number of 0 or more", field=key, value=value)
    return value


def _flag(fields: Mapping[str, object], key: str) -> bool:
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise RequestError("not true or false", field=key, value=value)
    return value


def _cgroups(fields: Mapping[str, object]) -> dict[str, str]:
    value = fields.get("cgroups")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RequestError("not an object of controller and folder", field="cgroups", value=value)
    folders: dict[str, str] = {}
    for controller, folder in cast("dict[object, object]", value).items():
        if not isinstance(folder, str) or not folder.startswith("/") or "\0" in folder:
            raise RequestError("not an absolute path", field=f"cgroups.{controller}", value=folder)
        folders[str(controller)] = folder
    return folders
