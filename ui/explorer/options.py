"""What the explorer was started with, handed from the launcher to the app.

The app is a script that Streamlit runs anew for each viewer, so it cannot be given an
argument; it reads one variable that the launcher sets. Nothing of it ever comes from an
address: which folder is read, and whether words may be written, is decided by whoever
starts the program.
"""

import json
import os
from dataclasses import asdict, dataclass
from typing import Final, Self

from barograph.folder import DEFAULT_FOLDER

VARIABLE: Final = "BAROGRAPH_EXPLORER"
PASSWORD_VARIABLE: Final = "BAROGRAPH_EXPLORER_PASSWORD_FILE"  # noqa: S105 - a variable's name

LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One explorer."""

    folder: str = DEFAULT_FOLDER
    """The data folder, as it was written."""
    host: str = "127.0.0.1"
    port: int = 8501
    may_write: bool = False
    """Whether people's words may be appended to the log."""
    password_file: str | None = None
    trusted_header: str | None = None
    """Of a reverse proxy that has asked who it is; its value is the viewer's name."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    def to_text(self) -> str:
        """For the variable."""
        return json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Self:
        """What the launcher said; the defaults when the app was started without it."""
        text = os.environ.get(VARIABLE)
        return cls() if text is None else cls(**json.loads(text))
