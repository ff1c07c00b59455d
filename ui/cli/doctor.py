"""``barograph doctor``: can this machine hold ceilings and see what they do?"""

from typing import Annotated

import typer

from barograph.errors import ExitCode
from barograph.folder import DEFAULT_FOLDER, DataFolder
from ui.checks.brokers import broker_checks
from ui.checks.kernel import kernel_checks
from ui.checks.place import place_checks
from ui.checks.program import program_checks
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption
from ui.cli.output import answer
from ui.reports import doctor as report


def doctor(
    *,
    folder: DirOption = DEFAULT_FOLDER,
    log: Annotated[
        str | None,
        typer.Option("--log", metavar="URL", help="Look at this shared log alone."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what this machine can measure and hold, and what to do about what it cannot.

    Ends with 4 when a check failed, so that a script can ask before it starts a sweep.
    Nothing is changed.
    """
    config = Config.of(folder, as_json=as_json)
    if log is None:
        checks = [*kernel_checks(), *program_checks(), *place_checks(DataFolder.at(config.folder))]
        shown = report.render(checks)
    else:
        checks = broker_checks(log)
        shown = report.render_log(log, checks)
    answer(config, "doctor", report.content(checks), shown)
    if any(check.state == "fail" for check in checks):
        raise typer.Exit(ExitCode.ENVIRONMENT)
