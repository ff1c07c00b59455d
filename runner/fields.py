"""Read a TOML file field by field, so that every mistake is named where it stands.

Task files and sweep files are written by hand. A reader that takes what it needs and
ignores the rest turns a misspelt ``memory_mb`` into a task without a ceiling, which is
exactly the noise that this product looks for. So whoever reads a table takes each field
with its type and says at the end that it is done: what is left is unknown, and an error
that proposes the nearest known name.
"""

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeGuard

from barograph.errors import InputError

_MOST_BYTES: Final = 4 << 20
"""More than anybody writes by hand; a data set that was named by mistake is larger."""


class Table:
    """One table of a TOML file; every ``take`` removes the field from what is left."""

    def __init__(
        self, values: Mapping[str, object], *, where: Path, path: str, error: type[InputError]
    ) -> None:
        """Wrap ``values``; ``path`` is the dotted name of the table, empty for the file's."""
        self._left = dict(values)
        self._known: set[str] = set()
        self._where = where
        self._path = path
        self._error = error

    def __contains__(self, key: str) -> bool:
        """Whether the field is there and was not taken yet."""
        return key in self._left

    def name(self, key: str) -> str:
        """The field's dotted name, as errors show it."""
        return f"{self._path}.{key}" if self._path else key

    @property
    def where(self) -> Path:
        """The file."""
        return self._where

    def wrong(self, key: str, problem: str, *, value: object, remedy: str) -> InputError:
        """The error for a field whose value is there but not right."""
        return self._error(
            problem, where=self._where, field=self.name(key), value=value, remedy=remedy
        )

    def missing(self, key: str, *, remedy: str) -> InputError:
        """The error for a field that must be there."""
        return self._error(
            "this field is missing", where=self._where, field=self.name(key), remedy=remedy
        )

    def take(self, key: str) -> object:
        """The field as TOML gave it; None when it is absent (TOML has no null)."""
        self._known.add(key)
        return self._left.pop(key, None)

    def text(self, key: str) -> str | None:
        """A text with something in it."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, "not a text", value=value, remedy="write a text in quotes")
        if "\0" in value:
            raise self.wrong(key, "holds a NUL", value=value, remedy="leave it out")
        return value

    def flag(self, key: str) -> bool | None:
        """True or false."""
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return value
        raise self.wrong(key, "not true or false", value=value, remedy="write true or false")

    def integer(self, key: str, *, low: int, high: int) -> int | None:
        """A whole number within bounds, both included."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong(
                key,
                "out of range" if _is_number(value) else "not a whole number",
                value=value,
                remedy=f"write a whole number from {low} to {high}",
            )
        return value

    def positive(self, key: str, *, high: float, unit: str) -> float | None:
        """A finite number above 0 and not above ``high``."""
        value = self.take(key)
        if value is None:
            return None
        if not _is_number(value) or not math.isfinite(value) or not 0 < value <= high:
            raise self.wrong(
                key,
                "out of range" if _is_number(value) else "not a number",
                value=value,
                remedy=f"write a number of {unit} above 0 and up to {high:g}",
            )
        return float(value)

    def choice(self, key: str, choices: Iterable[str]) -> str | None:
        """One of some words."""
        value = self.take(key)
        if value is None or (isinstance(value, str) and value in choices):
            return value
        listed = ", ".join(f'"{choice}"' for choice in choices)
        raise self.wrong(key, "no such choice", value=value, remedy=f"choose one of {listed}")

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, each with something in it."""
        value = self.take(key)
        if value is None:
            return None
        items = as_list(value)
        texts = [item for item in items or () if isinstance(item, str) and item.strip()]
        if items is None or len(texts) != len(items) or any("\0" in text for text in texts):
            raise self.wrong(
                key, "not a list of texts", value=value, remedy='write a list such as ["a", "b"]'
            )
        return tuple(texts)

    def mapping(self, key: str) -> dict[str, str]:
        """A table from names to texts, as environments are written; empty when absent."""
        table = self.table(key)
        if table is None:
            return {}
        values: dict[str, str] = {}
        for name, value in table.rest().items():
            if not isinstance(value, str) or "\0" in value or "=" in name or not name:
                raise table.wrong(name, "not a text", value=value, remedy="write a text in quotes")
            values[name] = value
        return values

    def table(self, key: str) -> "Table | None":
        """A table inside this one."""
        value = self.take(key)
        if value is None:
            return None
        return self.inner(key, value)

    def inner(self, key: str, value: object) -> "Table":
        """``value``, which stands under ``key``, as a table."""
        inner = as_mapping(value)
        if inner is None:
            remedy = f"write a table: [{self.name(key)}] or {key} = {{ ... }}"
            raise self.wrong(key, "not a table", value=value, remedy=remedy)
        return Table(inner, where=self._where, path=self.name(key), error=self._error)

    def tables(self, key: str) -> "tuple[Table, ...]":
        """A list of tables, ``[[key]]``; empty when absent."""
        value = self.take(key)
        items = [] if value is None else as_list(value)
        inner = [mapping for item in items or () if (mapping := as_mapping(item)) is not None]
        if items is None or len(inner) != len(items):
            raise self.wrong(
                key, "not a list of tables", value=value, remedy=f"write [[{self.name(key)}]]"
            )
        return tuple(
            Table(one, where=self._where, path=f"{self.name(key)}[{index}]", error=self._error)
            for index, one in enumerate(inner)
        )

    def rest(self) -> dict[str, object]:
        """Everything that was not taken, for tables whose names are free."""
        left, self._left = self._left, {}
        return left

    def done(self) -> None:
        """Say that every known field was taken.

        Raises:
            InputError: something is left that nobody knows.

        """
        for key, value in self._left.items():
            near = difflib.get_close_matches(key, self._known, n=1)
            known = ", ".join(sorted(self._known))
            remedy = f"did you mean {near[0]}?" if near else f"known here: {known}"
            raise self.wrong(key, "nothing of this name is known", value=value, remedy=remedy)


def read_toml(path: Path, *, what: str, error: type[InputError]) -> Table:
    """Read a TOML file that a user wrote.

    Args:
        path: the file.
        what: what it should be, for errors: "sweep file", "task file".
        error: the class of every error about it.

    Raises:
        InputError: (of class ``error``) missing, no file, unreadable, too large, binary,
            not UTF-8, or not TOML; with the line where there is one.

    """
    text = read_text(path, what=what, error=error)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as bad:
        raise error(
            f"not valid TOML: {bad}", where=path, remedy="correct the syntax at that line"
        ) from bad
    except RecursionError:
        raise error(
            "nested too deeply to be read", where=path, remedy=f"write a plain {what}"
        ) from None
    return Table(values, where=path, path="", error=error)


def read_text(path: Path, *, what: str, error: type[InputError]) -> str:
    """Read a UTF-8 text that a user wrote; errors as ``read_toml``."""
    try:
        if path.is_dir():
            raise error(f"this is a folder, not a {what}", where=path, remedy="name the file in it")
        if path.exists() and not path.is_file():
            raise error(f"this is no regular file, so no {what}", where=path)
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise error(f"there is no such {what}", where=path, remedy="check the path") from None
    except (OSError, ValueError) as refused:
        reason = refused.strerror if isinstance(refused, OSError) else str(refused)
        raise error(f"the {what} cannot be read: {reason}", where=path) from refused
    if len(data) > _MOST_BYTES:
        raise error(f"too large for a {what}", where=path, remedy="name another file")
    if b"\0" in data:
        raise error(f"this is a binary file, not a {what}", where=path, remedy="name another file")
    try:
        return data.decode().removeprefix("\N{BOM}").replace("\r\n", "\n")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        raise error(
            f"not UTF-8 text (line {line})", where=path, remedy="save the file as UTF-8"
        ) from bad


def as_list(value: object) -> list[object] | None:
    """``value`` as a list; None when it is none."""
    return value if _is_list(value) else None


def as_mapping(value: object) -> dict[str, object] | None:
    """``value`` as a table; None when it is none (TOML and JSON keys are texts)."""
    return value if _is_mapping(value) else None


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)


def _is_mapping(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
