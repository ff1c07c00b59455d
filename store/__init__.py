"""From the log to tables, and from tables to answers.

Everything here is a fold of the log and can be thrown away: ``loader`` reads chunks of
raw lines and projects them in SQL, exactly once; ``database`` opens the DuckDB file and
migrates it; ``reader`` answers named questions with typed rows; ``audit`` proves that log
and tables hold the same events. All SQL lies in ``store/sql``, one statement or one
migration a file, and each file begins with a sentence that says what it answers. ``serving``
lets one process have the file open and everybody ask it; ``connect`` is the way in::

    import store

    with store.connect("barograph-demo") as served:
        served.ask("SELECT task, count(*) FROM trial_finished GROUP BY ALL").rows
"""

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from barograph.folder import DataFolder
    from store.serving.client import Served


def connect(folder: "DataFolder | str", *, follow: bool = True) -> "Served":
    """Ask a data folder's store; see ``store.serving.client.connect``.

    DuckDB is imported when this is called: much in this package needs none.
    """
    client = importlib.import_module("store.serving.client")
    opened = cast("Callable[..., Served]", client.connect)
    return opened(folder, follow=follow)
