"""What the runners of the large sweep tell: plan, tries, phases, commands, sandboxes, ends.

One runner works on the plan until it dies; a second finds the log, tells the tries that were
running as cancelled, and goes on. So the sweep has what real ones have: two sources, tries
without an end of their own, and trials whose second try counts. A few facts come late, with
the wall time at which they were true.
"""

import heapq
from collections.abc import Iterator, Sequence
from typing import Final

from barograph.envelope import Belongs, Event
from barograph.facts import (
    ExecFinished,
    Payload,
    Phase,
    PhaseEnd,
    PhaseFinished,
    PhaseStarted,
    SandboxState,
    SweepFinished,
    TrialFinished,
)
from barograph.log.journal import JournalLog
from barograph.writer import Said
from bench.synthetic.plan import (
    BACK_AFTER_S,
    BOOT_US,
    START_US,
    SWEEP,
    US,
    Size,
    Try,
    cut_us,
)
from bench.synthetic.traces import commands, verifier_from
from bench.synthetic.wording import (
    belongs_of,
    campaign,
    created,
    digest_of,
    finished,
    pid_of,
    plan_of,
    started,
)

SOURCES: Final = ("rlarge000001", "rlarge000002")
_BATCH: Final = 400
_LATE_ONE_IN: Final = 5_000


def tell(log: JournalLog, tries: Sequence[Try], size: Size) -> int:
    """Write what both runners tell; how many events that was."""
    written = 0
    for source, said in zip(SOURCES, _both(tries, size), strict=True):
        seq = 0
        batch: list[Event] = []
        for item in said:
            batch.append(_event(source, seq, item))
            seq += 1
            if len(batch) == _BATCH:
                log.append(batch)
                batch = []
        log.append(batch)
        written += seq
    return written


def _event(source: str, seq: int, item: Said) -> Event:
    t_us = START_US if item.t_us is None else item.t_us
    late_us = 240 * US if seq % _LATE_ONE_IN == _LATE_ONE_IN - 1 else 0
    return Event(
        source=source,
        seq=seq,
        t_us=t_us - late_us,
        mono_us=t_us - BOOT_US,
        belongs=item.belongs,
        payload=item.payload,
    )


def _both(tries: Sequence[Try], size: Size) -> tuple[Iterator[Said], Iterator[Said]]:
    cut = cut_us(size)
    before = [one for one in tries if one.start_us < cut]
    after = [one for one in tries if one.start_us >= cut]
    return _first(before, size, cut), _second(before, after, size, cut)


def _first(tries: Sequence[Try], size: Size, cut: int) -> Iterator[Said]:
    yield Said(plan_of(size), Belongs(sweep=SWEEP), START_US - 2 * US)
    yield Said(campaign(size, size.trials, resumed=False), Belongs(sweep=SWEEP), START_US - US)
    for said in _in_time(tries):
        assert said.t_us is not None
        if said.t_us >= cut:
            return
        yield said


def _second(before: Sequence[Try], after: Sequence[Try], size: Size, cut: int) -> Iterator[Said]:
    back = cut + (BACK_AFTER_S - 30) * US
    cancelled = [one for one in before if one.fate == "cancelled"]
    left = len({one.trial for one in after})
    yield Said(campaign(size, left, resumed=True), Belongs(sweep=SWEEP), back)
    for one in cancelled:
        end = TrialFinished(how="cancelled", duration_s=(back - one.start_us) / US)
        yield Said(end, belongs_of(one), back)
    last = back
    for said in _in_time(after):
        yield said
        last = said.t_us or last
    end_of_all = SweepFinished(reason="complete", trials_ended=left)
    yield Said(end_of_all, Belongs(sweep=SWEEP), last + US)


def _in_time(tries: Sequence[Try]) -> Iterator[Said]:
    """What all tries tell, in order of time."""
    waiting: list[tuple[int, int, Said]] = []
    number = 0
    for one in tries:
        while waiting and waiting[0][0] <= one.start_us:
            yield heapq.heappop(waiting)[2]
        for said in story(one):
            heapq.heappush(waiting, (said.t_us or 0, number, said))
            number += 1
    while waiting:
        yield heapq.heappop(waiting)[2]


def story(one: Try) -> list[Said]:
    """Everything that its runner tells of one try."""
    about = belongs_of(one)
    setup, verify = verifier_from(one)
    stands = one.first_us - 900_000
    told: list[tuple[int, Payload]] = [
        (one.start_us, started(one)),
        (one.start_us + 900, PhaseStarted(phase="environment", limit_s=120.0)),
    ]
    if one.fate == "no_start":
        gone = one.start_us + 700_000
        told += [(gone, _phase("environment", one.start_us + 900, gone, ok=False))]
        return [Said(fact, about, t_us) for t_us, fact in [*told, (gone + 800, finished(one))]]
    told += [
        (stands, SandboxState(state="running")),
        (stands + 150, created(one)),
        (stands + 300, _phase("environment", one.start_us + 900, stands + 300)),
    ]
    edges: list[tuple[Phase, int, int]] = [
        ("setup", 0, setup),
        ("agent", setup, verify),
        ("verifier", verify, one.seconds),
    ]
    for phase, first, last in edges:
        begun, ended = one.first_us + first * US - 800_000, one.first_us + last * US - 810_000
        if last <= first:
            continue
        told.append((begun, PhaseStarted(phase=phase, limit_s=900.0)))
        broken = phase == "agent" and one.fate in {"killed", "timeout", "error"}
        if one.fate != "cancelled":
            told.append((ended, _phase(phase, begun, ended, ok=not broken, fate=one.fate)))
    told += _execs(one)
    if one.fate == "killed":
        told.append((one.end_us - 700_000, SandboxState(state="group_killed", exit_code=137)))
    if one.fate != "cancelled":
        told.append((one.end_us + 200_000, finished(one)))
    return [Said(fact, about, t_us) for t_us, fact in told]


def _execs(one: Try) -> Iterator[tuple[int, Payload]]:
    for ordinal, command in enumerate(commands(one), 1):
        begun = one.first_us + command.first * US - 790_000
        ended = one.first_us + command.last * US - 815_000
        died = one.fate == "killed" and command.last >= one.seconds
        if one.fate == "cancelled" and command.last >= one.seconds:
            continue
        yield (
            ended,
            ExecFinished(
                phase=command.phase,
                ordinal=ordinal,
                command=command.text,
                command_digest=digest_of(command.text),
                command_truncated=False,
                started_t_us=begun,
                duration_s=(ended - begun) / US,
                how="sandbox_died" if died else "ok",
                exit_code=None if died else 0,
                output_bytes=len(command.text) * 31,
                pid=pid_of(one, ordinal),
            ),
        )


def _phase(phase: Phase, begun: int, ended: int, *, ok: bool = True, fate: str = "") -> Payload:
    how: PhaseEnd = "ok" if ok else "timeout" if fate == "timeout" else "error"
    return PhaseFinished(phase=phase, how=how, duration_s=(ended - begun) / US)
