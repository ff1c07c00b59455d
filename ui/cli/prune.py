"""``barograph prune``: remove sweeps, or what is old, from everything, and say so in the log."""

import re
import sys
from contextlib import redirect_stdout
from typing import Annotated, Final

import typer

from barograph.clock import US_PER_S, SystemClock
from barograph.errors import InputError
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.words import check_name
from runner.ownership import owned
from store.errors import StoreNotFoundError
from store.retention.planning import Plan, past, plan_age, plan_sweep
from store.retention.pruner import begin, finish, foreseen, left
from store.serving.client import Served
from ui import words
from ui.cli.config import Config
from ui.cli.options import AuthorOption, DirOption, JsonOption
from ui.cli.output import answer, notices, show
from ui.cli.reading import asking, doing
from ui.errors import StoppedError
from ui.reports import pruning as report
from ui.reports.pruning import Pruning

_AGE: Final = re.compile(r"(\d{1,5})\s*([hdw])")
_SECONDS: Final = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def prune(
    *,
    sweep: Annotated[
        str | None, typer.Option("--sweep", metavar="SWEEP", help="This one: its id or name.")
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than", metavar="AGE", help="Sweeps that ended so long ago: 30d, 12h, 8w."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove it without a question.")] = False,
    author: AuthorOption = None,
    folder: DirOption = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Remove a sweep, or all that is old: from tables, the journal and what trials printed.

    Says first what would go. The log keeps that it was removed, by whom, and which events those
    were, never what was in them. Who may is who can read run/write.token (exit code 4). One
    that was interrupted is finished by the next.
    """
    config = Config.of(folder, as_json=as_json)
    name = author or words.login()
    check_name(name, "author")
    before_t_us = _before(sweep, older_than)
    data = DataFolder.existing(config.folder)
    if dry_run:
        with asking(config, data) as served:
            plan, unfinished = _planned(served, data, sweep, before_t_us)
            found = report.pruning(data, plan, foreseen(data, plan), unfinished=unfinished)
        answer(config, "prune", found, report.render(found))
        return
    DataFolder.create(config.folder)  # a journal alone has no place for locks
    with owned(data), asking(config, data) as served:
        plan, unfinished = _planned(served, data, sweep, before_t_us)
        found = report.pruning(data, plan, foreseen(data, plan), unfinished=unfinished)
        if (plan.runs or unfinished) and not yes:
            _ask(config, found)
        with doing(config) as say:
            if plan.runs:
                say("saying so in the log")
                begin(data, served, plan, name)
            gone = finish(data, served, say)
    done = report.pruning(data, plan, gone, unfinished=unfinished, done=True)
    answer(config, "prune", done, report.render(done))


def _before(sweep: str | None, older_than: str | None) -> int | None:
    """The moment before which all goes; None: a sweep was named."""
    if (sweep is None) == (older_than is None):
        raise InputError(
            "one of the two is needed", field="--sweep SWEEP or --older-than AGE", remedy="give one"
        )
    if older_than is None:
        return None
    match = _AGE.fullmatch(older_than.strip().lower())
    if match is None or int(match[1]) == 0:
        raise InputError(
            "is no age",
            field="--older-than",
            value=older_than,
            remedy="write hours, days or weeks: 12h, 30d, 8w",
        )
    return SystemClock().wall_us() - int(match[1]) * _SECONDS[match[2]] * US_PER_S


def _planned(
    served: Served, folder: DataFolder, sweep: str | None, before_t_us: int | None
) -> tuple[Plan, bool]:
    """What goes, and whether something is left to do of what went before."""
    unfinished = left(folder, served)
    if sweep is None:
        return plan_age(served, before_t_us or 0), unfinished
    try:
        return plan_sweep(served, sweep), unfinished
    except StoreNotFoundError:
        if sweep not in past(served).sweeps:
            raise
        return Plan(sweeps=[], before_t_us=None, runs=[], events=0, trials=[]), unfinished


def _ask(config: Config, found: Pruning) -> None:
    """Have a person confirm.

    Raises:
        InputError: there is nobody to ask.
        StoppedError: they do not.

    """
    # The question is on standard error: where that is a file, nobody sees it.
    if config.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            "nobody can be asked here", field="--yes", remedy="look at --dry-run, then give --yes"
        )
    show(notices(config), report.render(found))
    try:
        # Even then it would put a blank on standard output, which is for the answer alone.
        with redirect_stdout(sys.stderr):
            sure = typer.confirm("\nRemove it for good?", err=True)
    except typer.Abort as interrupted:
        typer.echo(err=True)  # the cursor is still behind the question
        raise StoppedError("interrupted, and nothing was removed") from interrupted
    if not sure:
        raise StoppedError("nothing was removed")
