"""``barograph load``: bring what is new in the journal into the database, and say how much."""

import time
from pathlib import Path
from typing import Annotated

import typer

from barograph.clock import US_PER_S, SystemClock
from barograph.errors import InputError
from barograph.folder import DEFAULT_FOLDER
from store import connect
from store.copying.importing import Imported, import_copy
from store.loader import LoadReport
from store.serving.client import Served
from store.serving.starting import delete_unserved
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, LogOption
from ui.cli.output import answer
from ui.cli.reading import doing, telling
from ui.cli.sharing import with_shared_log
from ui.reports import loading as report
from ui.reports.loading import Loaded


def load(
    copy: Annotated[
        str | None,
        typer.Argument(
            metavar="COPY", help="A folder that 'export' wrote: bring it into a new --dir first."
        ),
    ] = None,
    *,
    folder: DirOption = DEFAULT_FOLDER,
    log: LogOption = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Delete the database and load the journal from its start."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Load what is new in the journal into the database: exactly once, in any number of tries.

    Other commands do the same by themselves before they answer. The database is only a fold of
    the journal: --rebuild makes it again and gives the same tables. A COPY is checked file by
    file before anything of it is used, and gives the answers that it gave where it was made.
    """
    config = Config.of(folder, as_json=as_json)
    began = time.monotonic()
    imported = None if copy is None else _imported(config, copy, log)
    data = with_shared_log(config, log)
    deleted = rebuild and delete_unserved(data)
    with connect(data) as served:
        done = _load(config, served, rebuild=rebuild and not deleted)
        seconds = time.monotonic() - began
        reader = served.reader()
        counts = reader.counts()
        letters = reader.dead_letters(report.MOST_LETTERS) if counts.dead_letters else []
    newest = counts.last_t_us
    loaded = Loaded(
        folder=str(data.root),
        imported=imported,
        seconds=seconds,
        report=done,
        events_per_s=done.events / seconds if done.events else None,
        lag_s=None if newest is None else (SystemClock().wall_us() - newest) / US_PER_S,
        store=counts,
    )
    answer(config, "load", loaded, report.render(loaded, letters))


def _imported(config: Config, copy: str, log: str | None) -> Imported:
    if log is not None:
        raise InputError(
            "a copy comes without a shared log", field="--log", value=log, remedy="leave it out"
        )
    with doing(config) as say:
        return import_copy(Path(copy), config.folder, meanwhile=say)


def _load(config: Config, served: Served, *, rebuild: bool) -> LoadReport:
    with telling(config) as tell:
        return served.rebuild(tell.heard) if rebuild else served.load(tell.heard)
