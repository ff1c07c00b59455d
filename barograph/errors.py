"""The error tree of Barograph.

::

    BarographError            exit code 1: a bug or an unforeseen failure
    ├── InputError            2: a file, field or option is wrong
    ├── BusyError             3: somebody else owns what was asked for
    ├── EnvironmentRefusal    4: this machine cannot do what was asked
    ├── NotFoundError         5: no such sweep, trial or file
    ├── AuditError            6: the log or the tables do not add up
    └── IncompleteError       7: a sweep ended before its plan did

An error that a user can cause names *what* is wrong, *where* (file, field, value) and
what would be right. Each package derives its own root from one of these, so that the
one printer in ``ui.cli.main`` needs to know this tree only, and a caller can still
catch a package's errors by its root. Nobody else prints an error.
"""

from enum import IntEnum
from typing import ClassVar, Final


class ExitCode(IntEnum):
    """What the process says when it ends; documented in docs/cli.md."""

    OK = 0
    FAILURE = 1
    INPUT = 2
    BUSY = 3
    ENVIRONMENT = 4
    NOT_FOUND = 5
    AUDIT = 6
    INCOMPLETE = 7
    INTERRUPTED = 130


_ABSENT: Final = object()


class BarographError(Exception):
    """Root of every error raised on purpose.

    Args:
        problem: what is wrong, one clause without a full stop.
        where: file (and line) or resource in which it was found.
        field: the field or option inside ``where``.
        value: the offending value; left out when there is none to show.
        remedy: what would be right, one clause.

    """

    exit_code: ClassVar[ExitCode] = ExitCode.FAILURE

    def __init__(
        self,
        problem: str,
        *,
        where: object = None,
        field: str | None = None,
        value: object = _ABSENT,
        remedy: str | None = None,
    ) -> None:
        """Keep the parts; ``str()`` joins them to one sentence."""
        super().__init__(problem)
        self.problem = problem
        self.where = None if where is None else str(where)
        self.field = field
        self.value = value
        self.remedy = remedy

    def __str__(self) -> str:
        """``where: field = value: problem; remedy``, leaving out what is not known."""
        parts: list[str] = []
        if self.where is not None:
            parts.append(self.where)
        if self.field is not None:
            shown = "" if self.value is _ABSENT else f" = {_shown(self.value)}"
            parts.append(self.field + shown)
        elif self.value is not _ABSENT:
            parts.append(_shown(self.value))
        parts.append(self.problem)
        sentence = ": ".join(parts)
        return f"{sentence}; {self.remedy}" if self.remedy else sentence


class InputError(BarographError):
    """A file, field or option that the user wrote is wrong. Retrying does not help."""

    exit_code = ExitCode.INPUT


class BusyError(BarographError):
    """Somebody else owns the data folder, store or sweep. Try again when they ended."""

    exit_code = ExitCode.BUSY


class EnvironmentRefusal(BarographError):
    """The machine lacks what the request needs: root, a controller, room on the disk."""

    exit_code = ExitCode.ENVIRONMENT


class NotFoundError(BarographError):
    """What was asked for by name, prefix or path does not exist."""

    exit_code = ExitCode.NOT_FOUND


class AuditError(BarographError):
    """The log or the tables do not account for every event."""

    exit_code = ExitCode.AUDIT


class IncompleteError(BarographError):
    """A sweep ended before every planned trial had an outcome; running it again resumes."""

    exit_code = ExitCode.INCOMPLETE


_LONGEST_SHOWN: Final = 120


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
