"""A log by its URL: ``journal:DIR``, ``kafka:HOST:PORT`` or ``memory:``."""

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from barograph.errors import InputError
from barograph.log.journal import JournalLog
from barograph.log.memory import MemoryLog
from barograph.log.port import Log


def _journal(rest: str) -> Log:
    if not rest:
        raise InputError("no folder", field="log", value="journal:", remedy="write journal:DIR")
    return JournalLog(Path(rest))


def _memory(_rest: str) -> Log:
    return MemoryLog()


def _kafka(rest: str) -> Log:
    if importlib.util.find_spec("kafka") is None:
        raise InputError(
            "the client of Kafka is not installed",
            field="log",
            value=f"kafka:{rest}",
            remedy="install barograph[kafka]",
        )
    # Only who asks for it: it takes a while to import, and most have no broker.
    from barograph.log.kafka.address import Brokers  # noqa: PLC0415 - see above
    from barograph.log.kafka.reading import KafkaLog  # noqa: PLC0415 - see above

    return KafkaLog(Brokers.of(f"kafka:{rest}", os.environ))


_BACKENDS: Final[dict[str, Callable[[str], Log]]] = {
    "journal": _journal,
    "kafka": _kafka,
    "memory": _memory,
}


def open_log(url: str) -> Log:
    """Open the log that ``url`` names.

    Raises:
        InputError: no such backend; the sentence lists those that exist.

    """
    scheme, colon, rest = url.partition(":")
    backend = _BACKENDS.get(scheme)
    if backend is None or not colon:
        known = ", ".join(f"'{name}:'" for name in sorted(_BACKENDS))
        raise InputError("no such log", field="log", value=url, remedy=f"begin with {known}")
    return backend(rest)
