"""Where a load goes on in its log."""

from typing import Protocol, runtime_checkable

from barograph.log.port import Log
from store.catalogue import loading
from store.database import Database
from store.reader import Reader


@runtime_checkable
class _HasStreams(Protocol):
    def stream_names(self) -> frozenset[str]: ...


def position_in(log: Log, database: Database) -> dict[str, int]:
    """Stream -> the offset to go on from. Streams that were replaced by others are forgotten.

    Raises:
        StoreError: the store could not be asked or written.

    """
    position = Reader(database).positions()
    if isinstance(log, _HasStreams) and (gone := position.keys() - log.stream_names()):
        with database.transaction():
            database.run(loading("forget_streams").fill({"streams": sorted(gone)}))
    return position
