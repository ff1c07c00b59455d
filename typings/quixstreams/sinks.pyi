from collections.abc import Iterator
from typing import Any

class SinkItem:
    value: Any
    offset: int

class SinkBatch:
    partition: int
    def __iter__(self) -> Iterator[SinkItem]: ...

class BatchingSink:
    def write(self, batch: SinkBatch) -> None: ...
