"""What one load did, and what the database holds now."""

from dataclasses import dataclass
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from analysis.wording import count
from barograph.units import format_bytes, format_duration
from store.copying.importing import Imported
from store.loader import LoadReport
from store.rows import StoreCounts
from store.story import DeadLetterRow
from ui import tables
from ui.text import UNKNOWN, shortened

_RAW_CHARS: Final = 60
MOST_LETTERS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What ``load`` answers."""

    folder: str
    imported: Imported | None = None
    """The copy of a sweep that was brought into the folder, if one was named."""
    seconds: float
    report: LoadReport
    events_per_s: float | None
    """None where nothing was new."""
    lag_s: float | None
    """Age of the newest event; None while there is none."""
    store: StoreCounts


def render(loaded: Loaded, letters: list[DeadLetterRow]) -> RenderableType:
    """Show a load for people.

    Args:
        loaded: what was done.
        letters: some lines that are no events, if there are any.

    """
    report, store = loaded.report, loaded.store
    new = count(report.events, "new event")
    took = format_duration(loaded.seconds)
    rate = "" if loaded.events_per_s is None else f", {loaded.events_per_s:,.0f} a second"
    said = f"Loaded {new} in {took}{rate}." if report.events else "Nothing new to load."
    here: list[tuple[str, tables.Cell]] = [
        ("samples", f"{report.samples:,}"),
        ("dropped", f"{report.duplicates:,} that were there before, or are pruned"),
        ("no events", f"{count(report.dead_letters, 'line')}, kept as dead letters"),
        ("read", f"{format_bytes(report.bytes_read)} in {count(report.batches, 'transaction')}"),
    ]
    whole: list[tuple[str, tables.Cell]] = [
        ("events", f"{store.events:,} from {count(store.sources, 'writer')}"),
        ("samples", f"{store.samples:,}"),
        ("dead letters", f"{store.dead_letters:,}"),
        ("missing", f"{store.missing_seqs:,} events below the newest of their writers"),
        ("newest event", UNKNOWN if loaded.lag_s is None else _old(loaded.lag_s)),
    ]
    parts: list[RenderableType] = [tables.answer(said)]
    if loaded.imported is not None:
        parts.append(_copy(loaded.imported))
    if report.batches:
        parts.append(tables.indented(tables.pairs(here)))
    parts.append(tables.section("The database now", tables.pairs(whole)))
    if letters:
        parts.append(tables.section("Lines that are no events", tables.bullets(_letters(letters))))
    return Group(*parts)


def _copy(copy: Imported) -> Text:
    name = f"{copy.name} ({copy.sweep})"
    if copy.before:
        return Text(f"The copy of {name} is in this folder already.")
    size = format_bytes(copy.bytes)
    return Text(f"Brought in the copy of {name}: {count(copy.files, 'file')}, {size}.")


def _old(seconds: float) -> str:
    return f"{format_duration(max(0.0, seconds))} old"


def _letters(letters: list[DeadLetterRow]) -> list[str]:
    return [
        f"{one.stream} at byte {one.offset:,}: {one.reason}: "
        f"{shortened(one.raw.decode(errors='replace'), _RAW_CHARS)}"
        for one in letters[:MOST_LETTERS]
    ]
