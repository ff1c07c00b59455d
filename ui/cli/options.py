"""Options that several commands have, written once so that they cannot drift apart."""

from typing import Annotated, Final

import typer

DEMO_FOLDER: Final = "barograph-demo"

DirOption = Annotated[
    str,
    typer.Option("--dir", metavar="DIR", help="Data folder: journal, database and run files."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="One JSON document on standard output and nothing else.")
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency", metavar="N", min=1, max=1024, help="Trials at once; else the file's."
    ),
]
LogOption = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="URL",
        help="Ship the journal to kafka:HOST:PORT[/TOPIC]; the folder remembers it.",
    ),
]
KeepOption = Annotated[
    str | None,
    typer.Option(
        "--journal-keep",
        metavar="SIZE",
        help="With a shared log: keep so much of what it has acknowledged; else 4GiB.",
    ),
]
BoundOption = Annotated[
    str | None,
    typer.Option(
        "--journal-bound",
        metavar="SIZE",
        help="With a shared log: when more waits for it, samples are thinned; else 16GiB.",
    ),
]
SweepArgument = Annotated[
    str | None,
    typer.Argument(metavar="SWEEP", help="A sweep's name or id; else the folder's only one."),
]
AuthorOption = Annotated[
    str | None,
    typer.Option("--author", metavar="NAME", help="Who says so; else your login name."),
]
