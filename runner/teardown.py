"""Take a sandbox down exactly once, whoever asks first."""

import threading

from barograph.errors import BarographError
from barograph.log.port import LogError
from runner.sandboxes.port import Sandbox
from runner.watching import Observer


class Teardown:
    """The end of one sandbox. Asked by its try when that is over, or by who stops it."""

    def __init__(self, sandbox: Sandbox, observer: Observer) -> None:
        """The sandbox stands."""
        self.sandbox = sandbox
        self._observer = observer
        self._lock = threading.Lock()
        self._done = False
        self.problem: BarographError | None = None
        """What would not go away."""
        self.log_error: LogError | None = None
        """Why the end could not be written."""

    def destroy(self) -> None:
        """Read the last counters and remove everything; returns when that is done.

        Never raises: see ``problem`` and ``log_error``. A second caller waits for the first.
        """
        with self._lock:
            if self._done:
                return
            self._done = True
            try:
                self.sandbox.destroy(self._observer.finish)
            except LogError as error:
                self.log_error = error
            except BarographError as error:
                self.problem = error
