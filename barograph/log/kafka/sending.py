"""Records on their way to the brokers, never more of them than a bound.

The client has no bound of its own: with no broker it takes records until memory ends, and it
only logs what it could not deliver. So every record's future is kept here until it is known
what became of it, ``send`` waits while too much is under way, and whoever sends asks
``settle`` before it believes anything.

A client that could not deliver a record is of no more use: those behind it may have arrived.
Whoever sent them begins with a new one at the first that was not acknowledged, and the
loader drops what came twice.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from kafka import KafkaProducer

from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import (
    LARGEST_BYTES,
    WITHIN_S,
    UnreachableBrokerError,
    made,
    meaning,
    settings,
    told,
)
from barograph.log.port import LogError

if TYPE_CHECKING:
    from kafka import Future

MOST_RECORDS: Final = 64
MOST_BYTES: Final = 16 << 20
"""Under way at once, of lines; one record may be larger."""
DELIVER_WITHIN_S: Final = 15.0
_BATCH_BYTES: Final = 1 << 20
_LINGER_MS: Final = 5
_PAUSE_S: Final = 0.005


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """Whole lines of one source."""

    key: bytes
    lines: bytes


@dataclass(slots=True)
class _UnderWay:
    record: Record
    future: "Future"


class Sender:
    """A producer with a bound, for one thread."""

    def __init__(
        self,
        brokers: Brokers,
        *,
        most_records: int = MOST_RECORDS,
        most_bytes: int = MOST_BYTES,
        within_s: float = DELIVER_WITHIN_S,
    ) -> None:
        """Connect to nobody yet.

        Args:
            brokers: where the topic is, and who we are.
            most_records: under way at once.
            most_bytes: of their lines.
            within_s: a record that is not acknowledged within this time has failed.

        Raises:
            LogError: the settings cannot be used.

        """
        self._brokers = brokers
        self._most_records = most_records
        self._most_bytes = most_bytes
        self._under_way: deque[_UnderWay] = deque()
        self._bytes = 0
        self._known: list[Record] = []
        self._failures: dict[Record, LogError] = {}
        request_s = min(within_s / 2, WITHIN_S)
        with made(brokers, "send") as part:
            self._producer = KafkaProducer(
                **settings(brokers, within_s=request_s),
                acks="all",
                enable_idempotence=True,
                compression_type="lz4",
                linger_ms=_LINGER_MS,
                batch_size=_BATCH_BYTES,
                max_request_size=LARGEST_BYTES,
                max_block_ms=int(1000 * within_s),
                delivery_timeout_ms=int(1000 * within_s),
                allow_auto_create_topics=False,
                metrics_enabled=False,
                kafka_client=part,
            )

    def __enter__(self) -> Self:
        """Let it go at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """See ``close``."""
        self.close()

    @property
    def under_way(self) -> int:
        """Records of which it is not known yet what became of them."""
        return len(self._under_way)

    def send(self, record: Record, *, within_s: float = DELIVER_WITHIN_S) -> None:
        """Hand a record over, when there is room for it.

        Raises:
            LogError: there is none within this time, or no broker.

        """
        self._wait(lambda: self._has_room(len(record.lines)), within_s)
        with told(self._brokers, "send"):
            future = self._producer.send(self._brokers.topic, value=record.lines, key=record.key)
        self._under_way.append(_UnderWay(record, future))
        self._bytes += len(record.lines)

    def collect(self) -> list[Record]:
        """Those whose fate is known since last asked, in the order in which they were sent.

        ``failure`` says of each whether it was acknowledged.
        """
        self._hear()
        known, self._known = self._known, []
        return known

    def failure(self, record: Record) -> LogError | None:
        """Why a record was not acknowledged; told once. None: it was."""
        return self._failures.pop(record, None)

    def settle(self, *, within_s: float) -> list[Record]:
        """Wait for all that are under way; what ``collect`` gives.

        Raises:
            UnreachableBrokerError: it takes longer.

        """
        self._wait(lambda: not self._under_way, within_s)
        return self.collect()

    def close(self) -> None:
        """Let it go; what is under way may arrive or not."""
        try:
            self._producer.close(timeout=0.5)
        except Exception:  # noqa: BLE001 - whatever it has to say, it is of no more use
            # It waits for what is under way, gives up, and has closed nothing; as it is
            # collected it does so again, loudly. There is no other way to make it let go.
            self._producer._sender.force_close()  # noqa: SLF001 - see above
            self._producer._closed = True  # noqa: SLF001 - see above

    def _wait(self, done: Callable[[], bool], within_s: float) -> None:
        until_s = time.monotonic() + within_s
        while not done():
            if time.monotonic() > until_s:
                raise UnreachableBrokerError(
                    f"cannot send: {self.under_way} records are not acknowledged for"
                    f" {within_s:g} s",
                    where=self._brokers.url,
                )
            if not self._hear():
                time.sleep(_PAUSE_S)

    def _hear(self) -> bool:
        """Note what became of the oldest; whether anything did."""
        heard = False
        while self._under_way and self._under_way[0].future.is_done:
            one = self._under_way.popleft()
            self._bytes -= len(one.record.lines)
            self._known.append(one.record)
            if (error := one.future.exception) is not None:
                self._failures[one.record] = meaning(error, self._brokers, "send")
            heard = True
        return heard

    def _has_room(self, size: int) -> bool:
        if not self._under_way:
            return True
        return len(self._under_way) < self._most_records and self._bytes + size <= self._most_bytes
