"""The topic as a log: partitions are streams, a record is a chunk.

Every reading looks anew at which partitions there are, so one that is added is read from its
beginning, and at where each of them ends, so that a reading is over. Whoever reads again and
again keeps its connection: a consumer that is done lies idle until the next reading, each
reading having one to itself. No consumer group is joined: who reads what, and how far, is
said by the position, which is stored with what was read (``store.loader``).

Records that retention took before they were read are left out of what is given; the seqs that
they held are then missing for all to see, and ``begins`` says how far it went.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from kafka import KafkaConsumer
from kafka.structs import TopicPartition

from barograph.codec import encode
from barograph.envelope import Event
from barograph.log.kafka.address import Brokers
from barograph.log.kafka.client import (
    WITHIN_S,
    RefusedByBrokerError,
    UnreachableBrokerError,
    made,
    settings,
    told,
)
from barograph.log.kafka.sending import Record, Sender
from barograph.log.kafka.topics import look_at_topic
from barograph.log.port import DEFAULT_CHUNK_BYTES, Chunk, LogError, Position

if TYPE_CHECKING:
    from kafka import ConsumerRecord

_LOOK_EVERY_S: Final = 2.0
"""For partitions that were added."""
_POLL_MS: Final = 200
_MOST_RECORDS: Final = 1000
_FETCH_BYTES: Final = 32 << 20
_PARTITION_FETCH_BYTES: Final = 2 << 20
"""Of one answer: small enough to stay in the processor's cache while it is copied. A record that
is larger comes alone."""
_SETTINGS: Final = {
    "enable_auto_commit": False,
    "auto_offset_reset": "earliest",
    "allow_auto_create_topics": False,
    "fetch_max_bytes": _FETCH_BYTES,
    "max_partition_fetch_bytes": _PARTITION_FETCH_BYTES,
    "fetch_max_wait_ms": _POLL_MS,
    "max_poll_records": _MOST_RECORDS,
    "metadata_max_age_ms": 10_000,
    "metrics_enabled": False,
}
Offsets = dict[TopicPartition, int]


class KafkaLog:
    """One topic. Thread-safe; ``close`` lets the connections go."""

    def __init__(self, brokers: Brokers, *, within_s: float = WITHIN_S) -> None:
        """Connect to nobody yet.

        Args:
            brokers: where it is, and who we are.
            within_s: after so long without an answer a broker is said to be away.

        """
        self._brokers = brokers
        self._within_s = within_s
        self._lock = threading.Lock()
        self._idle: list[KafkaConsumer] = []
        self._closed = False
        self._looked_s: WeakKeyDictionary[KafkaConsumer, float] = WeakKeyDictionary()

    @property
    def brokers(self) -> Brokers:
        """Where it is."""
        return self._brokers

    def append(self, events: Sequence[Event]) -> None:
        """See ``Log.append``; waits until all replicas in sync have it."""
        if not events:
            return
        sources = {event.source for event in events}
        if len(sources) > 1:
            raise LogError("a batch of several sources", where=self._brokers.url)
        data = b"".join(map(encode, events))
        with Sender(self._brokers, within_s=self._within_s) as sender:
            record = Record(key=sources.pop().encode(), lines=data)
            sender.send(record, within_s=self._within_s)
            sender.settle(within_s=self._within_s)
            if (failure := sender.failure(record)) is not None:
                raise failure

    def read(self, position: Position, *, max_bytes: int = DEFAULT_CHUNK_BYTES) -> Iterator[Chunk]:
        """See ``Log.read``. A stream is ``TOPIC/PARTITION``, in records; a chunk is one.

        Raises:
            UnreachableBrokerError: no broker answers.
            RefusedByBrokerError: one does, and does not let us; or there is no such topic.
            LogError: the topic ends before the position: it is another one.

        """
        del max_bytes  # whoever wrote the records decided that
        consumer = self._taken()
        try:
            with told(self._brokers, "read the log"):
                yield from self._chunks(consumer, position)
        except BaseException:
            _let_go(consumer)
            raise
        self._give_back(consumer)

    def ends(self) -> dict[str, int]:
        """Stream -> the offset after its last record. Raises as ``read``."""
        consumer = self._taken()
        try:
            with told(self._brokers, "look at the log"):
                ends = self._ends(consumer, self._partitions(consumer))
        except BaseException:
            _let_go(consumer)
            raise
        self._give_back(consumer)
        return {_stream(partition): end for partition, end in ends.items()}

    def close(self) -> None:
        """Let the connections go."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for consumer in idle:
            _let_go(consumer)

    def _chunks(self, consumer: KafkaConsumer, position: Position) -> Iterator[Chunk]:
        partitions = self._partitions(consumer)
        ends = self._ends(consumer, partitions)
        wanted = self._wanted(position, ends)
        if not wanted:
            return
        consumer.assign(list(wanted))
        for partition, start in wanted.items():
            consumer.seek(partition, start)
        after = dict(wanted)
        heard_s = time.monotonic()
        while any(after[partition] < ends[partition] for partition in after):
            polled = consumer.poll(timeout_ms=_POLL_MS)
            for partition, records in polled.items():
                yield from _as_chunks(partition, records, after, ends)
            moved = self._pass_holes(consumer, after, ends)
            if polled or moved:
                heard_s = time.monotonic()
            elif time.monotonic() > heard_s + self._within_s:
                raise UnreachableBrokerError(
                    f"cannot read the log: nothing came for {self._within_s:g} s",
                    where=self._brokers.url,
                    remedy="it goes on when a broker answers",
                )
        # Of what was fetched beyond the ends nothing is kept: the next reading seeks.
        consumer.assign([])

    def _pass_holes(self, consumer: KafkaConsumer, after: Offsets, ends: Offsets) -> bool:
        """Go on where a partition has offsets without records: markers, or what was deleted."""
        moved = False
        for partition, at in after.items():
            if at < ends[partition]:
                now = consumer.position(partition, timeout_ms=_POLL_MS)
                if now is not None and now > at:
                    after[partition] = min(now, ends[partition])
                    moved = True
        return moved

    def _partitions(self, consumer: KafkaConsumer) -> list[TopicPartition]:
        topic = self._brokers.topic
        now_s = time.monotonic()
        if now_s > self._looked_s.setdefault(consumer, now_s) + _LOOK_EVERY_S:
            # What a client knows it was told when it was made, or minutes ago.
            self._looked_s[consumer] = now_s
            consumer.topics()
        numbers = consumer.partitions_for_topic(topic)
        if not numbers and look_at_topic(self._brokers) is None:
            raise RefusedByBrokerError(
                "cannot read the log: there is no such topic",
                where=self._brokers.url,
                remedy="'barograph ship' makes it",
            )
        return [TopicPartition(topic, number) for number in sorted(numbers)]

    def _ends(self, consumer: KafkaConsumer, partitions: list[TopicPartition]) -> Offsets:
        return consumer.end_offsets(partitions, timeout_ms=int(1000 * self._within_s))

    def _wanted(self, position: Position, ends: Mapping[TopicPartition, int]) -> Offsets:
        wanted: Offsets = {}
        for partition, end in ends.items():
            start = position.get(_stream(partition), 0)
            if start > end:
                raise LogError(
                    f"partition {partition.partition} has {end} records, but {start} were read"
                    " before",
                    where=self._brokers.url,
                    remedy="it is another topic than before; load it into a store of its own",
                )
            if start < end:
                wanted[partition] = start
        return wanted

    def _taken(self) -> KafkaConsumer:
        with self._lock:
            if self._closed:
                raise LogError("this log was closed", where=self._brokers.url)
            if self._idle:
                return self._idle.pop()
        with made(self._brokers, "read the log") as part:
            return KafkaConsumer(
                **settings(self._brokers, within_s=self._within_s), **_SETTINGS, kafka_client=part
            )

    def _give_back(self, consumer: KafkaConsumer) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(consumer)
                return
        _let_go(consumer)


def _as_chunks(
    partition: TopicPartition, records: "list[ConsumerRecord]", after: Offsets, ends: Offsets
) -> Iterator[Chunk]:
    for record in records:
        if not after[partition] <= record.offset < ends[partition]:
            continue
        after[partition] = record.offset + 1
        data = record.value or b""
        yield Chunk(
            stream=_stream(partition),
            start=record.offset,
            end=record.offset + 1,
            # A record ends a line, whoever wrote it; one without lines is an empty one.
            data=data if data.endswith(b"\n") else data + b"\n",
        )


def _stream(partition: TopicPartition) -> str:
    return f"{partition.topic}/{partition.partition}"


def _let_go(consumer: KafkaConsumer) -> None:
    with suppress(Exception):  # it is of no more use, whatever it has to say
        consumer.close(autocommit=False, timeout_ms=1_000)
