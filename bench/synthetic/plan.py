"""What the large sweep is: tasks, agents, ceilings, and the fate and time of every try.

Everything follows from the size and one seed, so that a rebuilt sweep is the same to the
byte, and a figure that moved has another cause. Each trial draws from dice of its own (seeded
by its number), so nothing changes when the order of drawing does.

A trial is decided by its *need*: the most memory that its agent's way would take, log-normal
about its task's and agent's habit. A need above the ceiling is killed nine times in ten
(otherwise the agent settles for less); one below it passes as often as the agent is good at
the task. Lengths are log-normal too and then scaled to the number of samples asked for.
"""

import heapq
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from barograph.ids import trial_id
from barograph.units import GIB, MIB

SEED: Final = 20_261_130
SWEEP: Final = "slargesynth"
START_US: Final = 1_764_000_000_000_000
"""Some midnight's neighbour in November 2025; the sweep lasts the better part of two days."""
BOOT_US: Final = START_US - 86_400_000_000
US: Final = 1_000_000

CEILINGS: Final = (("1x", 1.0), ("1.5x", 1.5), ("2x", 2.0), ("3x", 3.0), ("uncapped", None))
AGENTS: Final = ("brute", "careful", "planner", "swift", "thrifty")
KINDS: Final = ("compile", "covariance", "crawl", "dedupe", "diff", "index", "join", "sort")
_MEAN_S: Final = 720
_SHORTEST_S: Final = 40
_LONGEST_S: Final = 7_200
_CUT_AT: Final = 0.6
"""Where in its time the sweep's runner dies once and another goes on."""
BACK_AFTER_S: Final = 90

Fate = Literal[
    "passed", "failed", "killed", "timeout", "error", "verifier_error", "no_start", "cancelled"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a sweep."""

    tasks: int = 200
    attempts: int = 10
    hosts: int = 4
    slots: int = 60
    """Trials at a time on each host."""

    @classmethod
    def scaled(cls, scale: float) -> "Size":
        """A part of the full size: fewer tasks, and fewer of them at once."""
        return cls(tasks=max(2, round(200 * scale)), slots=max(5, round(60 * min(scale, 1))))

    @property
    def trials(self) -> int:
        """Of the whole plan."""
        return self.tasks * len(CEILINGS) * len(AGENTS) * self.attempts

    @property
    def samples(self) -> int:
        """Of the whole sweep, a second each, but for the few that gaps and restarts cost."""
        return self.trials * _MEAN_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task and what it tends to need."""

    name: str
    spec_bytes: int
    habit: float
    """Median need of an agent of no special habit, in multiples of the spec."""
    ease: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One try of a trial, when and where it ran, and what became of it."""

    number: int
    """Of the trial in the plan."""
    trial: str
    try_no: int
    task: Task
    agent: str
    condition: str
    multiple: float | None
    attempt: int
    need_bytes: int
    fate: Fate
    seconds: int
    """Samples it gives; 0 for a sandbox that never stood."""
    host: int = 0
    slot: int = 0
    start_us: int = 0

    @property
    def target(self) -> str:
        """Name of its sandbox."""
        return f"{self.trial}-{self.try_no}"

    @property
    def ceiling_bytes(self) -> int | None:
        """In force, page-aligned as a kernel has it."""
        if self.multiple is None:
            return None
        return int(self.task.spec_bytes * self.multiple) >> 12 << 12

    @property
    def first_us(self) -> int:
        """Its first whole second in the sandbox: where its samples begin."""
        return (self.start_us // US + 2) * US

    @property
    def end_us(self) -> int:
        """Its last sample is a second earlier."""
        return self.first_us + self.seconds * US


def dice_of(*what: object) -> random.Random:
    """Dice that depend on nothing but ``what``."""
    return random.Random("/".join(map(str, (SEED, *what))))


def tasks(size: Size) -> list[Task]:
    """The tasks, cheap and dear, easy and hard."""
    made: list[Task] = []
    for number in range(size.tasks):
        dice = dice_of("task", number)
        made.append(
            Task(
                name=f"{KINDS[number % len(KINDS)]}-{number:03d}",
                spec_bytes=dice.choice((256, 512, 1024, 2048, 4096)) * MIB,
                habit=dice.lognormvariate(-0.35, 0.4),
                ease=dice.betavariate(1.6, 1.2),
                length=dice.lognormvariate(0.0, 0.5),
            )
        )
    return made


def tries(size: Size) -> list[Try]:
    """Every try in the order in which they began."""
    drawn = list(planned(size))
    scale = size.samples / sum(each.seconds for each in drawn)
    whole = [replace(each, seconds=round(each.seconds * scale)) for each in drawn]
    # As a runner does: whole blocks of the plan, each in an order of its own.
    whole.sort(key=lambda each: (each.attempt, dice_of("order", each.number).random()))
    return _scheduled(whole, size)


def cut_us(size: Size) -> int:
    """When the first runner died."""
    return START_US + int(size.samples / (size.hosts * size.slots) * _CUT_AT) * US


def planned(size: Size) -> Iterator[Try]:
    """Every trial of the plan, with lengths that are not scaled yet."""
    number = 0
    for task in tasks(size):
        for agent in AGENTS:
            for condition, multiple in CEILINGS:
                for attempt in range(1, size.attempts + 1):
                    yield _one(number, task, agent, (condition, multiple), attempt)
                    number += 1


def _one(
    number: int, task: Task, agent: str, ceiling: tuple[str, float | None], attempt: int
) -> Try:
    dice = dice_of("trial", number)
    condition, multiple = ceiling
    rank = AGENTS.index(agent)
    taste = (1.45, 0.95, 1.05, 1.15, 0.8)[rank]
    skill = (0.55, 0.5, 0.7, 0.45, 0.4)[rank]
    need = task.spec_bytes * task.habit * taste * dice.lognormvariate(0.0, 0.3)
    need = min(need, 24.0 * GIB)
    seconds = 500 * task.length * dice.lognormvariate(0.0, 0.55)
    fate = _fate(dice, passes=0.25 * skill + 0.75 * task.ease * (0.5 + skill))
    if multiple is not None and need > task.spec_bytes * multiple and fate != "no_start":
        if dice.random() < 0.9:
            fate, seconds = "killed", seconds * dice.uniform(0.15, 0.95)
        else:
            need = task.spec_bytes * multiple * 0.97
    seconds = 0 if fate == "no_start" else min(max(seconds, _SHORTEST_S), _LONGEST_S)
    return Try(
        number=number,
        trial=trial_id(
            sweep=SWEEP, condition=condition, agent=agent, task=task.name, attempt=attempt
        ),
        try_no=1,
        task=task,
        agent=agent,
        condition=condition,
        multiple=multiple,
        attempt=attempt,
        need_bytes=max(int(need), 24 * MIB),
        fate=fate,
        seconds=math.ceil(seconds),
    )


def _fate(dice: random.Random, passes: float) -> Fate:
    throw = dice.random()
    rare: tuple[tuple[float, Fate], ...] = (
        (0.004, "no_start"),
        (0.012, "error"),
        (0.020, "verifier_error"),
        (0.050, "timeout"),
    )
    for below, fate in rare:
        if throw < below:
            return fate
    return "passed" if dice.random() < passes else "failed"


def _scheduled(waiting: Sequence[Try], size: Size) -> list[Try]:
    """Give every try its slot; those that run when the runner dies are run once more."""
    cut = cut_us(size)
    free = [
        (START_US + 137_000 * slot + 31_000 * host, host, slot)
        for host in range(size.hosts)
        for slot in range(size.slots)
    ]
    heapq.heapify(free)
    queue = list(reversed(waiting))
    again: list[Try] = []
    done: list[Try] = []
    while queue or again:
        at, host, slot = heapq.heappop(free)
        if again and (at >= cut or not queue):
            one, at = again.pop(), max(at, cut + BACK_AFTER_S * US)
        else:
            one = queue.pop()
        one = replace(one, host=host, slot=slot, start_us=at)
        if one.start_us < cut < one.end_us + US:
            seconds = max(0, (cut - one.first_us) // US)
            again.append(replace(one, try_no=2))
            one = replace(one, fate="cancelled", seconds=seconds)
            ready = cut + BACK_AFTER_S * US + 137_000 * slot
        else:
            pause = dice_of("pause", one.number, one.try_no).randrange(400_000, 2_500_000)
            ready = one.end_us + US + pause
        done.append(one)
        heapq.heappush(free, (ready, host, slot))
    return sorted(done, key=lambda each: (each.start_us, each.number))
