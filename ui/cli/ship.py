"""``barograph ship``: copy the journal to the shared log, here and now."""

import time
from typing import Annotated, Final

import typer
from rich.live import Live
from rich.text import Text

from barograph.errors import ExitCode
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.shipping.keeping import Shipping, wait_until_shipped
from barograph.shipping.process import Told
from barograph.shipping.process import ship as ship_folder
from barograph.units import format_bytes
from ui.cli.config import Config
from ui.cli.options import BoundOption, DirOption, JsonOption, KeepOption, LogOption
from ui.cli.output import answer, notices
from ui.cli.sharing import Sharing, with_log
from ui.reports import shipping as report

_REDRAW_S: Final = 0.25


def ship(
    *,
    folder: DirOption = DEFAULT_FOLDER,
    log: LogOption = None,
    keep: KeepOption = None,
    bound: BoundOption = None,
    once: Annotated[
        bool, typer.Option("--once", help="End when all that is there is shipped, or cannot be.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ship a data folder's journal to its shared log until Ctrl-C.

    Nobody has to run this beside a sweep: whoever writes events starts a shipper that ends by
    itself. It is for what an earlier sweep left, and for looking on. With --once it ends with 4
    when something could not be shipped.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    with_log(config, data, Sharing(log=log, keep=keep, bound=bound))
    with Live(console=notices(config), transient=True, auto_refresh=False) as live:
        told = _Telling(live if config.live else None)
        if once:
            found = wait_until_shipped(data, within_s=float("inf"), meanwhile=told.shipping)
            left = Told(
                waiting_bytes=0 if found is None else found.waiting_bytes,
                error=None if found is None else found.error,
            )
        else:
            left = ship_folder(data, linger_s=float("inf"), on_step=told.step)
    answer(config, "ship", report.content(data, left), report.render(data, left))
    if once and left.waiting_bytes:
        raise typer.Exit(ExitCode.ENVIRONMENT)


class _Telling:
    """Redraws one line, not too often; none where nobody looks."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._drawn_s = 0.0

    def step(self, told: Told) -> None:
        self._say(told.waiting_bytes, told.error)

    def shipping(self, found: Shipping) -> None:
        self._say(found.waiting_bytes, found.error)

    def _say(self, waiting_bytes: int, error: str | None) -> None:
        if self._live is None or time.monotonic() < self._drawn_s + _REDRAW_S:
            return
        self._drawn_s = time.monotonic()
        wrong = f"; {error}" if error else ""
        said = f"shipping: {format_bytes(waiting_bytes)} wait{wrong}"
        self._live.update(Text(said), refresh=True)
