"""Find the store's server, have what is new loaded, and ask: what every reading command does.

No command opens the store itself. The server is started where there is none and left for
the next command, so any number of commands may run at once; each sees everything that was in
the journal when it began.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from barograph.folder import DataFolder
from barograph.log.opening import open_log
from barograph.log.port import Log, LogError
from barograph.units import format_bytes
from store import connect
from store.loader import LoadReport
from store.reader import Reader
from store.serving.client import Served
from ui.cli.config import Config
from ui.cli.output import notices

_SILENT_S: Final = 1.0
"""A load that takes longer is worth a word."""


@contextmanager
def asking(config: Config, folder: DataFolder) -> Generator[Served]:
    """A store that is up to date, while the block runs.

    Raises:
        StoreError: it cannot be opened or written.
        LogError: the journal cannot be read. Where the log is a shared one that cannot be read
            now, that is said, and the answer is of what was loaded before.

    """
    with connect(folder) as served:
        with telling(config) as tell:
            try:
                served.load(tell.heard)
            except LogError as error:
                if folder.shared_log_url is None:
                    raise
                # Other machines' brokers: what is in the tables is an answer all the same.
                notices(config).print(Text(f"not all is in this answer: {error}"))
        yield served


@contextmanager
def reading(config: Config, folder: DataFolder) -> Generator[Reader]:
    """The named questions over such a store; as ``asking``."""
    with asking(config, folder) as served:
        yield served.reader()


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
    """Something to give to ``Served.load``; cleared at the end of the block."""
    tell = Telling(notices(config), live=config.live)
    try:
        yield tell
    finally:
        tell.close()


@contextmanager
def doing(config: Config) -> Generator[Callable[[str], None]]:
    """Something that says in a line what is done now; on a terminal only, gone at the end."""
    if not config.live:
        yield lambda _: None
        return
    with Live(console=notices(config), transient=True, auto_refresh=False) as live:
        yield lambda words: live.update(Text(f"{words} …"), refresh=True)


def log_of(folder: DataFolder) -> Log:
    """The folder's whole log: the shared one where it names one, else its journal."""
    return open_log(folder.shared_log_url or folder.log_url)
