"""``barograph plan``: check a sweep file and show what it would run. Runs nothing."""

from pathlib import Path
from typing import Annotated

import typer

from barograph.folder import DEFAULT_FOLDER
from runner.plan import plan as planned
from runner.sweeps import load_sweep
from ui.cli.config import Config
from ui.cli.options import JsonOption
from ui.cli.output import answer
from ui.reports import plan as report


def plan(
    sweep_file: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Show what a sweep file would run: ceilings of each task, trials, order, a time bound.

    The file, every task and every condition for every task are checked on the way; with
    --json the whole plan is printed, trials in the order in which they would begin.
    """
    config = Config.of(DEFAULT_FOLDER, as_json=as_json)
    sweep = load_sweep(sweep_file)
    # Trial ids depend on the sweep's id, which is drawn when it is first run.
    trials = planned(sweep, sweep_id="")
    answer(config, "plan", report.content(sweep, trials), report.render(sweep, trials))
