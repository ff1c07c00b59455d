"""DuckDB's exceptions, told apart by what a user can do about them.

DuckDB has few classes and many sentences, so the sentences are looked at. A test provokes
each of them with the pinned version, so that a changed wording is noticed. What cannot be
told apart stays a ``StoreError`` with DuckDB's own words.
"""

import re
from pathlib import Path
from typing import Final

import duckdb

from store.errors import StoreBusyError, StoreError, StoreInputError, StoreRefusal

_PID: Final = re.compile(r"\(PID (\d+)\)")
_NO_ROOM: Final = re.compile(
    r"No space left|Disk quota|Could not write|failed to offload|max_temp_directory", re.IGNORECASE
)
_NO_MEMORY: Final = re.compile(
    r"(failed to|could not) (pin|allocate)|transaction is aborted", re.IGNORECASE
)
"""A commit that lacks memory is told as an error of the transaction, which even a statement by
itself then leaves open for the next one to meet."""
_NOT_WRITABLE: Final = re.compile(
    r"Read-only file system|Permission denied|Operation not permitted"
)
_BROKEN: Final = re.compile(
    r"Corrupt database|computed checksum|Could not read enough bytes|WAL file|invalidated"
)
_REBUILD: Final = "delete the file (and the .wal beside it): it is rebuilt from the log"


class DataRefusedError(StoreError):
    """Values of a statement could not be read as what they should be; the loader looks closer."""


DATA_ERRORS: Final = (
    duckdb.DataError,
    duckdb.IntegrityError,
    duckdb.InvalidInputException,
)
"""DuckDB's classes for bad values, as against a bad disk, statement or machine."""


def opening_failure(error: duckdb.Error | OSError, path: Path) -> StoreError:
    """Why the file could not be opened or made."""
    words = str(error)
    if path.is_dir():
        return StoreInputError("this is a folder, not a store", where=path)
    if "lock" in words and (pid := _PID.search(words)):
        return StoreBusyError(
            f"process {pid[1]} has this store open",
            where=path,
            remedy="try again when it has ended",
        )
    if "not a valid DuckDB database" in words:
        return StoreInputError("this file is no store", where=path, remedy=_REBUILD)
    if "No such file" in words:
        return StoreInputError("the folder of this store does not exist", where=path)
    if "with version number" in words:
        return StoreInputError(
            "another version of DuckDB wrote this store", where=path, remedy=_REBUILD
        )
    return running_failure(error, path)


def running_failure(error: duckdb.Error | OSError, path: Path) -> StoreError:
    """Why a statement failed."""
    words = str(error)
    if isinstance(error, DATA_ERRORS):
        return DataRefusedError(_first_line(words), where=path)
    if lacks_memory(error) and not _NO_ROOM.search(words):
        return StoreRefusal(
            "the question needs more memory than the store is granted",
            where=path,
            remedy="grant more, or ask for less at once",
        )
    if _NO_ROOM.search(words):
        return StoreRefusal(
            "no room is left on the disk for this store",
            where=path,
            remedy="make room, then run the same command again: nothing was lost",
        )
    if _NOT_WRITABLE.search(words):
        return StoreRefusal(
            "this store cannot be written", where=path, remedy="choose another folder with --dir"
        )
    if _BROKEN.search(words):
        return StoreInputError("this store is broken", where=path, remedy=_REBUILD)
    return StoreError(f"the store failed ({_first_line(words)})", where=path)


def lacks_memory(error: BaseException | None) -> bool:
    """Whether there was too little memory; the store itself is as good as before."""
    return isinstance(error, duckdb.OutOfMemoryException) or (
        isinstance(error, duckdb.Error) and _NO_MEMORY.search(str(error)) is not None
    )


def is_left_over(error: BaseException | None) -> bool:
    """Whether a statement met what a transaction of before had left.

    One writes and the others read, so there is nobody to be in conflict with but a transaction
    of our own that failed for lack of memory, and lacked it even to be undone.
    """
    return isinstance(error, duckdb.TransactionException) and "write-write" in str(error)


def _first_line(words: str) -> str:
    return words.strip().splitlines()[0] if words.strip() else "no reason given"
