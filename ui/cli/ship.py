"""``barograph ship``: copy the journal to the shared log, here and now."""

import time
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from barograph.errors import ExitCode
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.shipping.process import Told
from barograph.shipping.process import ship as ship_folder
from barograph.units import format_bytes
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, LogOption
from ui.cli.output import answer, notices
from ui.cli.sharing import with_log
from ui.reports import shipping as report

_REDRAW_S = 0.25


def ship(
    *,
    folder: DirOption = DEFAULT_FOLDER,
    log: LogOption = None,
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
    with_log(config, data, log)
    linger_s = 0.0 if once else float("inf")
    with Live(console=notices(config), transient=True, auto_refresh=False) as live:
        drawn_s = 0.0

        def heard(told: Told) -> None:
            nonlocal drawn_s
            if config.live and time.monotonic() > drawn_s + _REDRAW_S:
                drawn_s = time.monotonic()
                wrong = f"; {told.error}" if told.error else ""
                said = f"shipping: {format_bytes(told.waiting_bytes)} wait{wrong}"
                live.update(Text(said), refresh=True)

        left = ship_folder(data, linger_s=linger_s, once=once, on_step=heard)
    answer(config, "ship", report.content(data, left), report.render(data, left))
    if once and (left.error or left.waiting_bytes):
        raise typer.Exit(ExitCode.ENVIRONMENT)
