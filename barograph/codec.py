"""Event to JSON line and back, losing nothing either way.

One event is one line. Samples travel as an array in the order of the metric table,
because they are 99% of all bytes; every other payload is an object. Reading is strict
about what is known (a wrong type is a ``CodecError`` that names the field) and keeps
what is not: an unknown type becomes ``Unknown``, an unknown field goes to ``extra``, and
writing the event again puts both back. A *newer* version of a known type is also kept as
``Unknown``: its fields may mean something else by then, and guessing is worse.

This is the home of msgspec. The store does not come through here: it projects the raw
lines in SQL, and asks this module only about lines that are old or broken.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Final, cast

import msgspec

from barograph.envelope import Belongs, Event
from barograph.errors import InputError
from barograph.facts import FACTS, KnownPayload, Payload, Sample, Unknown
from barograph.metrics import METRIC_NAMES
from barograph.upgrades import lift

SAMPLE_PREFIX: Final = b'{"v":1,"type":"sample",'
"""How every line of a current sample begins: readers skip or pick samples by it."""

_Natural = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Version = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
_Name = Annotated[str, msgspec.Meta(min_length=1)]


class CodecError(InputError):
    """A line of the log is not an event. The line is bad for ever: a dead letter."""


class _Envelope(msgspec.Struct, kw_only=True, frozen=True):
    v: _Version
    type: _Name
    source: _Name
    seq: _Natural
    t_us: _Natural
    mono_us: _Natural
    sweep: str | None = None
    trial: str | None = None
    try_no: _Natural | None = msgspec.field(name="try", default=None)
    target: str | None = None
    data: object


_ENVELOPE_KEYS: Final = frozenset(field.encode_name for field in msgspec.structs.fields(_Envelope))
_PAYLOAD_KEYS: Final[dict[str, tuple[str, ...]]] = {
    kind: tuple(field.name for field in fields(cls) if field.name != "extra")
    for kind, cls in FACTS.items()
}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_OVERFLOW: Final = "values"


def encode(event: Event) -> bytes:
    """Write an event as one JSON line, newline included.

    Text that is not valid Unicode (lone surrogates from undecodable output) is written
    with U+FFFD in place of what cannot be said in UTF-8.
    """
    payload = event.payload
    belongs = event.belongs
    line = {
        "v": payload.v,
        "type": payload.type,
        "source": event.source,
        "seq": event.seq,
        "t_us": event.t_us,
        "mono_us": event.mono_us,
        "sweep": belongs.sweep,
        "trial": belongs.trial,
        "try": belongs.try_no,
        "target": belongs.target,
        "data": _data(payload),
        **event.extra,
    }
    try:
        return msgspec.json.encode(line) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_replaced(msgspec.to_builtins(line))) + b"\n"


def decode(line: bytes) -> Event:
    """Read one line; older payload versions come out lifted to today's.

    Raises:
        CodecError: not JSON, not an object, a missing or wrong field.

    """
    try:
        raw: object = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError(f"not JSON ({error})") from error
    if not isinstance(raw, dict):
        raise CodecError("not a JSON object")
    record = cast("dict[str, object]", raw)
    try:
        envelope = msgspec.convert(record, _Envelope)
        payload = _payload(envelope)
    except msgspec.ValidationError as error:
        raise CodecError(f"not an event ({error})") from error
    return Event(
        source=envelope.source,
        seq=envelope.seq,
        t_us=envelope.t_us,
        mono_us=envelope.mono_us,
        belongs=Belongs(
            sweep=envelope.sweep,
            trial=envelope.trial,
            try_no=envelope.try_no,
            target=envelope.target,
        ),
        payload=payload,
        extra={key: value for key, value in record.items() if key not in _ENVELOPE_KEYS},
    )


def _data(payload: Payload) -> object:
    match payload:
        case Unknown():
            return payload.data
        case Sample():
            values = [getattr(payload, name) for name in METRIC_NAMES]
            more = payload.extra.get(_OVERFLOW, ())
            return [*values, *cast("list[object]", more)]
        case _:
            known = {name: getattr(payload, name) for name in _PAYLOAD_KEYS[payload.type]}
            return {**known, **payload.extra}


def _payload(envelope: _Envelope) -> Payload:
    cls = FACTS.get(envelope.type)
    if cls is None or envelope.v > cls.v:
        return Unknown(type=envelope.type, v=envelope.v, data=envelope.data)
    if cls is Sample and isinstance(envelope.data, list):
        return _sample(cast("list[object]", envelope.data))
    if not isinstance(envelope.data, dict):
        raise CodecError(f"not an event (data of {envelope.type} is no object)")
    data = lift(envelope.type, envelope.v, cast("dict[str, object]", envelope.data), to=cls.v)
    return _known(cls, data)


def _sample(values: list[object]) -> Sample:
    known = dict(zip(METRIC_NAMES, values, strict=False))
    more = values[len(METRIC_NAMES) :]
    return msgspec.convert({**known, "extra": {_OVERFLOW: more} if more else {}}, Sample)


def _known(cls: type[KnownPayload], data: Mapping[str, object]) -> KnownPayload:
    names = _PAYLOAD_KEYS[cls.type]
    known = {name: data[name] for name in names if name in data}
    extra = {key: value for key, value in data.items() if key not in names}
    return msgspec.convert({**known, "extra": extra}, cls)


def _replaced(value: object) -> object:
    match value:
        case str():
            return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
        case dict():
            items = cast("dict[object, object]", value).items()
            return {_replaced(key): _replaced(item) for key, item in items}
        case list() | tuple():
            return [_replaced(item) for item in cast("list[object]", value)]
        case _:
            return value
