"""Which trial does a person mean? The names that every command and page takes for one.

An id is for copying, and nobody types one whole; what people remember is the task, then who
worked on it, then the ceiling. Whatever is named, it is one trial or a sentence that lists
some of those it could be: a command never guesses.
"""

from collections.abc import Sequence
from typing import Final

from store.errors import StoreNotFoundError
from store.reader import Reader
from store.rows import TrialRow
from ui.errors import AmbiguousError

_SHOWN: Final = 4


def the_trial(reader: Reader, text: str) -> TrialRow:
    """The one trial that ``text`` names.

    Raises:
        AmbiguousError: it fits several.
        StoreNotFoundError: it fits none.

    """
    found = reader.trials_called(text) or _by_parts(reader.trials(), text)
    exact = [row for row in found if row.trial == text]
    if exact or len(found) == 1:
        return (exact or found)[0]
    if found:
        raise AmbiguousError(
            f"{len(found)} trials are called that",
            field="TRIAL",
            value=text,
            remedy=f"name one: {_choices(found)}",
        )
    raise StoreNotFoundError(
        "no such trial or sweep in this data folder",
        field="TRIAL|SWEEP",
        value=text,
        remedy="'barograph why' without a name lists trials to open",
    )


def _by_parts(rows: Sequence[TrialRow], text: str) -> list[TrialRow]:
    """Trials by ``task/agent/ceiling/attempt``, of which the last parts may be left out.

    A task's own name may hold slashes, so the parts are matched from the task's end on.
    """
    return [
        row
        for row in rows
        if f"{row.task}/{row.agent}/{row.condition}/{row.attempt}/".startswith(f"{text}/")
    ]


def _choices(found: Sequence[TrialRow]) -> str:
    shown = [
        f"{row.trial} ({row.task}/{row.agent}/{row.condition}/{row.attempt})"
        for row in found[:_SHOWN]
    ]
    hidden = len(found) - len(shown)
    return ", ".join(shown) + (f" and {hidden} more" if hidden > 0 else "")
