"""What is said over the server's control socket: one JSON object a line, each way.

=========  ======================  =====================================================
request    fields                  last answer, beside ``ok``
=========  ======================  =====================================================
status                             the fields of ``ServeStatus``
watermark                          ``watermark``
load       fresh                   ``report``: what was loaded since the request, or,
                                   if ``fresh``, since the server began
rebuild                            ``report``: everything, loaded again
audit                              ``report``: the fields of ``AuditReport``
append     token, line             ``line``: the event as the log has it
stop                               (nothing); the server then ends
=========  ======================  =====================================================

A request that takes long is answered by several lines: all but the last are ``{"so_far":
{...}}``, four a second, and show that the server lives. What fails is answered ``{"ok": false,
"error": {...}}`` (``store.serving.wording``). The socket is its owner's alone (0600).
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar, cast

import barograph
from store.audit import AuditReport, SeqRun, TornTail
from store.catalogue import catalogue
from store.errors import StoreInputError
from store.loader import LoadReport
from store.story import GapRow
from store.tallies import Identity

LONGEST_LINE_BYTES: Final = 4 << 20

Fields = dict[str, object]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeStatus:
    """What a server says about itself."""

    pid: int
    port: int
    version: str
    """Of the program, and of the tables that it knows."""
    since_t_us: int
    on_demand: bool
    """Started by somebody who needed it; ends by itself when idle."""
    watermark: int
    """Grows with everything that changes an answer."""
    batches: int
    events: int
    """Loaded since it began."""
    events_per_s: float
    """Loaded, over the last ten seconds."""
    lag_s: float | None
    """How far the tables may be behind the log; None: it has not loaded yet."""
    last_error: str | None
    """Why the last load failed; None when it did not."""
    clients: int
    """Connections that asked something within a minute."""
    questions: int


def version() -> str:
    """What client and server must agree in: the program's version and the store's format."""
    return f"{barograph.__version__}/{len(catalogue('migrations'))}"


def encode(message: Mapping[str, object]) -> bytes:
    """One line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def parse(line: bytes) -> Fields:
    """One JSON object.

    Raises:
        StoreInputError: anything else.

    """
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise StoreInputError("not JSON", value=line[:80].decode(errors="replace")) from error
    if not isinstance(value, dict):
        raise StoreInputError("not a JSON object", value=line[:80].decode(errors="replace"))
    return cast("Fields", value)


def load_report(told: object) -> LoadReport:
    """A report that came as JSON."""
    return LoadReport(**_known(LoadReport, told))


def serve_status(told: object) -> ServeStatus:
    """A status that came as JSON."""
    return ServeStatus(**_known(ServeStatus, told))


def audit_told(report: AuditReport) -> Fields:
    """An audit as it travels."""
    return asdict(report)


def audit_report(told: object) -> AuditReport:
    """An audit that came as JSON."""
    known = _known(AuditReport, told)
    rows = cast("dict[str, list[dict[str, object]]]", known)
    pairs = cast("dict[str, list[list[object]]]", known)
    return AuditReport(
        **known
        | {
            "missing": _all(SeqRun, rows["missing"]),
            "extra": _all(SeqRun, rows["extra"]),
            "gaps_unexplained": _all(GapRow, rows["gaps_unexplained"]),
            "torn_tails": _all(TornTail, rows["torn_tails"]),
            "doubled": [Identity(str(who), int(str(seq))) for who, seq in pairs["doubled"]],
            "conflicting": [Identity(str(who), int(str(seq))) for who, seq in pairs["conflicting"]],
        }
    )


def less(report: LoadReport, before: LoadReport) -> LoadReport:
    """What came between two states of one running total."""
    was = asdict(before)
    return LoadReport(**{name: value - was[name] for name, value in asdict(report).items()})


def _known(cls: type, told: object) -> dict[str, Any]:
    """The fields that this version knows."""
    given = cast("Fields", told) if isinstance(told, dict) else {}
    names = {field.name for field in fields(cls)}
    return {name: value for name, value in given.items() if name in names}


def _all(cls: Callable[..., Value], rows: list[dict[str, object]]) -> list[Value]:
    return [cls(**row) for row in rows]
