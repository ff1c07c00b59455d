"""``barograph run``: run a sweep, or go on with one that was stopped."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from barograph.folder import DEFAULT_FOLDER, DataFolder
from runner.campaign import CampaignEnd
from runner.sweeps import load_sweep
from ui import tables
from ui.cli.campaigning import complete, conduct, with_concurrency
from ui.cli.config import Config
from ui.cli.options import (
    BoundOption,
    ConcurrencyOption,
    DirOption,
    JsonOption,
    KeepOption,
    LogOption,
)
from ui.cli.output import answer
from ui.cli.sharing import Sharing, with_log
from ui.palette import DIM
from ui.reports import progress as report


def run(
    sweep_file: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file.")],
    *,
    folder: DirOption = DEFAULT_FOLDER,
    concurrency: ConcurrencyOption = None,
    log: LogOption = None,
    keep: KeepOption = None,
    bound: BoundOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a sweep: every planned trial that has no outcome in the data folder yet.

    Stopped in any way, the same command goes on where it was; nothing is run twice and
    nothing is lost. Ctrl-C stops it well (what runs is cancelled and run again another
    time), a second Ctrl-C at once.
    """
    config = Config.of(folder, as_json=as_json)
    sweep = with_concurrency(load_sweep(sweep_file), concurrency)
    data = DataFolder.create(config.folder)
    with_log(config, data, Sharing(log=log, keep=keep, bound=bound))
    end = conduct(config, sweep, data)
    next_one = f"barograph report --dir {config.folder}" if end.reason == "complete" else ""
    shown = Group(
        tables.answer(f"{sweep.name}: {report.ended(end.progress)}."),
        report.tally(end.progress),
        Text(next_one, style=DIM),
    )
    answer(config, "run", _content(end, sweep.name, data), shown)
    complete(end, f"barograph run {sweep_file} --dir {config.folder}")


def _content(end: CampaignEnd, name: str, folder: DataFolder) -> dict[str, object]:
    progress = end.progress
    return {
        "sweep": end.sweep_id,
        "name": name,
        "dir": str(folder.root),
        "reason": end.reason,
        "trials_planned": progress.planned,
        "trials_done": progress.done,
        "trials_done_here": progress.done_here,
        "gave": progress.gave,
        "elapsed_s": progress.elapsed_s,
    }
