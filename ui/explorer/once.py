"""Figures that were made once, kept for every viewer and every run of a page.

Streamlit runs a page's script from the top for each click and each refresh, and Altair takes
longer over a figure than everything else on a page together: it copies and checks each part
again and again (three seconds of CPU for the Overview of five agents). What is shown changes
far less often than it is drawn. So a page names the function that makes a chart and gives it
what it is drawn from; as long as that is the same, the same figure is handed out again.

"The same" is judged by the content of all arguments and not by a watermark: nothing that a
function can see is left out of it, so no figure can be older than what it is drawn from.
"""

import hashlib
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, ParamSpec

from ui.explorer.charts.base import Chart, Spec, spec_of
from ui.explorer.theme import Theme

P = ParamSpec("P")

MOST_KEPT: Final = 96
"""Figures. One of a thousand slices holds about a megabyte; most hold some kilobytes."""

_kept: Final[OrderedDict[bytes, Spec]] = OrderedDict()
_lock: Final = threading.Lock()


def once(look: Theme, make: Callable[P, Chart], /, *args: P.args, **kwargs: P.kwargs) -> Spec:
    """The specification of ``make(*args, **kwargs)``; nobody may change what it holds.

    Args:
        look: whose configuration it gets.
        make: a function of a module, whose result depends on its arguments alone.
        args: can be pickled, as dataclasses, tuples and numbers can.
        kwargs: the same.

    """
    key = _digest((make.__module__, make.__qualname__, look, args, kwargs))
    with _lock:
        spec = _kept.get(key)
        if spec is not None:
            _kept.move_to_end(key)
            return spec
    # Two viewers may make the same at once: that costs less than to have others wait for it.
    spec = spec_of(make(*args, **kwargs), look.config())
    with _lock:
        _kept[key] = spec
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return spec


def forget() -> None:
    """Keep nothing of what was made."""
    with _lock:
        _kept.clear()


def _digest(asked: object) -> bytes:
    # Never read back: it is only a quick way to write down every value.
    return hashlib.blake2b(pickle.dumps(asked), digest_size=16).digest()
