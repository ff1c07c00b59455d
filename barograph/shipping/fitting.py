"""How large a record may be, where a broker finds one too large.

A client to which a broker once said so fails every record from then on, with the same words,
whatever its partition. So it is never believed about a record that was not alone under way:
the shipper goes back, and is *careful*, one record at a time, until it is past what was in
doubt. A record that is too large then is halved, and the size that fits is kept for its stream;
a single line cannot be halved.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from barograph.log.kafka.client import RECORD_BYTES

_GROW_AFTER: Final = 256
"""Records that fitted before larger ones are tried: a failure costs a new client."""


class Fitting:
    """What is known of a topic's limit, stream by stream."""

    def __init__(self) -> None:
        """Nothing was too large yet."""
        self._most: dict[str, int] = {}
        self._fitted: dict[str, int] = {}
        self._doubted: dict[str, int] = {}

    def most_bytes(self, stream: str) -> int:
        """Of lines, in a record of the stream."""
        return self._most.get(stream, RECORD_BYTES)

    @property
    def careful(self) -> bool:
        """Whether one record has to be alone under way."""
        return bool(self._doubted)

    def doubt(self, ends: Iterable[tuple[str, int]]) -> None:
        """Some record of these was too large: stream and where each ends."""
        for stream, end in ends:
            self._doubted[stream] = max(end, self._doubted.get(stream, 0))

    def too_large(self, stream: str, size_bytes: int) -> None:
        """A record of several lines that was alone under way."""
        self._most[stream] = max(1, size_bytes // 2)
        self._fitted[stream] = 0

    def fitted(self, stream: str, acknowledged: Mapping[str, int]) -> None:
        """A record of the stream was taken; how far all are."""
        if self._doubted:
            self._doubted = {
                name: end for name, end in self._doubted.items() if acknowledged.get(name, 0) < end
            }
        if stream in self._most:
            self._fitted[stream] += 1
            if self._fitted[stream] >= _GROW_AFTER:
                self._fitted[stream] = 0
                self._most[stream] *= 2
                if self._most[stream] >= RECORD_BYTES:
                    del self._most[stream]

    def keep(self, streams: Iterable[str]) -> None:
        """Forget doubts about streams that are no longer there."""
        there = set(streams)
        self._doubted = {name: end for name, end in self._doubted.items() if name in there}
