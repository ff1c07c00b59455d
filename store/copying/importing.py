"""Put a copy of a sweep into a data folder, as if its writers had written there.

The lines go into the journal, a file a writer, each under another name until it is whole. So
everything else (the store, ``verify``, pages) works as with any journal, and who is killed
meanwhile leaves whole files and a draft. ``imported.json`` in the data folder says which copy it
was, from before the first file on: the same import goes on where it was ended, another one is
refused, and one that was finished is not done again.
"""

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final, cast

from barograph.daemons import locked
from barograph.folder import DataFolder
from barograph.log.journal import SEGMENT_BYTES
from barograph.log.segments import SUFFIX, segments
from store.copying.copied_log import CopiedLog, Piece
from store.copying.failures import refusal
from store.copying.manifest import Found, check, read
from store.errors import StoreBusyError, StoreInputError

_DRAFT: Final = ".draft"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did."""

    sweep: str
    name: str
    events: int
    """That the copy says it has."""
    files: int
    """Of the journal, written now."""
    bytes: int
    before: bool
    """The folder held the whole copy already; nothing was done."""


def import_copy(
    root: Path, folder: str, *, meanwhile: Callable[[str], None] = lambda _: None
) -> Imported:
    """Bring a copy into a data folder.

    Args:
        root: the copy.
        folder: a new data folder, or one that holds this copy and what was said since.
        meanwhile: hears how far it is.

    Raises:
        StoreNotFoundError: ``root`` is no copy.
        StoreInputError: the copy is damaged, or of a newer version; or the folder holds
            something else. The folder is as before.
        StoreBusyError: a campaign, or another import, owns the folder.
        StoreError: the folder cannot be written; the same command goes on.

    """
    copy = read(root)
    check(copy, lambda name: meanwhile(f"checking {name}"))
    where = DataFolder.at(folder)
    _refuse_other_data(where, copy)
    data = DataFolder.create(folder)
    with _owned(data):
        _refuse_other_data(data, copy)
        if _noted(data).get("complete"):
            return _imported(copy, files=0, size=0, before=True)
        try:
            _note(data, copy, complete=False)
            meanwhile("writing the journal")
            files, size = _write(data.journal, CopiedLog(root).pieces())
            _note(data, copy, complete=True)
        except OSError as error:
            raise refusal(error, data.journal) from error
    return _imported(copy, files=files, size=size, before=False)


def _imported(copy: Found, *, files: int, size: int, before: bool) -> Imported:
    return Imported(
        sweep=copy.sweep,
        name=copy.name,
        events=copy.events,
        files=files,
        bytes=size,
        before=before,
    )


@contextmanager
def _owned(folder: DataFolder) -> Generator[None]:
    """Own the data folder, so that no campaign begins in it."""
    try:
        held = locked(folder.owner_lock)
    except OSError as error:
        raise refusal(error, folder.owner_lock) from error
    if isinstance(held, str):
        raise StoreBusyError(
            f"process {held} owns this data folder",
            where=folder.root,
            remedy="wait for it, or give another --dir",
        )
    with held:
        yield


def _refuse_other_data(folder: DataFolder, copy: Found) -> None:
    noted = _noted(folder)
    if noted.get("copy") == copy.digest:
        return
    if noted or segments(folder.journal) or folder.shared_log_url is not None:
        raise StoreInputError(
            f"this data folder holds another copy ({noted.get('sweep')})"
            if noted
            else "this data folder holds a journal, or names a shared log",
            where=folder.root,
            field="--dir",
            remedy="name a new folder: one data folder holds one sweep",
        )


def _noted(folder: DataFolder) -> dict[str, object]:
    """Which copy the folder holds, if any."""
    try:
        told: object = json.loads(folder.imported.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise StoreInputError(
            "the note of what was imported cannot be read", where=folder.imported
        ) from error
    return cast("dict[str, object]", told) if isinstance(told, dict) else {}


def _note(folder: DataFolder, copy: Found, *, complete: bool) -> None:
    note = {"sweep": copy.sweep, "copy": copy.digest, "complete": complete}
    _replace(folder.imported, [json.dumps(note).encode() + b"\n"])


def _write(journal: Path, pieces: Iterator[Piece]) -> tuple[int, int]:
    """The files that are not there yet; how many, and their size."""
    files = size = 0
    for name, some in groupby(pieces, key=lambda piece: piece.name):
        for number, lines in enumerate(_segments(piece.lines for piece in some)):
            path = journal / f"{name}.{number:06d}{SUFFIX}"
            # One that is there is whole, and of this copy.
            if path.exists():
                for _ in lines:
                    pass
            else:
                size += _replace(path, lines)
                files += 1
    return files, size


def _segments(pieces: Iterable[bytes]) -> Iterator[Iterator[bytes]]:
    """Pieces in files of about the size of a journal's; each is to be used up before the next."""
    waiting = iter(pieces)
    for first in waiting:
        yield _segment(first, waiting)


def _segment(first: bytes, waiting: Iterator[bytes]) -> Iterator[bytes]:
    size = len(first)
    yield first
    while size < SEGMENT_BYTES:
        piece = next(waiting, None)
        if piece is None:
            return
        size += len(piece)
        yield piece


def _replace(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file aside, bring it to the disk, and give it its name; its size."""
    draft = path.with_name(path.name + _DRAFT)
    size = 0
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb", buffering=1 << 20) as file:
            for piece in pieces:
                size += file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return size
