"""What the sandboxes of the large sweep used, second by second, as a collector would say it.

A trace is a base that creeps up, and a rise for every command that the agent runs; the
tallest reaches the trial's need. In between are spikes shorter than a second, which only the
interval's peak shows. Peak is never below usage, nothing is above the ceiling, and a killed
trial ends with its peak at the ceiling and one kill counted. All bytes are whole pages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from barograph.facts import Phase, Sample
from barograph.units import MIB
from bench.synthetic.plan import US, Try, dice_of

_PAGES: Final = -4096
Rand = Callable[[], float]
_COMMANDS: Final = (
    "pip install --quiet -r requirements.txt",
    "python3 solve.py --chunk {n}",
    "pytest -q tests/test_{n}.py",
    "make -j4 all",
    "rg --files-with-matches 'TODO' src | head -{n}",
    "python3 - <<'EOF'\nimport data\nprint(data.load({n}).describe())\nEOF",
    "sort -S 50% -k{n} input.tsv > sorted.tsv",
    "node build.js --step {n}",
)
VICTIMS: Final = ("python3", "node", "sort", "cc1plus", "java")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of a try, in seconds from its first sample."""

    phase: Phase
    text: str
    first: int
    last: int
    """Exclusive, and after ``first``."""
    height: float
    """Of the trial's need, which it reaches."""


def commands(one: Try) -> list[Command]:
    """What ran in the sandbox, in order; nothing in one that never stood."""
    if one.seconds < 8:
        return []
    dice = dice_of("commands", one.number, one.try_no)
    setup, verify = verifier_from(one)
    made = [Command(phase="setup", text="bash setup.sh", first=0, last=setup, height=0.1)]
    count = dice.randrange(3, 9)
    room = (verify - setup) / count
    tallest = count - 1 if one.fate == "killed" else dice.randrange(count)
    for number in range(count):
        first = setup + int(number * room)
        last = max(first + 1, setup + int((number + dice.uniform(0.5, 0.98)) * room))
        if one.fate == "killed" and number == tallest:
            last = max(first + 1, verify)
        made.append(
            Command(
                phase="agent",
                text=dice.choice(_COMMANDS).format(n=dice.randrange(2, 60)),
                first=first,
                last=last,
                height=1.0 if number == tallest else dice.uniform(0.1, 0.8),
            )
        )
    if one.fate not in {"killed", "cancelled"}:
        made.append(
            Command(
                phase="verifier",
                text="/tests/test.sh",
                first=verify,
                last=one.seconds,
                height=0.15,
            )
        )
    return made


def verifier_from(one: Try) -> tuple[int, int]:
    """The seconds at which its agent and its verifier began (the end, without a verifier)."""
    dice = dice_of("phases", one.number, one.try_no)
    setup = min(dice.randrange(2, 9), one.seconds // 4)
    if one.fate in {"killed", "cancelled"}:
        return setup, one.seconds
    return setup, max(setup + 1, one.seconds - min(dice.randrange(6, 45), one.seconds // 4))


def moment_us(one: Try, tick_us: int) -> int:
    """When in a tick its cgroup was read: in turn with the others, never quite on time."""
    return tick_us + 180 + one.slot * 37 + (tick_us // US) ** 2 * 7_919 % 211


def trace(one: Try) -> Iterator[Sample]:
    """Its samples, one a second, read at the moments that ``moment_us`` gives."""
    dice = dice_of("trace", one.number, one.try_no)
    rand = dice.random
    ceiling = one.ceiling_bytes
    top = float(ceiling if ceiling is not None else 1 << 40)
    before = one.first_us - 600_000
    killed_at = one.seconds - 1 if one.fate == "killed" else -1
    cache = dice.uniform(2, 40) * MIB
    level = 3.0 * MIB
    for second, goal in enumerate(_goals(one)):
        busy = goal > level
        level += (goal - level) * (0.3 + 0.3 * rand()) + (rand() - 0.5) * 0.01 * goal
        cache += rand() * 40_000
        anon = min(level, top * 0.995)
        usage = min(anon + cache, top)
        peak = usage + (rand() * 0.25 * usage if rand() < 0.03 else rand() * 60_000)
        hits = 0
        if peak >= top:
            peak, hits = top, int(1 + rand() * 20)
        killed = second == killed_at
        if killed:
            peak, usage, anon = top, top * 0.4, top * 0.3
        at = moment_us(one, one.first_us + second * US)
        now = _Reading(usage, anon, cache, peak, hits, busy=busy, killed=killed)
        yield _sample(now, at - before, ceiling, rand)
        before = at


class _Reading(NamedTuple):
    """What a sandbox is at in a second."""

    usage: float
    anon: float
    cache: float
    peak: float
    hits: int
    busy: bool
    killed: bool


def _sample(now: _Reading, interval_us: int, ceiling: int | None, rand: Rand) -> Sample:
    """As the kernel would say it: whole pages, and no peak below what is charged."""
    stall = int(rand() * 400_000) if now.hits else int(rand() * 900)
    work = rand()
    cpu = int(work * (1_900_000 if now.busy else 300_000))
    throttled = int(work * 9) if now.busy and work > 0.6 else 0
    resident = int(now.anon) & _PAGES
    charged = max(int(now.usage) & _PAGES, resident)
    return Sample(
        interval_us=interval_us,
        usage_bytes=charged,
        working_set_bytes=max(resident, charged - (int(now.cache * 0.4) & _PAGES)),
        anon_bytes=resident,
        peak_bytes=max(int(now.peak) & _PAGES, charged),
        peak_kind=0,
        limit_bytes=ceiling,
        oom_delta=int(now.killed),
        oom_kill_delta=int(now.killed),
        psi_memory_some_us=stall,
        psi_memory_full_us=stall // 3,
        psi_cpu_some_us=cpu >> 4,
        psi_cpu_full_us=0,
        psi_io_some_us=int(work * 5_000),
        psi_io_full_us=int(work * 1_200),
        cpu_usage_us=cpu,
        cpu_periods=10,
        cpu_throttled_periods=throttled,
        cpu_throttled_us=throttled * 41_300,
        pids=3 + int(work * 14),
        io_read_bytes=int(rand() * 3_000_000) & _PAGES if now.busy else 0,
        io_write_bytes=int(work * 900_000) & _PAGES,
        limit_hits=now.hits,
    )


def _goals(one: Try) -> list[float]:
    """Where memory is heading in each second."""
    base = min(one.need_bytes * 0.12, 60.0 * MIB)
    creep = one.need_bytes * 0.15 / max(one.seconds, 1)
    goals = [base + creep * second for second in range(one.seconds)]
    said = commands(one)
    for command in said:
        fatal = one.fate == "killed" and command is said[-1]
        # The last rise of a killed trial is a leak that ends a little above its ceiling.
        height = (one.ceiling_bytes or 0) * 1.05 if fatal else one.need_bytes * command.height
        length = command.last - command.first
        for second in range(command.first, min(command.last, one.seconds)):
            share = (second - command.first + 1) / length
            share = share**1.5 if fatal else min(1.0, 1.6 * share)
            goals[second] = max(goals[second], height * share)
    return goals
