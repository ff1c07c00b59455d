"""Where everything of one sweep lies on disk: the data folder (``--dir``).

One data folder holds one sweep. Whoever needs a path in it asks here, so that the layout
is written down once::

    journal/<source>.<segment>.jsonl   the log: the durable truth
    journal/.shipped.json              how far a topic has acknowledged it
    log                                the shared log (a URL), where there is one
    imported.json                      which copy of a sweep the journal came from, if any
    barograph.duckdb                   the store, which can be rebuilt from the log
    run/owner.lock                     held (flock) by the living campaign
    run/collector.lock, collector.sock held and served by the living collector
    run/serve.lock, serve.sock         held and served by the store's living server
    run/serve.json                     its port and pid; serve.token and write.token let in
    run/ship.lock                      held by the living shipper
    run/sandboxes/<name>.json          one a standing sandbox, for clean-up
    run/agents/<name>/                 one a running agent: the socket that it acts through
    scratch/<name>/                    the files of a standing sandbox
    trials/<trial>/<try>/              what a try printed

Folders are made for their owner alone (0700): commands, outputs and journals can hold
what a task's author or a user would not show to everybody on the machine. A folder that
exists already keeps the mode that its owner gave it.
"""

import errno
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from barograph.errors import EnvironmentRefusal, InputError, NotFoundError

DEFAULT_FOLDER: Final = "barograph-data"

_OWNER_ONLY: Final = 0o700
_REMEDY: Final = "give --dir a folder that can be written to"


class FolderInputError(InputError):
    """The path given as data folder cannot be one, e.g. because it is a file."""


class FolderNotFoundError(NotFoundError):
    """A reading command was given a folder that is not there or holds no journal."""


class FolderRefusal(EnvironmentRefusal):
    """The machine does not let the data folder be written: read-only, no room, not ours."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths of one data folder. Making the value touches nothing; see ``create``."""

    root: Path
    """Absolute, symbolic links resolved, so that two spellings are one folder."""

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """The folder at ``path``, which need not exist.

        Raises:
            FolderInputError: the path is empty or cannot be resolved.

        """
        text = os.fspath(path)
        if not text or "\0" in text:
            raise FolderInputError("not a path", field="--dir", value=text, remedy=_REMEDY)
        try:
            return cls(Path(text).expanduser().resolve())
        except (OSError, RuntimeError) as error:
            raise FolderInputError(
                f"the path cannot be resolved ({error})", field="--dir", value=text
            ) from error

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> Self:
        """Make the folder and its parts where they are missing, and prove it writable.

        Raises:
            FolderInputError: something that is no folder stands at the path or on the way.
            FolderRefusal: read-only, not permitted, or no room.

        """
        folder = cls.at(path)
        for part in (folder.root, folder.journal, folder.run, folder.sandboxes, folder.trials):
            _make(part)
            if not os.access(part, os.R_OK | os.W_OK | os.X_OK):
                raise FolderRefusal(
                    "this folder cannot be written to", where=part, field="--dir", remedy=_REMEDY
                )
        return folder

    @classmethod
    def existing(cls, path: str | os.PathLike[str]) -> Self:
        """The folder at ``path`` for a command that only reads.

        Raises:
            FolderInputError: something that is no folder stands at the path.
            FolderNotFoundError: nothing there, or a folder without a journal.

        """
        folder = cls.at(path)
        if folder.root.exists() and not folder.root.is_dir():
            raise FolderInputError(
                "this is a file, not a folder", field="--dir", value=str(path), remedy=_REMEDY
            )
        if not folder.journal.is_dir():
            raise FolderNotFoundError(
                "no journal in this data folder",
                where=folder.root,
                field="--dir",
                value=str(path),
                remedy="name the folder that 'barograph run' or 'barograph demo' wrote",
            )
        return folder

    @property
    def identity(self) -> str:
        """8 hex digits that tell data folders of one machine apart (cgroup names)."""
        return hashlib.sha256(os.fsencode(self.root)).hexdigest()[:8]

    @property
    def journal(self) -> Path:
        """The log: one file a writer incarnation and segment."""
        return self.root / "journal"

    @property
    def log_url(self) -> str:
        """The journal as ``barograph.log.opening.open_log`` wants it."""
        return f"journal:{self.journal}"

    @property
    def shared_log(self) -> Path:
        """Names the log that many machines share, where the journal is shipped to one."""
        return self.root / "log"

    @property
    def shared_log_url(self) -> str | None:
        """The first line of ``shared_log``; None: the journal is the whole log.

        Raises:
            FolderRefusal: the file cannot be read.

        """
        try:
            return self.shared_log.read_text(encoding="utf-8").partition("\n")[0].strip() or None
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise FolderRefusal(
                "the name of the log cannot be read", where=self.shared_log
            ) from error

    @property
    def imported(self) -> Path:
        """Names the copy of a sweep that was brought into this folder."""
        return self.root / "imported.json"

    @property
    def ship_lock(self) -> Path:
        """Held by the folder's one shipper."""
        return self.run / "ship.lock"

    @property
    def ship_marks(self) -> Path:
        """How far the shared log has acknowledged the journal."""
        return self.journal / ".shipped.json"

    @property
    def store_file(self) -> Path:
        """The DuckDB file, rebuilt from the journal when deleted."""
        return self.root / "barograph.duckdb"

    @property
    def run(self) -> Path:
        """Locks, sockets and records of what stands right now."""
        return self.root / "run"

    @property
    def owner_lock(self) -> Path:
        """Held by the campaign that owns the folder; names its pid."""
        return self.run / "owner.lock"

    @property
    def collector_lock(self) -> Path:
        """Held by the folder's one collector."""
        return self.run / "collector.lock"

    @property
    def collector_socket(self) -> Path:
        """Where the folder's collector is spoken to."""
        return self.run / "collector.sock"

    @property
    def serve_lock(self) -> Path:
        """Held by the store's one server, the only process that opens the store file."""
        return self.run / "serve.lock"

    @property
    def serve_socket(self) -> Path:
        """Where the store's server is asked to load, to stop, how it is."""
        return self.run / "serve.sock"

    @property
    def serve_address(self) -> Path:
        """The server's port and pid, for people: programs ask its socket."""
        return self.run / "serve.json"

    @property
    def serve_token(self) -> Path:
        """Lets read the store; new with every server."""
        return self.run / "serve.token"

    @property
    def write_token(self) -> Path:
        """Lets people's words be written to the log; made once."""
        return self.run / "write.token"

    @property
    def prune_note(self) -> Path:
        """There while the database may hold bytes of what is pruned; it is made anew then."""
        return self.run / "prune.unfinished"

    @property
    def sandboxes(self) -> Path:
        """One record a standing sandbox, so that a later campaign can clean up."""
        return self.run / "sandboxes"

    @property
    def agents(self) -> Path:
        """One folder a running agent; whatever is in it when nothing runs is a left-over."""
        return self.run / "agents"

    @property
    def scratch(self) -> Path:
        """One folder a standing sandbox: the files that its task sees."""
        return self.root / "scratch"

    @property
    def trials(self) -> Path:
        """What the tries printed."""
        return self.root / "trials"

    def try_folder(self, trial: str, try_no: int) -> Path:
        """What one try of a trial printed; ``try_no`` counts from 1."""
        return self.trials / trial / str(try_no)


def _make(part: Path) -> None:
    """``mkdir -p`` with 0700, where a failure says what the user can do about it."""
    try:
        part.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise FolderInputError(
            "this is a file, not a folder", where=part, field="--dir", remedy=_REMEDY
        ) from error
    except OSError as error:
        reason = {
            errno.EROFS: "the file system is read-only",
            errno.ENOSPC: "no room is left on the disk",
        }.get(error.errno or 0, (error.strerror or str(error)).lower())
        raise FolderRefusal(
            f"the folder cannot be made: {reason}", where=part, field="--dir", remedy=_REMEDY
        ) from error
