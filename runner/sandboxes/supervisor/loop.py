"""The supervisor's event loop: descriptors, and moments in time. Nothing else can happen.

``asyncio`` and ``selectors`` would cost more to import than a whole sandbox costs to
make; what is needed of them is this.
"""

from __future__ import annotations

import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_WAIT_S = 60.0


class Timer:
    """Something to be done at a moment; ``done`` or cancelled ones are left aside."""

    def __init__(self, at_s: float, call: Callable[[], None]) -> None:
        """``at_s`` is on the monotonic clock."""
        self.at_s = at_s
        self.call = call
        self.cancelled = False


class Loop:
    """Waits on descriptors and timers, and calls what was asked to be called."""

    def __init__(self) -> None:
        """Begin with nothing to wait for."""
        self._epoll = select.epoll()
        self._calls: dict[int, Callable[[], None]] = {}
        self._timers: list[Timer] = []
        self.stopped = False

    def watch(self, fd: int, call: Callable[[], None], events: int = select.EPOLLIN) -> None:
        """Call ``call`` whenever ``fd`` has any of ``events``; again: change what is awaited."""
        if fd in self._calls:
            self._epoll.modify(fd, events)
        else:
            self._epoll.register(fd, events)
        self._calls[fd] = call

    def forget(self, fd: int) -> None:
        """Watch ``fd`` no longer. To be called before it is closed."""
        if self._calls.pop(fd, None) is not None:
            self._epoll.unregister(fd)

    def after(self, delay_s: float, call: Callable[[], None]) -> Timer:
        """Call ``call`` once, ``delay_s`` from now."""
        timer = Timer(time.monotonic() + delay_s, call)
        self._timers.append(timer)
        return timer

    def stop(self) -> None:
        """Let ``run`` return after the present call."""
        self.stopped = True

    def run(self) -> None:
        """Serve until ``stop`` is called."""
        while not self.stopped:
            for fd, _ in self._epoll.poll(self._wait_s()):
                call = self._calls.get(fd)  # an earlier call may have forgotten it
                if call is not None and not self.stopped:
                    call()
            self._ring()

    def _wait_s(self) -> float:
        waits = [timer.at_s for timer in self._timers if not timer.cancelled]
        if not waits:
            return _LONGEST_WAIT_S
        return min(max(min(waits) - time.monotonic(), 0.0), _LONGEST_WAIT_S)

    def _ring(self) -> None:
        now = time.monotonic()
        due = [timer for timer in self._timers if not timer.cancelled and timer.at_s <= now]
        self._timers = [timer for timer in self._timers if not timer.cancelled and timer.at_s > now]
        for timer in due:
            if not timer.cancelled:
                timer.call()
