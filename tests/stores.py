"""Stores for tests: lines in, whole tables out."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from barograph.envelope import Belongs, Event
from barograph.facts import Payload, PhaseStarted, Sample
from barograph.log.memory import MemoryLog
from barograph.log.port import Chunk
from store.database import Database, Settings, memory_database
from store.loader import Loader, LoadReport

GOLDEN = Path(__file__).parent / "golden"

Tables = dict[str, list[tuple[object, ...]]]


def golden_lines() -> list[bytes]:
    """The lines of the golden logs, without newlines."""
    kinds = ("", "-people", "-shipping", "-retention")
    names = [f"events-v1{kind}.jsonl" for kind in kinds]
    return [line for name in names for line in (GOLDEN / name).read_bytes().splitlines()]


@cache
def _shared() -> Database:
    return memory_database(Settings(threads=1))


def empty_store() -> Database:
    """An empty store in memory; it empties the one that an earlier call gave.

    There is one a process, so that a property can be tried on hundreds of logs.
    """
    database = _shared()
    for name in table_names(database):
        if name != "store_format":
            database.run(f"DELETE FROM {name}")  # noqa: S608 - a table's name
    return database


def table_names(database: Database) -> list[str]:
    """All tables that a load may write."""
    sql = "SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY 1"
    return [str(name) for (name,) in database.ask(sql).rows]


def dump(database: Database, *, but: Iterable[str] = ()) -> Tables:
    """Every row of every table, in an order that depends on nothing but the rows."""
    return {
        name: database.ask(f"FROM {name} ORDER BY ALL").rows
        for name in table_names(database)
        if name not in but
    }


def chunk(lines: Sequence[bytes], *, stream: str = "s", start: int = 0) -> Chunk:
    """Lines as a piece of a journal's stream."""
    data = b"".join(line + b"\n" for line in lines)
    return Chunk(stream=stream, start=start, end=start + len(data), data=data)


def load(database: Database, *chunks: Chunk) -> LoadReport:
    """Load chunks in one transaction."""
    with Loader(database) as loader:
        return loader.load_chunks(chunks)


def memory_log(lines: Iterable[bytes]) -> MemoryLog:
    """A log of raw lines."""
    log = MemoryLog()
    for line in lines:
        log.append_raw(line)
    return log


def event(seq: int, payload: Payload | None = None, *, source: str = "c1", **at: int) -> Event:
    """Some event of a source; a phase's beginning when no payload is given."""
    return Event(
        source=source,
        seq=seq,
        t_us=at.get("t_us", 1000 + seq),
        mono_us=at.get("mono_us", seq),
        belongs=Belongs(sweep="s1", trial="t1", try_no=1, target="t1-1"),
        payload=PhaseStarted(phase="agent") if payload is None else payload,
    )


def sample(seq: int, *, source: str = "c1", usage: int | None = None) -> Event:
    """A sample."""
    return event(seq, Sample(usage_bytes=seq if usage is None else usage), source=source)


def sample_line(
    seq: str = "0", *, source: str = '"c1"', data: str = "[1,2,null]", v: str = "1"
) -> bytes:
    """A sample's line with any JSON, or none, in its places."""
    return (
        f'{{"v":{v},"type":"sample","source":{source},"seq":{seq},"t_us":5,"mono_us":6,'
        f'"sweep":null,"trial":"t1","try":1,"target":"t1-1","data":{data}}}'
    ).encode()
