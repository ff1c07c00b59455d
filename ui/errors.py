"""What can go wrong in answering, beside what the other packages raise themselves.

::

    UiError
    ├── AmbiguousError      (InputError)      a prefix or name fits several trials
    ├── NoSuchCgroupError   (NotFoundError)   collect was given a path that is no cgroup
    ├── NoPackError         (NotFoundError)   the reference pack is not where the program is
    └── StoppedError        (BarographError)  stopped by the user; exit code 130
"""

from typing import ClassVar

from barograph.errors import BarographError, ExitCode, InputError, NotFoundError


class UiError(BarographError):
    """Root of this package's errors."""


class AmbiguousError(UiError, InputError):
    """What was named fits several things; the sentence lists some of them."""


class NoSuchCgroupError(UiError, NotFoundError):
    """A path given to ``collect`` is no cgroup of this machine."""


class NoPackError(UiError, NotFoundError):
    """The reference pack (``examples/``) is not installed beside the program."""


class StoppedError(UiError):
    """The user stopped it; what was done so far is in the log."""

    exit_code: ClassVar[ExitCode] = ExitCode.INTERRUPTED
