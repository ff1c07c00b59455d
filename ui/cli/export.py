"""``barograph export``: copy a sweep into a folder that needs nothing else."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.judging import judging_policy
from analysis.verdicts.reading import policy_v1
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store.copying.exporting import export as export_sweep
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, SweepArgument
from ui.cli.output import answer
from ui.cli.reading import doing, log_of, reading
from ui.reports import exporting as report


def export(
    sweep: SweepArgument = None,
    *,
    to: Annotated[
        str, typer.Option("--to", metavar="FOLDER", help="A new folder, or an empty one.")
    ],
    folder: DirOption = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Copy a sweep into a folder: its events, tables for other tools, and a manifest.

    'load FOLDER --dir NEW' brings it into a data folder elsewhere, where it gives the same
    answers. The tables are Parquet and need nothing of Barograph.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    with reading(config, data) as reader:
        row = reader.sweep(sweep)
    where = Path(to).expanduser().absolute()
    with doing(config) as say:
        made = export_sweep(
            log_of(data), row, where, policy=judging_policy(policy_v1()), meanwhile=say
        )
    answer(config, "export", report.content(made), report.render(made))
