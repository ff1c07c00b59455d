"""The collector's own errors, and who is meant to see them.

::

    CollectorError
    ├── RequestError        a line on the socket is no request: answered, never fatal
    ├── UnknownTargetError  finish of what is not watched: watch it again, then finish
    ├── ProbeRefusal        a target cannot be read here; the sentence says what is missing
    ├── TargetGone          the cgroup (or process) went while it was watched: not a fault
    ├── CollectorBusyError  another collector has this data folder
    └── UnreachableError    no collector answers, and none could be started

``TargetGone`` reaches a user only who names a cgroup that does not exist: a target that ends
while it is watched is what the collector is there for.
"""

from barograph.errors import (
    BarographError,
    BusyError,
    EnvironmentRefusal,
    InputError,
    NotFoundError,
)


class CollectorError(BarographError):
    """Root of this package's errors."""


class RequestError(CollectorError, InputError):
    """A request is malformed; sending the same again does not help."""


class UnknownTargetError(CollectorError, NotFoundError):
    """The target is not watched by this collector: watch it, then ask again."""


class ProbeRefusal(CollectorError, EnvironmentRefusal):
    """The target's files cannot be opened or read on this machine."""


class TargetGone(CollectorError, NotFoundError):
    """The target is not there (any more): its cgroup was removed, its process ended."""


class CollectorBusyError(CollectorError, BusyError):
    """The data folder has a living collector already; its pid is in the sentence."""


class UnreachableError(CollectorError, EnvironmentRefusal):
    """The folder's collector does not answer, or answered that it could not do it."""
