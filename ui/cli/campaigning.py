"""Run a campaign and show how far it is: what ``run`` and ``demo`` have in common.

The campaign runs in the main thread, where it hears Ctrl-C. The view is a thread that
redraws from the last value the campaign told; it can be slow or fail without the
campaign noticing. What is shown goes to standard error.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rich.live import Live

from barograph.clock import SystemClock
from barograph.errors import IncompleteError
from barograph.folder import DataFolder
from barograph.shipping.keeping import shipped
from runner.campaign import Campaign, CampaignEnd
from runner.progress import Progress
from runner.sweeps import Sweep
from ui.cli.config import Config
from ui.cli.output import notices
from ui.errors import StoppedError
from ui.reports import progress as report

_REDRAW_S: Final = 0.25
_LINE_EVERY_S: Final = 5.0


class _View:
    """Shows the last progress until it is closed."""

    def __init__(self, config: Config, name: str) -> None:
        self._config = config
        self._name = name
        self._clock = SystemClock()
        self._latest: Progress | None = None
        self._closing = threading.Event()
        self._console = notices(config)
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def heard(self, progress: Progress) -> None:
        """Keep what the campaign says; called from its threads."""
        self._latest = progress

    def __enter__(self) -> Callable[[Progress], None]:
        self._thread.start()
        return self.heard

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()

    def _show(self) -> None:
        if not self._config.live:
            while not self._closing.wait(_LINE_EVERY_S):
                if self._latest is not None:
                    self._console.print(report.line(self._name, self._latest))
            return
        with Live(console=self._console, transient=True, auto_refresh=False) as live:
            while not self._closing.wait(_REDRAW_S):
                if self._latest is not None:
                    now_us = self._clock.mono_us()
                    live.update(report.render(self._name, self._latest, now_us), refresh=True)


def conduct(config: Config, sweep: Sweep, folder: DataFolder) -> CampaignEnd:
    """Run the campaign to its end, with the view beside it.

    Returns:
        How it ended; see ``complete`` for what that means for the exit code.

    Raises:
        BarographError: as ``Campaign.run``.

    """
    with shipped(folder), _View(config, sweep.name) as heard:
        return Campaign(sweep, folder, listener=heard).run()


def with_concurrency(sweep: Sweep, concurrency: int | None) -> Sweep:
    """The sweep with another number of trials at once, if one was asked for."""
    return sweep if concurrency is None else replace(sweep, concurrency=concurrency)


def complete(end: CampaignEnd, command: str) -> None:
    """Refuse to call a sweep done that is not.

    Raises:
        StoppedError: the user stopped it.
        IncompleteError: it ended before its plan for another reason.

    """
    if end.reason == "complete":
        return
    error = StoppedError if end.reason == "stopped_by_user" else IncompleteError
    raise error(
        f"the sweep was stopped: {report.ended(end.progress)}",
        remedy=f"'{command}' goes on with it",
    )
