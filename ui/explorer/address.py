"""The address of a view: whatever decides what is shown is in the URL, and nothing else is.

Anyone can type an address, so nothing in it is believed: names are cut to a length, numbers
must be numbers, a window must run forwards, and a list has an end. What does not hold is
left out with one honest sentence; an address never raises and never reaches SQL or a path
as anything but a quoted value.

Widgets keep their state in the address by themselves (``bind="query-params"`` with a key of
``KEYS``); ``View`` is for reading it in one place, and for links to other pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self
from urllib.parse import urlencode

import streamlit as st

from store.rows import SweepRow

KEYS: Final[Mapping[str, str]] = {
    "sweep": "sweep",
    "trial": "trial",
    "try_no": "try",
    "agents": "agent",
    "conditions": "condition",
    "causes": "cause",
    "tasks": "task",
    "text": "q",
    "window": "window",
    "tab": "tab",
    "live": "live",
}
"""Field -> its name in the address."""

MOST_CHARS: Final = 300
MOST_VALUES: Final = 50
_LAST_US: Final = 2**62
_OFF: Final = "off"

Params = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which trials are meant; empty is all."""

    agents: tuple[str, ...] = ()
    """Contestants: the agent, with its model where there is one."""
    conditions: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    text: str | None = None
    """A part of a task's, an agent's or a trial's name."""

    @property
    def any(self) -> bool:
        """Whether anything is left out."""
        return self != Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What is looked at."""

    sweep: str | None = None
    """Whole id; with ``current`` one that exists, unless the store has none."""
    trial: str | None = None
    """As written: a whole id, a prefix or a task's name; the page says whether it exists."""
    try_no: int | None = None
    filters: Filters = Filters()
    window: tuple[int, int] | None = None
    """From and to, microseconds since the epoch."""
    tab: str | None = None
    live: bool = True
    """False: the view is frozen."""
    problems: tuple[str, ...] = ()
    """What the address said that cannot be; one sentence each."""

    @classmethod
    def current(cls, sweeps: Sequence[SweepRow] = ()) -> Self:
        """The view that this viewer's address asks for.

        Args:
            sweeps: all that there are; the newest is meant where the address names none.

        """
        params = {name: st.query_params.get_all(name) for name in st.query_params}
        view = cls.parse(params)
        found = _sweep(view.sweep, sweeps)
        if view.sweep is None or (found is not None and view.sweep == found.sweep):
            return replace(view, sweep=None if found is None else found.sweep)
        said = f"there is no sweep {_short(view.sweep)} here"
        if found is None:
            return replace(view, sweep=None, problems=(said, *view.problems))
        if found.name == view.sweep or found.sweep.startswith(view.sweep):
            return replace(view, sweep=found.sweep)
        problems = (f"{said}; this is {_short(found.name)}", *view.problems)
        return replace(view, sweep=found.sweep, problems=problems)

    @classmethod
    def parse(cls, params: Params) -> Self:
        """Read an address; what cannot be is left out and said. Never raises."""
        reading = _Reading(params)
        filters = Filters(
            agents=reading.names("agents"),
            conditions=reading.names("conditions"),
            causes=reading.names("causes"),
            tasks=reading.names("tasks"),
            text=reading.name("text"),
        )
        return cls(
            sweep=reading.name("sweep"),
            trial=reading.name("trial"),
            try_no=reading.number("try_no"),
            filters=filters,
            window=reading.window("window"),
            tab=reading.name("tab"),
            live=reading.name("live") != _OFF,
            problems=tuple(reading.problems),
        )

    def params(self) -> dict[str, str | list[str]]:
        """The parameters that ``parse`` reads as this view; what is the default is left out."""
        one: dict[str, str | list[str] | None] = {
            "sweep": self.sweep,
            "trial": self.trial,
            "try_no": None if self.try_no is None else str(self.try_no),
            "agents": list(self.filters.agents),
            "conditions": list(self.filters.conditions),
            "causes": list(self.filters.causes),
            "tasks": list(self.filters.tasks),
            "text": self.filters.text,
            "window": None if self.window is None else f"{self.window[0]}-{self.window[1]}",
            "tab": self.tab,
            "live": None if self.live else _OFF,
        }
        return {KEYS[field]: value for field, value in one.items() if value}

    def only(self, trial: str, try_no: int | None = None) -> "View":
        """The view of one trial of the same sweep."""
        return View(sweep=self.sweep, trial=trial, try_no=try_no)

    def filtered(self, filters: Filters) -> "View":
        """The view of some trials of the same sweep."""
        return View(sweep=self.sweep, filters=filters)

    def link(self, page: str) -> str:
        """The address of this view on a page, relative to the app's own."""
        query = urlencode(self.params(), doseq=True)
        return f"{page}?{query}" if query else page


def _sweep(asked: str | None, sweeps: Sequence[SweepRow]) -> SweepRow | None:
    """The sweep that is asked for by id, prefix or name, else the one planned last."""
    if not sweeps:
        return None
    if asked is not None:
        named = [row for row in sweeps if row.sweep == asked] or [
            row for row in sweeps if row.name == asked or row.sweep.startswith(asked)
        ]
        if named:
            return named[-1]
    return sweeps[-1]


class _Reading:
    """Takes an address apart and keeps what was wrong with it."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self.problems: list[str] = []

    def names(self, field: str) -> tuple[str, ...]:
        given = self._params.get(KEYS[field], ())
        kept = tuple(dict.fromkeys(text for text in given if _is_name(text)))
        if len(kept) > MOST_VALUES:
            self._complain(field, f"has {len(kept):,} values; the first {MOST_VALUES} count")
            kept = kept[:MOST_VALUES]
        if any(not _is_name(text) for text in given):
            self._complain(field, "has a value that is no name, left out")
        return kept

    def name(self, field: str) -> str | None:
        given = self._params.get(KEYS[field], ())
        if not given or given[-1] == "":
            return None
        if _is_name(given[-1]):
            return given[-1]
        self._complain(field, "is no name, left out")
        return None

    def number(self, field: str) -> int | None:
        text = self.name(field)
        found = _number(text)
        if text is not None and found is None:
            self._complain(field, "is no number, left out")
        return found

    def window(self, field: str) -> tuple[int, int] | None:
        text = self.name(field)
        if text is None:
            return None
        start, _, end = text.partition("-")
        low, high = _number(start), _number(end)
        if low is None or high is None or low >= high:
            self._complain(field, "is no span of time, left out")
            return None
        return low, high

    def _complain(self, field: str, what: str) -> None:
        self.problems.append(f"in this address, {KEYS[field]} {what}")


def _is_name(text: str) -> bool:
    return 0 < len(text) <= MOST_CHARS and "\0" not in text


def _number(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit():
        return None
    # Python refuses to read a number of more than 4,300 digits; no count here has twenty.
    value = int(text) if len(text) <= len(str(_LAST_US)) else _LAST_US
    return value if value < _LAST_US else None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")  # noqa: PLR2004 - for a sentence
