"""Ctrl-C and SIGTERM: the first asks the campaign to stop well, the second ends it at once.

Ending at once loses nothing either: the log has what was written, supervisors take their
sandboxes down when the runner is gone, and the next campaign runs what has no outcome.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Generator
from types import FrameType
from typing import Final

from barograph.errors import ExitCode

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stopping_on_signals(stop: Callable[[], None]) -> Generator[None]:
    """Call ``stop`` once, from a thread of its own, when the user asks for it.

    Signals are heard in the main thread only; in any other, nothing is changed, and whoever
    started that thread has to call ``stop`` itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, tell = os.pipe()
    asked = 0

    def handle(_number: int, _frame: FrameType | None) -> None:
        # Between two bytecodes of the main thread: nothing that takes a lock may be called.
        nonlocal asked
        asked += 1
        if asked > 1:
            os._exit(ExitCode.INTERRUPTED)
        os.write(tell, b"!")

    def listen() -> None:
        with open(heard, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor, no path
            if file.read(1):
                stop()

    listener = threading.Thread(target=listen, name="signals", daemon=True)
    listener.start()
    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(tell)
        listener.join()
