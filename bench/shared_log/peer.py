"""The same records into the same table in the usual ways; runs in the peers' environment.

``python bench/shared_log/peer.py confluent|quixstreams ...``: confluent-kafka (librdkafka) or
quixstreams over it, ``json``, Arrow tables of 10,000 rows, an ``INSERT`` each into a DuckDB
file, one transaction each with the positions in it. Every record holds many lines, as the
shipper packs them, which spares both most of what a record costs. Checked is nothing: no
duplicates, gaps or dead letters. It ends when so many samples are in and the file is closed.
"""

import argparse
import importlib
import json
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import duckdb
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition  # pyright: ignore[reportMissingModuleSource] # peers' alone
from quixstreams import Application  # pyright: ignore[reportMissingModuleSource] # peers' alone
from quixstreams.sinks import BatchingSink, SinkBatch  # pyright: ignore[reportMissingModuleSource] # peers' alone

pa: Any = importlib.import_module("pyarrow")
"""It has no types."""
ROWS: Final = 10_000
"""In an insert."""
RECORDS: Final = 20
"""Between two checkpoints of quixstreams; some 15,000 samples."""
ENVELOPE: Final = {
    "source": "VARCHAR",
    "seq": "BIGINT",
    "t_us": "BIGINT",
    "mono_us": "BIGINT",
    "sweep": "VARCHAR",
    "trial": "VARCHAR",
    "try": "BIGINT",
    "target": "VARCHAR",
}
ARROW: Final = {"VARCHAR": pa.string(), "BIGINT": pa.int64()}
Line = dict[str, Any]


class Table:
    """The samples' table, without anything else of a store."""

    def __init__(self, path: Path, metrics: Sequence[str], count: int) -> None:
        """Make it, for so many samples or a few more."""
        self._types = {**ENVELOPE, **dict.fromkeys(metrics, "BIGINT")}
        self._count = count
        self.rows = 0
        self._waiting: list[tuple[object, ...]] = []
        self._connection = duckdb.connect(
            str(path), config={"storage_compatibility_version": "latest"}
        )
        columns = ", ".join(f'"{name}" {kind}' for name, kind in self._types.items())
        self._connection.execute(f"CREATE TABLE sample ({columns})")
        self._connection.execute("CREATE TABLE log_position (part BIGINT, position BIGINT)")

    def add(self, lines: Iterable[Line]) -> None:
        """Take samples."""
        self._waiting += [
            (*map(line.get, ENVELOPE), *line["data"]) for line in lines if line["type"] == "sample"
        ]

    @property
    def full(self) -> bool:
        """Whether it is time to insert."""
        last = 0 < self._count - self.rows <= len(self._waiting)
        return last or len(self._waiting) >= ROWS

    @property
    def complete(self) -> bool:
        """Whether all are in."""
        return self.rows >= self._count

    def insert(self, part: int, offset: int) -> None:
        """Insert what waits, and note the position with it."""
        columns = list(zip(*self._waiting, strict=True))
        arrays = [
            pa.array(column, type=ARROW[kind])
            for column, kind in zip(columns, self._types.values(), strict=True)
        ]
        self.rows += len(self._waiting)
        self._waiting.clear()
        connection = self._connection
        connection.execute("BEGIN")
        connection.register("arrived", pa.table(arrays, names=list(self._types)))
        connection.execute("INSERT INTO sample SELECT * FROM arrived")
        connection.execute("INSERT INTO log_position VALUES (?, ?)", [part, offset])
        connection.execute("COMMIT")
        connection.unregister("arrived")

    def close(self) -> None:
        """With a checkpoint."""
        self._connection.close()


def lines_of(value: bytes) -> list[Line]:
    """The events of a record."""
    return [json.loads(line) for line in value.splitlines()]


def confluent(table: Table, servers: str, topic: str) -> None:
    """confluent-kafka."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "peer", "enable.auto.commit": False}
    )
    parts = consumer.list_topics(topic).topics[topic].partitions
    consumer.assign([TopicPartition(topic, part, OFFSET_BEGINNING) for part in parts])
    while not table.complete:
        for message in consumer.consume(100, timeout=1.0):
            table.add(lines_of(message.value()))
            if table.full:
                table.insert(message.partition(), message.offset())
    consumer.close()


class Sink(BatchingSink):
    """Hands batches to the table, and ends the application when all are in."""

    def __init__(self, table: Table, stop: Callable[[], None]) -> None:
        """Into ``table``."""
        super().__init__()
        self._table = table
        self._stop = stop

    def write(self, batch: SinkBatch) -> None:
        """Take what came since the last checkpoint."""
        for item in batch:
            self._table.add([item.value])
            if self._table.full:
                self._table.insert(batch.partition, item.offset)
        if self._table.complete:
            self._stop()


def quix(table: Table, servers: str, topic: str) -> None:
    """Quixstreams, with a sink for the table."""
    app = Application(
        broker_address=servers,
        consumer_group="peer",
        auto_offset_reset="earliest",
        auto_create_topics=False,
        commit_every=RECORDS,
        loglevel="ERROR",
    )
    stream = app.dataframe(app.topic(topic, value_deserializer="bytes"))
    stream.apply(lines_of, expand=True).sink(Sink(table, app.stop))
    app.run()


def main() -> None:
    """Measure one way, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["confluent", "quixstreams"])
    parser.add_argument("--servers", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--database", type=Path, required=True)
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("--metrics", nargs="+", required=True)
    options = parser.parse_args()
    ways = {"confluent": confluent, "quixstreams": quix}
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    table = Table(options.database, options.metrics, options.samples)
    ways[options.way](table, options.servers, options.topic)
    table.close()
    told = {
        "wall_s": time.perf_counter() - wall_s,
        "cpu_s": time.process_time() - cpu_s,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "samples": table.rows,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
