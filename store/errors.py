"""What can go wrong between the log and an answer.

::

    StoreError                (1) an unforeseen failure of DuckDB or of our SQL
    ├── StoreInputError       (2) the path is no store, or a store of a newer version
    ├── StoreBusyError        (3) another process holds the file
    │   └── ServedError           the folder has a server already (``barograph serve``)
    ├── StoreRefusal          (4) the machine: read-only, no room, no memory
    │   ├── QueryTooLong          a question took longer than the server grants
    │   └── UnreachableError      no server could be started, or it does not answer
    └── StoreNotFoundError    (5) no such sweep or trial

The numbers are exit codes. Each is also one of ``barograph.errors``, so that a caller can
catch by package or by kind. DuckDB's own exceptions never leave this package: they are
kept as the cause.
"""

from barograph.errors import (
    BarographError,
    BusyError,
    EnvironmentRefusal,
    InputError,
    NotFoundError,
)


class StoreError(BarographError):
    """Root of the package. By itself: a failure that nobody foresaw."""


class StoreInputError(StoreError, InputError):
    """What was named is not a store that this version can open. Retrying does not help."""


class StoreBusyError(StoreError, BusyError):
    """Another process has the file open. Try again when it has ended."""


class ServedError(StoreBusyError):
    """The folder has a living server; use it. Only a second ``barograph serve`` meets this."""


class StoreRefusal(StoreError, EnvironmentRefusal):
    """The disk or memory does not let the store work; it is usable again afterwards."""


class QueryTooLong(StoreRefusal):
    """The server ended a question that took too long. A narrower one may be answered."""


class UnreachableError(StoreRefusal):
    """The store's server could not be started, or ended again and again while it was asked."""


class StoreNotFoundError(StoreError, NotFoundError):
    """No sweep or trial by that name in the store, or more than one."""
