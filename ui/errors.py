"""What can go wrong in answering, beside what the other packages raise themselves.

::

    UiError
    ├── AmbiguousError      (InputError)      a prefix or name fits several trials
    ├── NoSuchCgroupError   (NotFoundError)   collect was given a path that is no cgroup
    ├── NoPackError         (NotFoundError)   the reference pack is not where the program is
    ├── NoPasswordError     (InputError)      the explorer's password file has no password
    ├── OpenExplorerError   (InputError)      the explorer would be open to everyone
    ├── PortBusyError       (BusyError)       something else listens on the explorer's port
    ├── NoExplorerError     (EnvironmentRefusal)  Streamlit is not installed, or did not start
    ├── DrawingError        (BarographError)  a figure could not be drawn as a picture
    └── StoppedError        (BarographError)  stopped by the user; exit code 130
"""

from typing import ClassVar

from barograph.errors import (
    BarographError,
    BusyError,
    EnvironmentRefusal,
    ExitCode,
    InputError,
    NotFoundError,
)


class UiError(BarographError):
    """Root of this package's errors."""


class AmbiguousError(UiError, InputError):
    """What was named fits several things; the sentence lists some of them."""


class NoSuchCgroupError(UiError, NotFoundError):
    """A path given to ``collect`` is no cgroup of this machine."""


class NoPackError(UiError, NotFoundError):
    """The reference pack (``examples/``) is not installed beside the program."""


class NoPasswordError(UiError, InputError):
    """The file that should hold the explorer's password does not."""


class OpenExplorerError(UiError, InputError):
    """The explorer would be reachable from elsewhere without anybody asking who it is."""


class PortBusyError(UiError, BusyError):
    """Something else listens on the port that the explorer was given."""


class NoExplorerError(UiError, EnvironmentRefusal):
    """What the explorer is made of is not installed, or it ended before it could answer."""


class DrawingError(UiError):
    """A figure could not be drawn as a picture."""


class StoppedError(UiError):
    """The user stopped it, or said no; what was done so far is in the log."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERRUPTED
