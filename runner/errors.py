"""What can go wrong around running trials, as a tree under the product's own.

::

    RunnerError
    ├── TaskError             (InputError)          a task directory cannot be run as it is
    ├── SweepFileError        (InputError)          the sweep file is wrong
    ├── OtherSweepError       (InputError)          the data folder holds another sweep
    ├── FolderOwnedError      (BusyError)           a living campaign owns the data folder
    ├── HelperFailedError     (EnvironmentRefusal)  a process of ours would not start
    └── OutcomeLostError      (EnvironmentRefusal)  the log takes no outcomes any more

Errors of a sandbox are not here: ``runner.sandboxes.port`` separates "the sandbox
failed" from "the sandbox died", because for this product that difference is the result.
"""

from barograph.errors import BarographError, BusyError, EnvironmentRefusal, InputError


class RunnerError(BarographError):
    """Root of this package's errors."""


class TaskError(RunnerError, InputError):
    """A task directory is broken, or asks for something that no driver here can do."""


class SweepFileError(RunnerError, InputError):
    """The sweep file is broken, or does not fit its tasks."""


class OtherSweepError(RunnerError, InputError):
    """The data folder already holds the log of another sweep than the file describes."""


class FolderOwnedError(RunnerError, BusyError):
    """Another campaign lives on this data folder; try again when it has ended."""


class HelperFailedError(RunnerError, EnvironmentRefusal):
    """A process that the runner needs beside it did not start, or did not answer."""


class OutcomeLostError(RunnerError, EnvironmentRefusal):
    """The log refused an outcome, so going on would lose what happens next.

    Raised to stop the campaign at once. The try in question has no outcome in the log
    and is run again by the next campaign.
    """
