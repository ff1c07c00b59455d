"""``barograph note``: leave a note on a trial, a host, or a span of time."""

from typing import Annotated

import typer

from barograph.clock import SystemClock
from barograph.envelope import Event
from barograph.folder import DEFAULT_FOLDER, DataFolder
from ui import tables, words
from ui.cli.config import Config
from ui.cli.options import AuthorOption, DirOption, JsonOption
from ui.cli.output import answer
from ui.cli.reading import asking


def note(  # noqa: PLR0913 - one parameter an option, as typer reads them
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note.")],
    *,
    trial: Annotated[
        str | None,
        typer.Option("--trial", metavar="TRIAL", help="On this trial: its id or its name."),
    ] = None,
    try_no: Annotated[
        int | None, typer.Option("--try", metavar="N", min=1, help="On this try of the trial.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="On this host.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="TIME", help="On the time from here: 2026-11-29T22:31, UTC."
        ),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="To here; else until now.")
    ] = None,
    author: AuthorOption = None,
    folder: DirOption = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Leave a note, which 'why' shows with the trials that it is about.

    Say what it is about: a trial, a host, a span of time, or a host at that time. Who may write
    is who can read run/write.token (exit code 4).
    """
    config = Config.of(folder, as_json=as_json)
    about = words.About(trial=trial, try_no=try_no, host=host, start=start, end=end)
    with asking(config, DataFolder.existing(config.folder)) as served:
        said = words.note(
            served.reader(),
            about,
            text=text,
            author=author or words.login(),
            now_us=SystemClock().wall_us(),
        )
        event = served.append(said.payload, said.belongs)
    shown = tables.answer(f"{said.payload.author} notes on {said.about}:")
    answer(
        config,
        "note",
        _content(said, event),
        shown.append(f"\n{said.payload.text}", style="not bold"),
    )


def _content(said: words.Note, event: Event) -> dict[str, object]:
    return {
        "source": event.source,
        "seq": event.seq,
        "about": said.about,
        "sweep": said.belongs.sweep,
        "trial": said.belongs.trial,
        "try_no": said.belongs.try_no,
        "host": said.payload.host,
        "from_t_us": said.payload.from_t_us,
        "to_t_us": said.payload.to_t_us,
        "author": said.payload.author,
        "text": said.payload.text,
    }
