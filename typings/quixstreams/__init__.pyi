# What a bench uses of quixstreams, which is in the peers' environment alone.

from collections.abc import Callable

from quixstreams.sinks import BatchingSink

class Topic: ...

class StreamingDataFrame:
    def apply(self, func: Callable[[bytes], object], *, expand: bool) -> StreamingDataFrame: ...
    def sink(self, sink: BatchingSink) -> None: ...

class Application:
    def __init__(
        self,
        *,
        broker_address: str,
        consumer_group: str,
        auto_offset_reset: str,
        auto_create_topics: bool,
        commit_every: int,
        loglevel: str,
    ) -> None: ...
    def topic(self, name: str, *, value_deserializer: str) -> Topic: ...
    def dataframe(self, topic: Topic) -> StreamingDataFrame: ...
    def run(self) -> None: ...
    def stop(self) -> None: ...
