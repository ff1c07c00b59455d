"""The one connection of the app to the store, and the memory of what it answered.

Every page asks through ``cached``. An answer is kept under the loader's watermark, which
grows with whatever changes the tables: as long as nothing is loaded, a page costs nothing
however many look at it, and once something is, nobody sees what was true before. Of each
question only the latest answer is kept, so memory stays flat while a sweep loads. Values
are shared between viewers and therefore frozen.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

import streamlit as st

from barograph.envelope import NOTHING, Belongs, Event
from barograph.errors import EnvironmentRefusal
from barograph.facts import Payload
from barograph.folder import DataFolder
from store.answers import Answers
from store.reader import Reader
from store.rows import SweepRow
from store.serving.client import Served, connect
from store.serving.protocol import ServeStatus
from ui.explorer.options import Options

P = ParamSpec("P")
R = TypeVar("R")

MOST_ANSWERS: Final = 128
_STEADY_S: Final = 0.2
"""For that long a watermark is taken as it was, so that one drawing of a page is of one state."""


class Memory:
    """Answers by what was asked, each computed once however many ask at the same time."""

    def __init__(self, most: int = MOST_ANSWERS) -> None:
        """Remember nothing yet."""
        self._most = most
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[Hashable, ...], tuple[int, object]] = OrderedDict()
        self._asked: dict[tuple[Hashable, ...], threading.Lock] = {}

    def recall(self, key: tuple[Hashable, ...], watermark: int, make: Callable[[], R]) -> R:
        """The answer to ``key`` at ``watermark``; made now if nobody has it.

        Raises:
            Exception: whatever ``make`` raises; failures are not remembered.

        """
        with self._lock:
            asked = self._asked.setdefault(key, threading.Lock())
        with asked:
            with self._lock:
                kept = self._answers.get(key)
                if kept is not None and kept[0] == watermark:
                    self._answers.move_to_end(key)
                    return cast("R", kept[1])
            made = make()
            with self._lock:
                self._answers[key] = (watermark, made)
                self._answers.move_to_end(key)
                while len(self._answers) > self._most:
                    old, _ = self._answers.popitem(last=False)
                    self._asked.pop(old, None)
            return made


class Data:
    """What pages know of the store."""

    def __init__(self, store: Served, options: Options) -> None:
        """Stand on a store that answers; see ``data``."""
        self._store = store
        self.options = options
        self.answers: Answers = store
        self.reader = Reader(store)
        self.memory = Memory()
        self._seen: tuple[float, int] = (-1.0, 0)

    @property
    def may_write(self) -> bool:
        """Whether this explorer may append people's words."""
        return self.options.may_write

    def status(self) -> ServeStatus:
        """How the store's server is; raises as ``Served.status``."""
        return self._store.status()

    def append(self, payload: Payload, belongs: Belongs = NOTHING) -> Event:
        """Append a person's words to the log; they are in the tables when this returns.

        Raises:
            EnvironmentRefusal: this explorer only reads.
            StoreError: as ``Served.append``.

        """
        if not self.may_write:
            raise EnvironmentRefusal(
                "this explorer only reads", remedy="start it with 'barograph explore --write'"
            )
        event = self._store.append(payload, belongs)
        self._seen = (-1.0, 0)
        return event

    def watermark(self) -> int:
        """A number that grows with whatever changes the tables."""
        now = time.monotonic()
        at, mark = self._seen
        if at < 0 or now - at > _STEADY_S:
            mark = self._store.watermark()
            self._seen = (now, mark)
        return mark

    def close(self) -> None:
        """Let the store go."""
        self._store.close()


def data() -> Data:
    """The app's store, opened once a process.

    Raises:
        BarographError: there is no data folder, or its store cannot be opened.

    """
    return _opened(Options.from_environment())


@st.cache_resource(show_spinner=False, max_entries=4, on_release=Data.close)
def _opened(options: Options) -> Data:
    return Data(connect(DataFolder.existing(options.folder)), options)


def cached(function: Callable[Concatenate[Answers, P], R]) -> Callable[P, R]:
    """Give a question the app's store and a memory.

    Args:
        function: takes ``Answers`` first; its other arguments can be hashed, and what it
            returns is frozen (it is shared between viewers).

    Returns:
        The function without its first argument.

    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        known = data()
        key = (name, args, tuple(sorted(kwargs.items())))
        return known.memory.recall(
            key, known.watermark(), lambda: function(known.answers, *args, **kwargs)
        )

    return cast("Callable[P, R]", asked)


@cached
def sweeps(answers: Answers) -> tuple[SweepRow, ...]:
    """All sweeps of the folder, in the order in which they were planned."""
    return tuple(Reader(answers).sweeps())
