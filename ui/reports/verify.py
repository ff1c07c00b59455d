"""Whether everything is accounted for: events, tables, kills; and what is not.

The first sentence is the result. Below it stands what was compared, because "nothing is
missing" is worth only as much as what was looked at; and what this cannot see is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from analysis.wording import count, listing
from store.audit import AuditReport, SeqRun, TornTail
from store.intervals import count as seqs
from store.story import GapRow, HostKills, KillTotal
from store.tallies import Identity
from ui import tables
from ui.palette import BOLD, DIM, LOOKS

_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What ``verify`` answers."""

    ok: bool
    faults: int
    """Everything that does not add up."""
    log: AuditReport
    kills_counted: int
    """By the final counters of all sandboxes."""
    kills_told: int
    kills_wrong: tuple[KillTotal, ...]
    """Sandboxes whose counter and whose events differ."""
    kills_uncounted: tuple[KillTotal, ...]
    """Sandboxes that have not ended, or whose counters nobody read."""
    hosts: tuple[HostKills, ...]


def verified(log: AuditReport, totals: Sequence[KillTotal], hosts: Sequence[HostKills]) -> Verified:
    """Put the audits together."""
    counted = [one for one in totals if one.counted is not None]
    uncounted = tuple(one for one in totals if one.counted is None)
    wrong = tuple(one for one in counted if one.counted != one.told)
    alien = not uncounted and not wrong
    faults = log.faults + len(wrong) + sum(_faults(host, alien=alien) for host in hosts)
    return Verified(
        ok=faults == 0,
        faults=faults,
        log=log,
        kills_counted=sum(one.counted or 0 for one in counted),
        kills_told=sum(one.told for one in totals),
        kills_wrong=wrong,
        kills_uncounted=uncounted,
        hosts=tuple(hosts),
    )


def _faults(host: HostKills, *, alien: bool) -> int:
    """Kills of a host that may be ours and have no event.

    Where every sandbox's own counter was read and agrees with its events (``alien``), a kill
    that nobody claims happened elsewhere, and the kernel log, which is rate-limited, did not
    tell of it. More kills of ours than the kernel counted are wrong in any case.
    """
    return 0 if alien and host.unclaimed > 0 else abs(host.unclaimed)


def render(found: Verified) -> RenderableType:
    """Show the result for people."""
    rows = [*_log_rows(found.log), *_kill_rows(found)]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for fine, what, said in rows:
        mark = ("ok", LOOKS["pass"].colour) if fine else ("FAIL", BOLD)
        grid.add_row(Text.assemble(mark), what, said)
    note = "Not seen by this: events that a writer was promised and that left no trace at all."
    return Group(
        tables.answer(_sentence(found)),
        Text(),
        grid,
        *_details(found),
        Text(),
        Text(note, style=DIM),
    )


def _sentence(found: Verified) -> str:
    events = count(found.log.events_in_log, "event")
    writers = count(found.log.sources, "writer")
    if found.ok:
        return f"Everything is accounted for: {events} of {writers}, {_kills(found.kills_told)}."
    return f"{count(found.faults, 'thing does', 'things do')} not add up, of {events}."


def _kills(told: int) -> str:
    return "no kill" if not told else count(told, "kill")


def _log_rows(log: AuditReport) -> list[tuple[bool, str, str]]:
    gaps = sum(gap.last - gap.first + 1 for gap in log.gaps_unexplained)
    given_up = f"; {log.gaps_explained:,} explained" if log.gaps_explained else ""
    missing, extra = _number(log.missing), _number(log.extra)
    contents = len(log.different) + len(log.conflicting) + len(log.doubled)
    noted = len(log.gaps_misnoted) + len(log.dead_letters_misnoted)
    return [
        (gaps == 0, "sequence", f"{_none(gaps)} missing in the log{given_up}"),
        (missing == 0, "tables", f"{_none(missing)} of the log missing in the tables"),
        (extra == 0, "tables", f"{_none(extra)} in the tables that the log does not have"),
        (contents == 0, "contents", f"{_none(contents)} with other contents, or twice"),
        (noted == 0, "lines", f"{count(log.dead_letters, 'line is', 'lines are')} no events"),
        *(
            [(True, "pruned", f"{count(log.pruned_in_log, 'line')} of the log, in no table")]
            if log.pruned_in_log
            else []
        ),
        *(
            [(True, "waiting", f"{count(log.waiting, 'line')} not loaded yet")]
            if log.waiting
            else []
        ),
    ]


def _kill_rows(found: Verified) -> list[tuple[bool, str, str]]:
    said = (
        f"the sandboxes' own counters say {found.kills_counted:,}, "
        f"and {found.kills_told:,} have an event"
    )
    if found.kills_uncounted:
        said += f"; {count(len(found.kills_uncounted), 'sandbox', 'sandboxes')} not read at the end"
    rows = [(not found.kills_wrong, "kills", said)]
    for host in found.hosts:
        fault = _faults(host, alien=not found.kills_wrong and not found.kills_uncounted)
        rows.append((fault == 0, "host", _host(host, fault)))
    if not found.hosts:
        rows.append((True, "host", "its own count was never sampled: not audited"))
    return rows


def _host(host: HostKills, fault: int) -> str:
    text = f"the kernel of {host.host} counted {host.counted:,}: {host.attributed:,} ours"
    text += f", {host.foreign:,} of others"
    if fault:
        text += f", {host.unclaimed:,} nobody claims"
    elif host.unclaimed:
        text += f", {host.unclaimed:,} elsewhere that the kernel log left out"
    if host.outside:
        text += f" ({host.outside:,} of ours outside the audited time)"
    return text


def _none(number: int) -> str:
    return f"{number:,}" if number else "none"


def _number(runs: Sequence[SeqRun]) -> int:
    return seqs((run.first, run.last) for run in runs)


def _details(found: Verified) -> list[RenderableType]:
    log = found.log
    lines = [
        *_some("in the log, not in the tables", map(_run, log.missing)),
        *_some("in the tables, not in the log", map(_run, log.extra)),
        *_some("never seen", map(_gap, log.gaps_unexplained)),
        *_some("other contents", log.different),
        *_some("twice in the log with other contents", map(_identity, log.conflicting)),
        *_some("twice in the tables", map(_identity, log.doubled)),
        *_some("noted gaps are not the log's", log.gaps_misnoted),
        *_some("noted dead letters are not the log's", log.dead_letters_misnoted),
        *_some("counter and events differ", map(_total, found.kills_wrong)),
        *_some("a last line without its end (no fault)", map(_torn, log.torn_tails)),
    ]
    return [tables.section("Which", tables.bullets(lines))] if lines else []


def _some(what: str, found: Iterable[str]) -> list[str]:
    names = list(found)
    if not names:
        return []
    return [f"{what}: {listing(names, most=_MOST_NAMED)}"]


def _run(run: SeqRun) -> str:
    return f"{run.source} {_span(run.first, run.last)}"


def _gap(gap: GapRow) -> str:
    return f"{gap.source} {_span(gap.first, gap.last)}"


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _identity(one: Identity) -> str:
    return f"{one.source} {one.seq}"


def _total(one: KillTotal) -> str:
    return f"trial {one.trial} try {one.try_no} (counter {one.counted}, events {one.told})"


def _torn(tail: TornTail) -> str:
    return f"{tail.stream} at byte {tail.offset:,}, {tail.size_bytes:,} bytes"
