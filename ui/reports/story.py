"""Lay out a trial's story: the answer, what happened when, memory, verdict, and the others.

Each sentence has its evidence beside it, dim: the events of the trial that it was read
off. The grid at the end is the shortest comparison there is: the same task under every
ceiling, a mark for each attempt, this one in brackets.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, cast

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis.plain import Plain, to_plain
from analysis.wording import count
from store.rows import TryRow, WordRow
from store.story import Story
from ui import tables
from ui.palette import BOLD, DIM, LOOKS, chip, look_of
from ui.stories.said import Said
from ui.stories.trial import COUNTS_AS, Judged, TrialStory
from ui.text import after, clock_time, mebibytes, moment

_TIME_CELLS: Final = 8
_EVIDENCE_CELLS: Final = 18
_WIDE: Final = 110
"""From here on evidence need not be folded."""


def content(told: TrialStory, story: Story) -> dict[str, object]:
    """Give the story and every row behind it as plain data."""
    return {"about": "trial", **_fields(told), "facts": story}


def _fields(told: TrialStory) -> dict[str, Plain]:
    return cast("dict[str, Plain]", to_plain(told))


def render(told: TrialStory, conditions: Sequence[str], *, width: int) -> RenderableType:
    """Show the story for people.

    Args:
        told: the story.
        conditions: of the sweep, in the order of the ceilings.
        width: columns of the terminal.

    """
    beside = _EVIDENCE_CELLS if width < _WIDE else 2 * _EVIDENCE_CELLS
    parts: list[RenderableType] = [_title(told), _answer(told), _who(told)]
    parts.append(tables.section("What happened", _timeline(told, beside)))
    parts.append(tables.section("Memory", _sentences(told.memory.said, beside)))
    if told.enough.said:
        title = "What would have been enough"
        parts.append(tables.section(title, _sentences(told.enough.said, beside)))
    if told.verdict is not None:
        parts.append(tables.section("Verdict", _verdict(told)))
    if told.notes:
        parts.append(tables.section("Notes", tables.bullets(map(_note, told.notes))))
    if told.tries > 1:
        parts.append(tables.section("All tries of this trial", _tries(told)))
    if told.elsewhere:
        title = f"{told.task} under every ceiling"
        parts.append(tables.section(title, _elsewhere(told, conditions)))
    return Group(*parts)


def _title(told: TrialStory) -> Text:
    name = f"{told.task} · {told.agent} · {told.condition} · attempt {told.attempt}"
    return Text(name, style=DIM)


def _answer(told: TrialStory) -> Text:
    line = Text()
    if told.verdict is not None:
        look = look_of(told.verdict.cause)
        line.append(f"{look.mark} ", style=look.colour)
    return line.append(told.answer, style=BOLD)


def _who(told: TrialStory) -> Text:
    which = f"try {told.try_no} of {told.tries}, " if told.tries > 1 else ""
    return Text(f"trial {told.trial}, {which}began {moment(told.started_t_us)}", style=DIM)


def _timeline(told: TrialStory, beside: int) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, justify="right", min_width=_TIME_CELLS)
    grid.add_column(overflow="fold", ratio=1)
    grid.add_column(overflow="fold", style=DIM, min_width=beside, max_width=beside)
    for said in told.happened:
        grid.add_row(Text(after(said.t_us, told.started_t_us), style=DIM), *_cells(said))
    return grid


def _sentences(all_said: Sequence[Said], beside: int) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(overflow="fold", ratio=1)
    grid.add_column(overflow="fold", style=DIM, min_width=beside, max_width=beside)
    for said in all_said:
        grid.add_row(*_cells(said))
    return grid


def _cells(said: Said) -> tuple[Text, Text]:
    text = Text()
    if said.hue is not None:
        text.append(f"{LOOKS[said.hue].mark} ", style=LOOKS[said.hue].colour)
    text.append(said.text)
    return text, Text("\n".join(said.evidence))


def _verdict(told: TrialStory) -> RenderableType:
    verdict = told.verdict
    if verdict is None:
        return Text()
    head = chip(verdict.cause)
    head.append(f"  {verdict.family}, {verdict.confidence}; counts as ", style=DIM)
    head.append(COUNTS_AS[verdict.counts_as])
    lines: list[tables.Cell] = [item.sentence() for item in verdict.evidence]
    if verdict.also:
        lines.append(f"also held: {', '.join(verdict.also)}")
    policy = f"policy {verdict.policy_version} ({verdict.policy_digest[:14]}), evidence "
    digests = Text(f"{policy}{verdict.evidence_digest[:8]}; docs/verdicts.md", style=DIM)
    return Group(head, tables.bullets(lines), digests, *map(_override, told.overrides))


def _override(word: WordRow) -> Text:
    """A person's verdict, under the policy's."""
    line = Text.assemble(f"{word.author} says ", chip(str(word.cause)))
    counts = COUNTS_AS.get(str(word.counts_as), word.counts_as)
    line.append(f"  counts as {counts}", style=DIM)
    return line.append(f"\n  {_text(word)}").append(f"  {moment(word.t_us)}", style=DIM)


def _note(word: WordRow) -> Text:
    about: list[str] = []
    if word.try_no is not None:
        about.append(f"try {word.try_no}")
    if word.host is not None:
        about.append(f"host {word.host}")
    if word.from_t_us is not None:
        about.append(f"{moment(word.from_t_us)} to {moment(word.to_t_us)}")
    said = f" says {word.cause}" if word.kind == "override" else ""
    where = f" ({', '.join(about)})" if about else ""
    line = Text(f"{word.author}{said}{where}: {_text(word)}")
    return line.append(f"  {moment(word.t_us)}", style=DIM)


def _text(word: WordRow) -> str:
    return " ".join(word.text.split())


def _tries(told: TrialStory) -> Table:
    columns = [tables.number("try"), tables.text("began"), tables.text("ended"), tables.text("")]
    rows = [
        [
            str(one.row.try_no),
            clock_time(one.row.started_t_us),
            one.row.how,
            "the outcome" if one.row.outcome else "" if one.row.stands else "run again",
        ]
        for one in told.mine
    ]
    return tables.table(columns, rows)


def _elsewhere(told: TrialStory, conditions: Sequence[str]) -> RenderableType:
    present = {one.row.condition for one in told.elsewhere}
    shown = [name for name in conditions if name in present]
    shown += sorted(present - set(shown))
    columns = [tables.text("")] + [tables.text(name) for name in shown]
    rows: list[list[tables.Cell]] = []
    by_agent = sorted(told.elsewhere, key=lambda one: one.row.agent)
    for agent, group in groupby(by_agent, key=lambda one: one.row.agent):
        mine = list(group)
        rows.append([agent, *(_marks(told, mine, name) for name in shown)])
        peaks = (_peaks([one.row for one in mine if one.row.condition == name]) for name in shown)
        rows.append([Text("  peak, MiB", style=DIM), *(Text(peak, style=DIM) for peak in peaks)])
    note = Text(
        f"{_legend(told)}  ≥ cut off by the ceiling  [ ] this trial",
        style=DIM,
    )
    return Group(tables.table(columns, rows), note, *_next(told))


def _marks(told: TrialStory, judged: Sequence[Judged], condition: str) -> Text:
    cell = Text()
    here = [one for one in judged if one.row.condition == condition]
    for one in sorted(here, key=lambda one: one.row.attempt):
        look = look_of(one.verdict.cause)
        mine = one.row.trial == told.trial
        cell.append(f"[{look.mark}]" if mine else look.mark, style=look.colour)
    return cell


def _peaks(rows: Sequence[TryRow]) -> str:
    """The highest peak of a cell; one that a kill cut off is a bound."""
    known = [(row.peak_bytes, row.kills > 0) for row in rows if row.peak_bytes is not None]
    if not known:
        return "–"
    peak, cut = max(known)
    return f"{'≥' if cut else ''}{mebibytes(peak)}"


def _legend(told: TrialStory) -> str:
    used = {look_of(one.verdict.cause) for one in told.elsewhere}
    return "  ".join(f"{look.mark} {look.words}" for look in LOOKS.values() if look in used)


def _next(told: TrialStory) -> list[Text]:
    """A pair to compare with: the same task and agent, with the other outcome."""
    passed = told.verdict is not None and told.verdict.counts_as == "pass"
    other = next(
        (
            one
            for one in told.elsewhere
            if one.row.agent == told.agent
            and one.row.trial != told.trial
            and (one.verdict.counts_as == "pass") != passed
        ),
        None,
    )
    if other is None:
        return []
    ended = "passed" if other.verdict.counts_as == "pass" else f"ended in {other.verdict.cause}"
    line = Text(f"barograph why {other.row.trial}")
    note = f"  the same task and agent at {other.row.condition}, which {ended}"
    return [line.append(note, style=DIM)]


def choices(candidates: Sequence[str]) -> str:
    """Some of several candidates, for the sentence that refuses an ambiguous name."""
    shown = ", ".join(candidates[:5])
    hidden = len(candidates) - 5
    return f"{shown} and {count(hidden, 'more', 'more')}" if hidden > 0 else shown
