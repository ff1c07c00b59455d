"""``barograph demo``: the study in miniature, on this machine, with nothing hidden.

It runs a sweep file of ``examples/`` as ``barograph run`` would, then answers as
``barograph report`` would. What differs is the default data folder.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

import ui
from barograph.folder import DataFolder
from runner.sweeps import load_sweep
from ui.cli.campaigning import complete, conduct, with_concurrency
from ui.cli.config import Config
from ui.cli.options import DEMO_FOLDER, ConcurrencyOption, DirOption, JsonOption
from ui.cli.output import notices
from ui.cli.report import give_report
from ui.errors import NoPackError

_PACK: Final = Path(ui.__file__).resolve().parents[1] / "examples"


def demo(
    *,
    folder: DirOption = DEMO_FOLDER,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed; else the file's.")
    ] = None,
    concurrency: ConcurrencyOption = None,
    small: Annotated[
        bool, typer.Option("--small", help="24 trials in about 20 seconds instead of 288.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run the reference pack at six memory ceilings and say what they did to the score.

    12 tasks, 6 ceilings, 2 scripted agents, 2 attempts: 288 trials in a few minutes. Needs
    root, because the kernel really kills. Stopped in any way, the same command goes on.
    """
    config = Config.of(folder, as_json=as_json)
    file = _PACK / ("small.toml" if small else "ceilings.toml")
    if not file.is_file():
        raise NoPackError(
            "the reference pack is not there",
            where=file,
            remedy="run the demo from a clone of the repository",
        )
    sweep = with_concurrency(load_sweep(file), concurrency)
    if seed is not None:
        sweep = replace(sweep, seed=seed)
    data = DataFolder.create(config.folder)
    notices(config).print(f"running {file} into {data.root}")
    complete(conduct(config, sweep, data), "barograph demo")
    give_report(config, data, kind="demo")
