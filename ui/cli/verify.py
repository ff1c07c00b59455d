"""``barograph verify``: is every event and every kill accounted for?"""

import typer

from barograph.errors import ExitCode
from barograph.folder import DEFAULT_FOLDER, DataFolder
from store import connect
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption
from ui.cli.output import answer
from ui.cli.reading import telling
from ui.reports import verify as report


def verify(*, folder: DirOption = DEFAULT_FOLDER, as_json: JsonOption = False) -> None:
    """Account for every event of every writer, for the tables, and for every kill.

    Reads the whole journal again and compares it with the tables, event by event; compares the
    final counters of all sandboxes with the kills that have an event, and both with the
    host's own count. Ends with 6 when something does not add up.
    """
    config = Config.of(folder, as_json=as_json)
    data = DataFolder.existing(config.folder)
    with connect(data) as served:
        with telling(config) as tell:
            served.load(tell.heard)
        reader = served.reader()
        found = report.verified(served.audit(), reader.kill_totals(), reader.host_kills())
    answer(config, "verify", found, report.render(found))
    if not found.ok:
        raise typer.Exit(ExitCode.AUDIT)
