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
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Final, TypeVar, cast

import barograph
from store.answers import made
from store.audit import AuditReport, SeqRun, TornTail
from store.catalogue import catalogue
from store.errors import StoreInputError
from store.loader import LoadReport
from store.story import GapRow
from store.tallies import Identity

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

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
    return made(LoadReport, _known(LoadReport, told))


def serve_status(told: object) -> ServeStatus:
    """A status that came as JSON."""
    return made(ServeStatus, _known(ServeStatus, told))


def audit_told(report: AuditReport) -> Fields:
    """An audit as it travels."""
    return asdict(report)


def audit_report(told: object) -> AuditReport:
    """An audit that came as JSON."""
    known = _known(AuditReport, told)
    return made(
        AuditReport,
        known
        | {
            "missing": _rows(SeqRun, known["missing"]),
            "extra": _rows(SeqRun, known["extra"]),
            "gaps_unexplained": _rows(GapRow, known["gaps_unexplained"]),
            "torn_tails": _rows(TornTail, known["torn_tails"]),
            "doubled": _identities(known["doubled"]),
            "conflicting": _identities(known["conflicting"]),
        },
    )


def less(report: LoadReport, before: LoadReport) -> LoadReport:
    """What came between two states of one running total."""
    return LoadReport(
        events=report.events - before.events,
        samples=report.samples - before.samples,
        duplicates=report.duplicates - before.duplicates,
        dead_letters=report.dead_letters - before.dead_letters,
        bytes_read=report.bytes_read - before.bytes_read,
        batches=report.batches - before.batches,
    )


def _known(cls: "type[DataclassInstance]", told: object) -> Fields:
    """The fields that this version knows."""
    given = cast("Fields", told) if isinstance(told, dict) else {}
    names = {field.name for field in fields(cls)}
    return {name: value for name, value in given.items() if name in names}


def _rows(cls: type[Value], told: object) -> list[Value]:
    return [made(cls, row) for row in cast("list[Fields]", told)]


def _identities(told: object) -> list[Identity]:
    pairs = cast("list[tuple[str, int]]", told)
    return [Identity(source, seq) for source, seq in pairs]
