"""The threads that work through a plan, and how they are stopped.

A thread for each try that may run at once: a try waits for processes and sockets nearly
all of its time, so threads cost next to nothing and every try reads as one straight line.
Trials are begun in the order of the plan, whoever is free takes the next.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Final, Literal

from barograph.errors import BarographError, EnvironmentRefusal
from barograph.facts import TrialFinished
from barograph.log.port import LogError
from runner.errors import HelperFailedError, OutcomeLostError
from runner.plan import PlannedTrial
from runner.progress import ProgressBoard
from runner.shared import Shared
from runner.trial import Try

Reason = Literal["complete", "stopped_by_user", "stopped_by_guard"]

MOST_FAILED_SANDBOXES: Final = 8
"""So many sandboxes in a row that could not even be made are no bad luck: each further one
would only turn another trial into an error."""


class Crew:
    """Works once. ``stop`` and ``fail`` may be called from any thread, also before."""

    def __init__(
        self,
        todo: Sequence[PlannedTrial],
        *,
        next_try: Callable[[str], int],
        board: ProgressBoard,
        concurrency: int,
    ) -> None:
        """Nobody works yet.

        Args:
            todo: trials without an outcome, in the order of the plan.
            next_try: the number of a trial's next try.
            board: told what happens.
            concurrency: tries at once, at most.

        """
        self._todo = iter(todo)
        self._next_try = next_try
        self.board = board
        self._threads = min(concurrency, len(todo))
        self._lock = threading.Lock()
        self._running: dict[str, Try] = {}
        self._stopped = False
        self._failed_sandboxes = 0
        self.failure: BarographError | None = None
        """Why going on makes no sense; None while it does."""

    @property
    def reason(self) -> Reason:
        """How the work ended."""
        if self.failure is not None:
            return "stopped_by_guard"
        return "stopped_by_user" if self._stopped else "complete"

    def work(self, shared: Shared) -> None:
        """Run tries until nothing is left to do or somebody stopped it."""
        threads = [
            threading.Thread(target=self._work, args=(shared,), name=f"try-{number}")
            for number in range(self._threads)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def stop(self) -> None:
        """Begin nothing more and cancel what runs; returns at once."""
        with self._lock:
            self._stopped = True
            running = list(self._running.values())
        for one in running:
            # Taking a sandbox down takes its time; all go at once.
            threading.Thread(target=one.cancel, name="cancel", daemon=True).start()

    def fail(self, failure: BarographError, *, cancel: bool) -> None:
        """Stop for a reason of our own; the first one is kept.

        Args:
            failure: what the user will be told.
            cancel: whether tries that run are cancelled, or may end.

        """
        with self._lock:
            if self.failure is None:
                self.failure = failure
            self._stopped = True
        if cancel:
            self.stop()

    def _work(self, shared: Shared) -> None:
        while (begun := self._begin(shared)) is not None:
            planned, one = begun
            finished: TrialFinished | None = None
            try:
                finished = one.run()
                self._judge(one, finished)
            except LogError as error:
                self.fail(_lost(error, planned), cancel=True)
            except Exception as error:  # noqa: BLE001 - a bug must not end in a silent thread
                problem = f"a try ended in a way that nobody foresaw ({error!r})"
                self.fail(BarographError(problem, where=planned.trial), cancel=True)
            finally:
                with self._lock:
                    del self._running[planned.trial]
                self.board.ended(planned.trial, finished)

    def _begin(self, shared: Shared) -> tuple[PlannedTrial, Try] | None:
        with self._lock:
            planned = None if self._stopped else next(self._todo, None)
            if planned is None:
                return None
            try_no = self._next_try(planned.trial)
            one = Try(shared, planned, try_no)
            self._running[planned.trial] = one
        self.board.began(planned, try_no)
        return planned, one

    def _judge(self, one: Try, finished: TrialFinished) -> None:
        """Notice what makes every further try pointless."""
        if one.refusal is not None:
            # One that nobody can watch is bad for all; those that are watched may end.
            cancel = not isinstance(one.refusal, HelperFailedError)
            self.fail(one.refusal, cancel=cancel)
        first = finished.exceptions[0] if finished.exceptions else None
        failed = finished.how == "error" and first is not None and first.phase == "environment"
        with self._lock:
            self._failed_sandboxes = self._failed_sandboxes + 1 if failed else 0
            too_many = self._failed_sandboxes >= MOST_FAILED_SANDBOXES
        if too_many and first is not None:
            message = f"{MOST_FAILED_SANDBOXES} sandboxes in a row could not be made"
            self.fail(HelperFailedError(f"{message}: {first.message}", where=one.name), cancel=True)


def _lost(error: LogError, planned: PlannedTrial) -> EnvironmentRefusal:
    return OutcomeLostError(
        f"stopped, because the log no longer takes what happens: {error.problem}",
        where=error.where,
        remedy=error.remedy
        or f"make it writable and run the same command again: trial {planned.trial} and those "
        "after it are run then",
    )
