"""From what a person types to an event that can stand for ever.

The command line and the explorer ask here, so that both take the same things and refuse
them in the same words. Looked up in the store is what only it knows: which trial is meant,
which of its tries, whether a host exists. What a cause counts as is written down with it, as
the policy of the day has it, because a later policy may mean something else by the word.
"""

import getpass
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from analysis.overriding import causes_of
from analysis.verdicts.policy import Policy
from barograph.clock import US_PER_S
from barograph.envelope import Belongs
from barograph.facts import NoteAdded, VerdictOverridden
from barograph.words import WordsError, check, check_name
from store.errors import StoreNotFoundError
from store.reader import Reader
from store.rows import TrialRow, TryRow
from ui.naming import the_trial
from ui.text import moment

_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """An override that can be appended, and what it is about."""

    payload: VerdictOverridden
    belongs: Belongs
    trial: TrialRow
    row: TryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note that can be appended, and what it is about."""

    payload: NoteAdded
    belongs: Belongs
    about: str
    """In words: ``trial abc (sort/brute/1x/1)``, ``host h1``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a note is about, as it was typed. At least one is given."""

    trial: str | None = None
    try_no: int | None = None
    host: str | None = None
    start: str | None = None
    end: str | None = None
    """A moment; None with a ``start``: now."""


def login() -> str:
    """Who is at the keyboard: the name that words are signed with unless another is given."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a uid without an entry, as in many containers
        return f"uid {os.getuid()}"


def override(
    reader: Reader,
    policy: Policy,
    *,
    trial: str,
    try_no: int | None = None,
    cause: str | None,
    text: str,
    author: str,
) -> Override:
    """Make an override of the verdict on a try.

    Args:
        reader: an up-to-date store.
        policy: whose causes may be said.
        trial: as ``the_trial`` takes it.
        try_no: which try; None: the one that counts.
        cause: what ended the try; None to take back what the author said of it.
        text: why.
        author: who says so.

    Raises:
        WordsError: text, author or cause cannot be taken.
        AmbiguousError: several trials are called that.
        StoreNotFoundError: no such trial or try, or nothing to take back.

    """
    rules = causes_of(policy)
    if cause is not None and cause not in rules:
        known = ", ".join(rules)
        raise WordsError("no such cause", field="cause", value=cause, remedy=f"use one of {known}")
    found = the_trial(reader, trial)
    row = _ended(reader, found, try_no)
    payload = VerdictOverridden(
        author=author,
        text=text,
        cause=cause,
        counts_as=None if cause is None else rules[cause].counts_as,
    )
    belongs = Belongs(sweep=found.sweep, trial=found.trial, try_no=row.try_no)
    check(payload, belongs)
    if cause is None and not _said(reader, row, author):
        raise StoreNotFoundError(
            "overrides nothing here that could be taken back",
            field="author",
            value=author,
            remedy=f"'barograph why {found.trial}' shows who does",
        )
    return Override(payload=payload, belongs=belongs, trial=found, row=row)


def note(reader: Reader, about: About, *, text: str, author: str, now_us: int) -> Note:
    """Make a note on a trial, a host, or a span of time (of a host, if both are given).

    Args:
        reader: an up-to-date store.
        about: what it is about.
        text: the note.
        author: who says so.
        now_us: where a span ends whose end was not given.

    Raises:
        WordsError: text, author or times cannot be taken, or it is about nothing.
        AmbiguousError: several trials are called that.
        StoreNotFoundError: no such trial, try or host.

    """
    belongs, names = Belongs(), list[str]()
    if about.trial is not None:
        found = the_trial(reader, about.trial)
        _check_try(found, about.try_no)
        belongs = Belongs(sweep=found.sweep, trial=found.trial, try_no=about.try_no)
        names.append(f"trial {found.trial} ({_name(found)})")
    elif about.try_no is not None:
        raise WordsError("is of no trial", field="try", remedy="name the trial, too")
    if about.host is not None:
        _check_host(reader, about.host)
        names.append(f"host {about.host}")
    start, end = _span(about, now_us)
    if start is not None:
        names.append(f"{moment(start)} to {moment(end)}")
    payload = NoteAdded(author=author, text=text, host=about.host, from_t_us=start, to_t_us=end)
    check(payload, belongs)
    return Note(payload=payload, belongs=belongs, about=", ".join(names))


def parsed_moment(text: str, field: str) -> int:
    """Read a moment: ``2026-11-29 22:31``, with seconds, with a zone; UTC without one.

    Returns:
        Microseconds since the epoch.

    Raises:
        WordsError: it is none.

    """
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as error:
        remedy = "write it as 2026-11-29T22:31 (UTC) or 2026-11-29T22:31+02:00"
        raise WordsError("is no moment", field=field, value=text[:80], remedy=remedy) from error
    return round((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * US_PER_S)


def _ended(reader: Reader, trial: TrialRow, try_no: int | None) -> TryRow:
    """The try that is meant: it must have ended, or there is no verdict to disagree with."""
    _check_try(trial, try_no)
    chosen = try_no or trial.standing_try or trial.latest_try
    rows = reader.tries(trial=trial.trial, outcomes_only=False)
    found = next((row for row in rows if row.try_no == chosen), None)
    if found is None:
        raise StoreNotFoundError(
            "this try has not ended, so it has no verdict yet",
            field="TRIAL",
            value=trial.trial,
            remedy="leave a note, or wait",
        )
    return found


def _check_try(trial: TrialRow, try_no: int | None) -> None:
    if try_no is not None and not 1 <= try_no <= trial.latest_try:
        remedy = f"its last is {trial.latest_try}"
        raise StoreNotFoundError(
            "the trial has no such try", field="--try", value=try_no, remedy=remedy
        )


def _check_host(reader: Reader, host: str) -> None:
    check_name(host, "host")
    hosts = reader.hosts()
    if host not in hosts:
        raise StoreNotFoundError(
            "no trial ran on that host, and no collector was there",
            field="host",
            value=host,
            remedy=f"there are: {_some(hosts)}" if hosts else "no host is known yet",
        )


def _span(about: About, now_us: int) -> tuple[int | None, int | None]:
    if about.start is None:
        if about.end is not None:
            raise WordsError("is half a span of time", field="to", remedy="give its beginning, too")
        return None, None
    start = parsed_moment(about.start, "from")
    return start, now_us if about.end is None else parsed_moment(about.end, "to")


def _said(reader: Reader, row: TryRow, author: str) -> bool:
    return any(
        word.kind == "override"
        and (word.trial, word.try_no, word.author) == (row.trial, row.try_no, author)
        for word in reader.words(row.sweep)
    )


def _name(trial: TrialRow) -> str:
    return f"{trial.task}/{trial.agent}/{trial.condition}/{trial.attempt}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
