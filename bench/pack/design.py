"""What the demo should show, computed from the stated peaks before anything is run.

A trial of the demo is decided by three things: which way its agent takes (by the trial's
seed), whether that way's program fits under the ceiling, and whether its answer is right.
All three are known beforehand, so the whole sweep can be foreseen for any seed. This is how
the tasks were chosen; the seed was not: it is 1, whatever comes out.
"""

import importlib.util
import sys
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Final, NamedTuple, Protocol

from bench.pack.lab import EXAMPLES, MIB, WAYS, Way
from bench.pack.peaks import TaskPeaks, stated
from runner.plan import plan
from runner.sweeps import Sweep, load_sweep

SWEEP: Final = EXAMPLES / "ceilings.toml"
OVERHEAD_MB: Final = 1.0
"""What a sandbox holds beside the program: little but the shell that waits for it."""
AGENTS: Final = ("brute", "thrifty")


class Taste(Protocol):
    """What ``examples/agents/scripted.py`` calls so."""

    @property
    def preference(self) -> float:
        """How often it takes the way it prefers."""
        ...

    @property
    def prefers(self) -> str:
        """``lean`` or ``heavy``."""
        ...


def _load(name: str) -> ModuleType:
    """A module of the agents, which are scripts and no package."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / "agents" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def scripted() -> ModuleType:
    """What the agents share."""
    return _load("scripted")


def taste(agent: str) -> Taste:
    """Of one of the two agents, from its own script."""
    scripted()
    found: Taste = _load(agent).TASTE
    return found


def way_of(agent: str, seed: int) -> Way:
    """Which way the agent takes when a trial has this seed, by the agents' own function."""
    way = scripted().plan(taste(agent), seed).way
    return "heavy" if way == "heavy" else "lean"


class Foreseen(NamedTuple):
    """How one trial should end under OOM scope ``sandbox``."""

    way: Way
    killed: bool
    passed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Of one agent under one ceiling, over tasks and attempts."""

    score: float
    infra: float


def ending(peaks: TaskPeaks, way: Way, ceiling_bytes: int | None) -> Foreseen:
    """One trial, when its way is known; None: no ceiling."""
    peak = peaks.lean if way == "lean" else peaks.heavy
    needs_bytes = (peak.needs_mb + OVERHEAD_MB) * MIB
    killed = ceiling_bytes is not None and needs_bytes > ceiling_bytes
    return Foreseen(way, killed, peak.right is True and not killed)


def foresee(sweep: Sweep, table: dict[str, TaskPeaks]) -> dict[tuple[str, str], Rates]:
    """(agent, condition) -> rates of the planned trials."""
    ends: dict[tuple[str, str], list[Foreseen]] = {}
    for trial in plan(sweep, "foreseen"):
        limits = sweep.limits[trial.condition, trial.task]
        way = way_of(trial.agent, trial.seed)
        end = ending(table[trial.task], way, limits.memory_ceiling_bytes)
        ends.setdefault((trial.agent, trial.condition), []).append(end)
    return {
        cell: Rates(
            score=sum(end.passed for end in found) / len(found),
            infra=sum(end.killed for end in found) / len(found),
        )
        for cell, found in ends.items()
    }


def expected(sweep: Sweep, table: dict[str, TaskPeaks]) -> dict[tuple[str, str], Rates]:
    """The same, over all seeds: each way weighed by how often the agent takes it."""
    rates: dict[tuple[str, str], Rates] = {}
    for agent in AGENTS:
        heavy = taste(agent).preference
        if taste(agent).prefers == "lean":
            heavy = 1 - heavy
        for condition in sweep.conditions:
            score = infra = 0.0
            for task, peaks in table.items():
                ceiling = sweep.limits[condition.name, task].memory_ceiling_bytes
                for way in WAYS:
                    end = ending(peaks, way, ceiling)
                    weight = (heavy if way == "heavy" else 1 - heavy) / len(table)
                    score += weight * end.passed
                    infra += weight * end.killed
            rates[agent, condition.name] = Rates(score=score, infra=infra)
    return rates


def report(seeds: range = range(1, 21)) -> str:
    """Expectation, then seed by seed the two things that the demo has to show."""
    sweep, table = load_sweep(SWEEP), stated()
    names = [condition.name for condition in sweep.conditions]
    rates = expected(sweep, table)
    lines = [f"{'expected':22}" + "".join(f"{name:>10}" for name in names)]
    for agent in AGENTS:
        for what in ("score", "infra"):
            numbers = [100 * getattr(rates[agent, name], what) for name in names]
            lines.append(f"{agent + ' ' + what:22}" + "".join(f"{one:10.1f}" for one in numbers))
    for seed in seeds:
        found = foresee(replace(sweep, seed=seed), table)
        gaps = [100 * (found["brute", name].score - found["thrifty", name].score) for name in names]
        infra = [50 * (found["brute", name].infra + found["thrifty", name].infra) for name in names]
        text = f"seed {seed:3}  brute - thrifty " + "".join(f"{gap:+7.1f}" for gap in gaps)
        lines.append(text + "   infra " + "".join(f"{one:6.1f}" for one in infra))
    return "\n".join(lines)
