"""What the explorer was started with, handed from the launcher to the app.

The app is a script that Streamlit runs anew for each viewer, so it cannot be given an
argument; it reads one variable that the launcher sets. Nothing of it ever comes from an
address: which folder is read, and whether words may be written, is decided by whoever
starts the program.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from barograph.folder import DEFAULT_FOLDER
from ui.errors import NoPasswordError

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


def password(file: str) -> str:
    """The password that the file holds: its first line.

    Raises:
        NoPasswordError: the file cannot be read, or there is nothing in it.

    """
    remedy = "write the password into it, readable by you alone (chmod 600)"
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoPasswordError("cannot be read", where=file, remedy=remedy) from error
    if not lines or not lines[0].strip():
        raise NoPasswordError("there is no password in it", where=file, remedy=remedy)
    return lines[0].strip()
