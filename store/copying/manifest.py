"""What a copy of a sweep says about itself: versions, counts, and a checksum of every file.

It is written last and in one step, so a folder without one is no copy. It is read as what
somebody else wrote: no path in it leads out of its folder, and no file is read before its
checksum was found right.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, TypeVar, cast

from store.copying.failures import refusal
from store.errors import StoreInputError, StoreNotFoundError

Value = TypeVar("Value", str, int)

NAME: Final = "manifest.json"
FORMAT: Final = 1
EVENTS: Final = "events/events.parquet"
UNREADABLE: Final = "events/unreadable.parquet"
_KIND: Final = "barograph.sweep"
_FILE: Final = re.compile(r"(?:events|tables)/[a-z_]{1,40}\.parquet")
_MOST_BYTES: Final = 16 << 20
_PIECE_BYTES: Final = 4 << 20
_AGAIN: Final = "copy the folder again, or export the sweep again"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedFile:
    """One file of a copy."""

    path: str
    """Below the copy's folder."""
    says: str
    rows: int
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What a copy does not have, and why."""

    what: str
    why: str
    events: int | None = None
    """None: no events, or not counted."""
    ranges: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    """Of writers of whom the copy has something: (source, first, last)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a copy holds."""

    events: int
    samples: int
    trials: int
    tries: int
    kills: int
    unreadable: int
    """Pieces of the log that are no events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """See the module."""

    kind: str = _KIND
    format: int = FORMAT
    barograph_version: str
    store_version: int
    """Of the tables: how many migrations made them."""
    event_versions: dict[str, int]
    """Type -> the newest version of its payload that the writer of the copy knew."""
    policy: dict[str, object] | None
    """By which verdicts in ``tables/`` were made."""
    made_t_us: int
    sweep: str
    name: str
    digest: str
    first_t_us: int | None
    last_t_us: int | None
    counts: Counts
    files: list[CopiedFile]
    left_out: list[LeftOut]


def described(root: Path, path: str, says: str, rows: int) -> CopiedFile:
    """A file that was just written, brought to the disk.

    Raises:
        OSError: it cannot be read.

    """
    whole = root / path
    digest = hashlib.sha256()
    with whole.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
        os.fsync(file.fileno())
        size = file.tell()
    return CopiedFile(path=path, says=says, rows=rows, size_bytes=size, sha256=digest.hexdigest())


def write(root: Path, manifest: Manifest) -> None:
    """Make the folder a copy.

    Raises:
        OSError: it cannot be written.

    """
    draft = root / f".{NAME}.draft"
    try:
        with draft.open("w", encoding="utf-8") as file:
            json.dump(asdict(manifest), file, ensure_ascii=False, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(root / NAME)
    except BaseException:
        draft.unlink(missing_ok=True)  # or the folder would not be empty for the next try
        raise
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A copy whose manifest was read; its files are to be ``check``ed before use."""

    root: Path
    sweep: str
    name: str
    events: int
    files: list[CopiedFile]
    digest: str
    """sha256 of the manifest: of everything that is in the copy."""


def read(root: Path) -> Found:
    """Read a manifest.

    Raises:
        StoreNotFoundError: there is none.
        StoreInputError: it is none of ours, or of a newer version.
        StoreError: it cannot be read.

    """
    path = root / NAME
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreNotFoundError(
            f"no {NAME}: this is no copy of a sweep, or one that was not finished",
            where=root,
            remedy="name a folder that 'barograph export' wrote",
        ) from error
    except OSError as error:
        raise refusal(error, path) from error
    try:
        told: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise StoreInputError(f"not JSON ({error})", where=path, remedy=_AGAIN) from error
    return _found(root, _Told.of(path, told), hashlib.sha256(data).hexdigest())


def check(copy: Found, meanwhile: Callable[[str], None] = lambda _: None) -> None:
    """Hold every file of a copy to what the manifest says of it.

    Args:
        copy: a manifest that was read.
        meanwhile: called with the name of each file before it is read.

    Raises:
        StoreInputError: a file is missing or another; the sentence says which and how.
        StoreError: it cannot be read.

    """
    for one in copy.files:
        meanwhile(one.path)
        where = copy.root / one.path
        try:
            size = where.stat().st_size
            if size != one.size_bytes:
                raise StoreInputError(
                    f"the file has not the size that the manifest says ({one.size_bytes:,})",
                    where=where,
                    field="size_bytes",
                    value=size,
                    remedy=_AGAIN,
                )
            found = described(copy.root, one.path, one.says, one.rows)
        except FileNotFoundError as error:
            raise StoreInputError(
                "a file of this copy is missing", where=where, remedy=_AGAIN
            ) from error
        except OSError as error:
            raise refusal(error, where) from error
        if found.sha256 != one.sha256:
            raise StoreInputError(
                f"the file is not the one that was exported (sha256 {one.sha256})",
                where=where,
                field="sha256",
                value=found.sha256,
                remedy=_AGAIN,
            )


def _found(root: Path, told: "_Told", digest: str) -> Found:
    if told.field("kind", str) != _KIND:
        raise told.wrong("kind", "is not a copy of a sweep")
    version = told.field("format", int)
    if version > FORMAT:
        writer = told.field("barograph_version", str)
        raise StoreInputError(
            f"a newer version of Barograph ({writer}) made this copy (format {version}; this one "
            f"knows {FORMAT})",
            where=told.where,
            remedy="use that version, or a newer one",
        )
    files = [
        CopiedFile(
            path=one.field("path", str),
            says=one.field("says", str),
            rows=one.field("rows", int),
            size_bytes=one.field("size_bytes", int),
            sha256=one.field("sha256", str),
        )
        for one in told.several("files")
    ]
    for one in files:
        if not _FILE.fullmatch(one.path):
            raise told.wrong("files", f"names a file that no copy has: {one.path[:80]!r}")
    if EVENTS not in {one.path for one in files}:
        raise told.wrong("files", f"does not name {EVENTS}")
    return Found(
        root=root,
        sweep=told.field("sweep", str),
        name=told.field("name", str),
        events=told.one("counts").field("events", int),
        files=files,
        digest=digest,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """A JSON object that somebody wrote."""

    where: Path
    values: Mapping[str, object]

    @classmethod
    def of(cls, where: Path, value: object) -> "_Told":
        if not isinstance(value, dict):
            raise StoreInputError("not a JSON object", where=where, remedy=_AGAIN)
        return cls(where, cast("dict[str, object]", value))

    def field(self, name: str, kind: type[Value]) -> Value:
        value = self.values.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.wrong(name, f"is no {kind.__name__}")
        return value

    def one(self, name: str) -> "_Told":
        return _Told.of(self.where, self.values.get(name))

    def several(self, name: str) -> "list[_Told]":
        value = self.values.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "is no list")
        return [_Told.of(self.where, item) for item in cast("list[object]", value)]

    def wrong(self, name: str, problem: str) -> StoreInputError:
        return StoreInputError(
            problem, where=self.where, field=name, value=self.values.get(name), remedy=_AGAIN
        )
