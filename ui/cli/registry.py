"""Which commands there are, and where each lives; nothing of them is imported here.

``barograph --help`` and a mistyped option must not wait for scipy and a database library
to load, so a command's module is imported when the command is what was asked for. This
table is therefore the one place that knows all commands: help, documentation and their
tests read it.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One word after ``barograph``."""

    name: str
    summary: str
    """One sentence: what ``--help`` says of it."""

    def load(self) -> Callable[..., None]:
        """Import the command's module and return the function of the same name."""
        module = importlib.import_module(f"ui.cli.{self.name}")
        return cast("Callable[..., None]", getattr(module, self.name))


COMMANDS: Final[tuple[Command, ...]] = (
    Command(name="demo", summary="Run the reference pack at six memory ceilings."),
    Command(name="plan", summary="Show what a sweep file would run."),
    Command(name="run", summary="Run a sweep, or go on with one."),
    Command(name="collect", summary="Watch this machine, and cgroups on it."),
    Command(name="ship", summary="Ship the journal to a log that machines share."),
    Command(name="load", summary="Load the journal, or a copy of a sweep, into the database."),
    Command(name="status", summary="Say how far a sweep is and what runs now."),
    Command(name="why", summary="Explain one trial, or the failures of a sweep."),
    Command(name="report", summary="Say what the ceilings did to the score."),
    Command(name="explore", summary="Look at a sweep in a browser."),
    Command(name="override", summary="Say that a verdict should be another one."),
    Command(name="note", summary="Leave a note on a trial, a host, or a time."),
    Command(name="export", summary="Copy a sweep into a folder of files."),
    Command(name="prune", summary="Remove sweeps, or what is old, for good."),
    Command(name="verify", summary="Account for every event and every kill."),
    Command(name="serve", summary="Keep the store loaded and let others ask it."),
    Command(name="doctor", summary="Say what this machine can measure and hold."),
)
