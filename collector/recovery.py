"""What earlier collectors of this data folder have told about kills.

A collector that was killed may have told some kills of a target and not others. Its
successor counts from the counter's beginning, so it must know which ordinals are told
already: telling one twice would be harmless (readers keep one), giving it a *different* victim the
second time would not.

The whole journal is searched for a few lines of one type. That is a search for bytes, and
it happens behind the sampling, in a thread; only kills of targets that had kills before
they were announced wait for it.
"""

from collections.abc import Iterator
from typing import Final

from barograph.codec import CodecError, decode
from barograph.facts import OomKill
from barograph.log.port import START, Log
from collector.kills import Identity

_MARK: Final = b'"type":"oom.kill"'
_CHUNK_BYTES: Final = 1 << 20
"""Small, because a search holds the interpreter while it runs (about 1 ms for this much)."""

Past = dict[Identity, dict[int, int | None]]


def told_kills(log: Log) -> Past:
    """Ordinal -> pid of the victim (None: told without one), for each trial, try and target.

    Raises:
        LogError: the log cannot be read.

    """
    past: Past = {}
    for chunk in log.read(START, max_bytes=_CHUNK_BYTES):
        for line in _marked_lines(chunk.data):
            try:
                event = decode(line)
            except CodecError:
                continue
            if isinstance(event.payload, OomKill) and event.belongs.target is not None:
                belongs = event.belongs
                identity = (belongs.trial, belongs.try_no, event.belongs.target)
                told = past.setdefault(identity, {})
                ordinal = event.payload.ordinal
                told[ordinal] = event.payload.victim_pid or told.get(ordinal)
    return past


def _marked_lines(data: bytes) -> Iterator[bytes]:
    at = data.find(_MARK)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[start:end]
        at = data.find(_MARK, end)
