"""The thread for whatever may wait for a disk, so that the sampling loop never does.

Jobs are done one after the other. A job's outcome is handed back to the loop: the thread
puts it in a queue and stirs an eventfd that the loop waits for. So callbacks run in the
loop, and nothing but the two queues is shared.
"""

import contextlib
import os
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple


class _Job(NamedTuple):
    run: Callable[[], Callable[[], None]]


class Behind:
    """One worker thread and its way back into the loop."""

    def __init__(self) -> None:
        """Start the thread."""
        self.wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._under_way = 0
        self._thread = threading.Thread(target=self._work, name="behind", daemon=True)
        self._thread.start()

    @property
    def is_idle(self) -> bool:
        """Whether every job's outcome was handed back."""
        return self._under_way == 0

    def submit(self, run: Callable[[], Callable[[], None]]) -> None:
        """Do ``run`` in the thread; what it returns is called in the loop afterwards.

        ``run`` must turn its failures into a callback: an exception ends nobody's wait.
        """
        self._under_way += 1
        self._jobs.put(_Job(run))

    def hand_back(self, _events: int = 0) -> None:
        """Call the callbacks of finished jobs; to be called in the loop."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self.wake_fd)
        while True:
            try:
                callback = self._done.get_nowait()
            except queue.Empty:
                return
            self._under_way -= 1
            callback()

    def close(self) -> None:
        """Finish the jobs, stop the thread, hand back what is left."""
        self._jobs.put(None)
        self._thread.join()
        self.hand_back()
        os.close(self.wake_fd)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._done.put(job.run())
            os.eventfd_write(self.wake_fd, 1)
