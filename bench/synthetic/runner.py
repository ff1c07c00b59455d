"""What the runners of the large sweep tell: plan, tries, phases, commands, sandboxes, ends.

One runner works on the plan until it dies; a second finds the log, tells the tries that were
running as cancelled, and goes on. So the sweep has what real ones have: two sources, tries
without an end of their own, and trials whose second try counts. A few facts come late, with
the wall time at which they were true.
"""

import hashlib
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
    Raised,
    SandboxCreated,
    SandboxState,
    SweepFinished,
    SweepPlanned,
    SweepStarted,
    TrialFinished,
    TrialStarted,
)
from barograph.log.journal import JournalLog
from barograph.units import GIB
from barograph.writer import Said
from bench.synthetic.plan import (
    AGENTS,
    BACK_AFTER_S,
    BOOT_US,
    CEILINGS,
    SEED,
    START_US,
    SWEEP,
    US,
    Size,
    Try,
    cut_us,
    dice_of,
    tasks,
)
from bench.synthetic.traces import commands, verifier_from

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


def host_name(host: int) -> str:
    """As the collector and the runner call it."""
    return f"node-{host + 1}"


def belongs_of(one: Try) -> Belongs:
    """Of everything about a try."""
    return Belongs(sweep=SWEEP, trial=one.trial, try_no=one.try_no, target=one.target)


def pid_of(one: Try, ordinal: int) -> int:
    """Of a command, which is its session too."""
    return 2_000 + (one.number * 12 + ordinal) % 4_000_000


def digest_of(text: str) -> str:
    """As the runner writes digests."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


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
    yield Said(_planned(size), Belongs(sweep=SWEEP), START_US - 2 * US)
    yield Said(_campaign(size, size.trials, resumed=False), Belongs(sweep=SWEEP), START_US - US)
    for said in _in_time(tries):
        assert said.t_us is not None
        if said.t_us >= cut:
            return
        yield said


def _second(before: Sequence[Try], after: Sequence[Try], size: Size, cut: int) -> Iterator[Said]:
    back = cut + (BACK_AFTER_S - 30) * US
    cancelled = [one for one in before if one.fate == "cancelled"]
    left = len({one.trial for one in after})
    yield Said(_campaign(size, left, resumed=True), Belongs(sweep=SWEEP), back)
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
        for said in _story(one):
            heapq.heappush(waiting, (said.t_us or 0, number, said))
            number += 1
    while waiting:
        yield heapq.heappop(waiting)[2]


def _story(one: Try) -> list[Said]:
    """Everything that its runner tells of one try."""
    about = belongs_of(one)
    setup, verify = verifier_from(one)
    stands = one.first_us - 900_000
    told: list[tuple[int, Payload]] = [
        (one.start_us, _started(one)),
        (one.start_us + 900, PhaseStarted(phase="environment", limit_s=120.0)),
    ]
    if one.fate == "no_start":
        gone = one.start_us + 700_000
        told += [(gone, _phase("environment", one.start_us + 900, gone, ok=False))]
        return [Said(fact, about, t_us) for t_us, fact in [*told, (gone + 800, _finished(one))]]
    told += [
        (stands, SandboxState(state="running")),
        (stands + 150, _created(one)),
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
        told.append((one.end_us + 200_000, _finished(one)))
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


def _started(one: Try) -> TrialStarted:
    return TrialStarted(
        task=one.task.name,
        task_digest=digest_of(one.task.name),
        agent=one.agent,
        condition=one.condition,
        attempt=one.attempt,
        host=host_name(one.host),
        block=one.attempt - 1,
        model=f"maker/model-{one.agent}",
        spec_memory_bytes=one.task.spec_bytes,
        spec_cpu_cores=1.0,
        spec_from="task",
        memory_floor_multiple=1.0,
        memory_ceiling_multiple=one.multiple,
        seed=dice_of("seed", one.number).getrandbits(31),
    )


def _created(one: Try) -> SandboxCreated:
    ceiling = one.ceiling_bytes
    return SandboxCreated(
        driver="local",
        node=host_name(one.host),
        oom_scope="sandbox",
        oom_scope_enforced_by="kernel",
        kernel="6.12.0",
        cgroup_version=2,
        cgroup_path=f"/barograph/large/{one.target}",
        asked_memory_floor_bytes=one.task.spec_bytes,
        asked_memory_ceiling_bytes=ceiling,
        applied_memory_floor_bytes=one.task.spec_bytes,
        applied_memory_ceiling_bytes=ceiling,
        parent_cap_bytes=240 * GIB,
        pids_limit=1024,
        network="public",
        cpu_model="Some Processor",
        flags=["host_files"],
    )


def _finished(one: Try) -> TrialFinished:
    dice = dice_of("end", one.number, one.try_no)
    tokens = dice.randrange(9_000, 900_000)
    duration_s = (one.end_us + 200_000 - one.start_us) / US
    if one.fate in {"error", "no_start"}:
        kind = "SandboxStartError" if one.fate == "no_start" else "AgentConnectionError"
        raised = Raised(type=kind, message="the other side went away")
        return TrialFinished(how="error", duration_s=duration_s, exceptions=[raised])
    killed, timeout, unread = (one.fate == fate for fate in ("killed", "timeout", "verifier_error"))
    rewards = {"reward": 1.0 if one.fate == "passed" else 0.0}
    return TrialFinished(
        how="sandbox_died" if killed else "completed",
        duration_s=duration_s,
        rewards=None if killed or unread else rewards,
        verifier_ran=not killed,
        verifier_exit=None if killed else 2 if unread else 0,
        verifier_error="RewardFileNotFoundError" if unread else None,
        timed_out_phase="agent" if timeout else None,
        sandbox_exit=137 if killed else None,
        agent_exit=1 if killed else None if timeout else 0,
        tokens_in=tokens,
        tokens_out=tokens // 20,
        cost_usd=round(tokens * 3e-6, 6),
    )


def _campaign(size: Size, left: int, *, resumed: bool) -> SweepStarted:
    return SweepStarted(
        host=host_name(0),
        pid=4_242 + resumed,
        concurrency=size.hosts * size.slots,
        resumed=resumed,
        trials_left=left,
    )


def _planned(size: Size) -> SweepPlanned:
    names = [task.name for task in tasks(size)]
    return SweepPlanned(
        name="large",
        digest=digest_of(f"{SEED} {size}"),
        seed=SEED,
        trials=size.trials,
        attempts=size.attempts,
        spec={"sweep": {"name": "large", "seed": SEED, "attempts": size.attempts}},
        product_version="0",
        harness="barograph",
        tasks={name: digest_of(name) for name in names},
        dataset="synthetic",
        oom_scope="sandbox",
        conditions=[name for name, _ in CEILINGS],
        agents=list(AGENTS),
    )
