"""Open the store, load what is new, answer, and close: what every reading command does.

The database file belongs to whoever has it open, so a command keeps it for as short as it
can. If another process has it, that is said with its pid (exit code 3) instead of waiting:
the journal is the truth, and a moment later the same question works.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from barograph.folder import DataFolder
from barograph.log.opening import open_log
from barograph.units import format_bytes
from store.database import open_database
from store.loader import Loader, LoadReport
from store.reader import Reader
from ui.cli.config import Config
from ui.cli.output import notices

_SILENT_S: Final = 1.0
"""A load that takes longer is worth a word."""


@contextmanager
def reading(config: Config, folder: DataFolder) -> Generator[Reader]:
    """An up-to-date store while the block runs.

    Raises:
        StoreBusyError: another process has the file open.
        StoreError: it cannot be opened or written.
        LogError: the journal cannot be read.

    """
    with open_database(folder.store_file) as database:
        with Loader(database) as loader, telling(config) as tell:
            loader.load(open_log(folder.log_url), on_batch=tell.heard)
        yield Reader(database)


class Telling:
    """Says how far a load is, once it takes long; on a terminal only."""

    def __init__(self, console: Console, *, live: bool) -> None:
        """Say nothing yet."""
        self._began = time.monotonic()
        self._live = Live(console=console, transient=True, auto_refresh=False) if live else None

    def heard(self, report: LoadReport) -> None:
        """Take what was loaded so far."""
        if self._live is None or time.monotonic() - self._began < _SILENT_S:
            return
        said = Text(f"loading: {report.events:,} events, {format_bytes(report.bytes_read)} read")
        self._live.start()
        self._live.update(said, refresh=True)

    def close(self) -> None:
        """Clear the line."""
        if self._live is not None:
            self._live.stop()


@contextmanager
def telling(config: Config) -> Generator[Telling]:
    """Something to give to ``Loader.load``; cleared at the end of the block."""
    tell = Telling(notices(config), live=config.live)
    try:
        yield tell
    finally:
        tell.close()
