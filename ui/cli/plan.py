"""``barograph plan``: check a sweep file and show what it would run. Runs nothing."""

from pathlib import Path
from typing import Annotated

import typer

from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.log.opening import open_log
from runner.plan import plan as planned
from runner.resume import Past, read_past
from runner.sweeps import Sweep, load_sweep
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption
from ui.cli.output import answer
from ui.reports import plan as report


def plan(
    sweep_file: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep file.")],
    *,
    folder: DirOption = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Show what a sweep file would run: ceilings of each task, trials, order, a time bound.

    The file, every task and every condition for every task are checked on the way. With
    --json the whole plan is printed, trials in the order in which they would begin. If the
    data folder holds this sweep, trials have their ids, and whether they have an outcome.
    """
    config = Config.of(folder, as_json=as_json)
    sweep = load_sweep(sweep_file)
    past = _past(config, sweep)
    trials = planned(sweep, past.sweep_id or "")
    done = {one.trial for one in trials if past.standing(one.trial) is not None}
    answer(
        config,
        "plan",
        report.content(sweep, trials, sweep_id=past.sweep_id, done=done),
        report.render(sweep, trials, done=len(done)),
    )


def _past(config: Config, sweep: Sweep) -> Past:
    """What the data folder knows of this sweep; nothing where it holds none, or another."""
    data = DataFolder.at(config.folder)
    if not data.journal.is_dir():
        return Past()
    past = read_past(open_log(data.log_url))
    same = past.planned is not None and past.planned.digest == sweep.digest
    return past if same else Past()
