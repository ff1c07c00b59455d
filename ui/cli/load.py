"""``barograph load``: bring what is new in the journal into the database, and say how much."""

import time
from typing import Annotated

import typer

from barograph.clock import US_PER_S, SystemClock
from barograph.folder import DEFAULT_FOLDER
from store import connect
from store.loader import LoadReport
from store.serving.client import Served
from store.serving.starting import delete_unserved
from ui.cli.config import Config
from ui.cli.options import DirOption, JsonOption, LogOption
from ui.cli.output import answer
from ui.cli.reading import telling
from ui.cli.sharing import with_shared_log
from ui.reports import loading as report
from ui.reports.loading import Loaded


def load(
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
    the journal: --rebuild makes it again and gives the same tables.
    """
    config = Config.of(folder, as_json=as_json)
    data = with_shared_log(config, log)
    began = time.monotonic()
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
        seconds=seconds,
        report=done,
        events_per_s=done.events / seconds if done.events else None,
        lag_s=None if newest is None else (SystemClock().wall_us() - newest) / US_PER_S,
        store=counts,
    )
    answer(config, "load", loaded, report.render(loaded, letters))


def _load(config: Config, served: Served, *, rebuild: bool) -> LoadReport:
    with telling(config) as tell:
        return served.rebuild(tell.heard) if rebuild else served.load(tell.heard)
