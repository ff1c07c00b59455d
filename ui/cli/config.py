"""What the command line was told, as one frozen value built once a command.

Two sources only: the options, and the facts of the terminal. ``BAROGRAPH_TRACEBACK`` is
the one variable that is read; it changes what is said about a bug and nothing else.
"""

import os
import sys
from dataclasses import dataclass
from typing import Final, Self

TRACEBACK_VARIABLE: Final = "BAROGRAPH_TRACEBACK"

# A pipe has no width; lines that are long enough for `grep` beat folded cells.
_PIPED_WIDTH: Final = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """How to answer."""

    folder: str
    """The data folder as it was written, for ``barograph.folder.DataFolder``."""
    as_json: bool
    live: bool
    """Whether standard error is a terminal on which a view may be redrawn."""
    width: int | None
    """Columns to print at; None: whatever the terminal has."""

    @classmethod
    def of(cls, folder: str, *, as_json: bool = False) -> Self:
        """Put the options together with what the terminal is."""
        return cls(
            folder=folder,
            as_json=as_json,
            live=sys.stderr.isatty() and os.environ.get("TERM") != "dumb",
            width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPED_WIDTH,
        )


def wants_traceback() -> bool:
    """Whether a bug may show where it is."""
    return bool(os.environ.get(TRACEBACK_VARIABLE))
