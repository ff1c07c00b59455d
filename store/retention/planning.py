"""What would go, asked of the tables, which are up to date when they are asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from barograph.facts import LogPruned, SeqRange
from store.answers import Answers
from store.catalogue import query
from store.errors import StoreNotFoundError
from store.gaps import Ranges, by_source

if TYPE_CHECKING:
    from store.literals import Value

_RANGES_AT_ONCE: Final = 5_000
_TRIALS_AT_ONCE: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunableSweep:
    """A sweep as far as the tables hold it."""

    sweep: str
    name: str | None
    """None: its plan is gone."""
    events: int
    trials: int
    first_t_us: int
    last_t_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to go."""

    sweeps: list[PrunableSweep]
    before_t_us: int | None
    """By age: events without a sweep from before this go, too."""
    runs: list[tuple[str, int, int]]
    """(source, first, last)."""
    events: int
    trials: list[str]

    @property
    def ranges(self) -> Ranges:
        """The runs by source."""
        return by_source(self.runs)

    def facts(self, author: str) -> Iterator[LogPruned]:
        """What is to be said of it in the log; several events where it is much.

        Args:
            author: who says so.

        """
        reason = "sweep" if self.before_t_us is None else "age"
        sweeps = [one.sweep for one in self.sweeps]
        parts = max(
            1, -(-len(self.runs) // _RANGES_AT_ONCE), -(-len(self.trials) // _TRIALS_AT_ONCE)
        )
        for part in range(parts):
            runs = self.runs[part * _RANGES_AT_ONCE : (part + 1) * _RANGES_AT_ONCE]
            yield LogPruned(
                author=author,
                reason=reason,
                sweeps=sweeps,
                before_t_us=self.before_t_us,
                ranges=[SeqRange(source=name, first=low, last=high) for name, low, high in runs],
                trials=self.trials[part * _TRIALS_AT_ONCE : (part + 1) * _TRIALS_AT_ONCE],
                events=self.events if part == 0 else 0,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What was pruned before."""

    sweeps: frozenset[str]
    trials: frozenset[str]


def plan_sweep(answers: Answers, text: str) -> Plan:
    """Plan to prune the one sweep that ``text`` names: its id, a prefix of it, or its name.

    Raises:
        StoreNotFoundError: none, or several.

    """
    known = _sweeps(answers)
    found = [one for one in known if one.sweep == text] or [
        one for one in known if one.sweep.startswith(text) or one.name == text
    ]
    if len(found) != 1:
        names = ", ".join(f"{one.sweep} ({one.name})" for one in (found or known)[:5])
        raise StoreNotFoundError(
            "more than one sweep is meant" if found else "no such sweep in this store",
            field="--sweep",
            value=text,
            remedy=f"there are: {names}" if names else "there is none",
        )
    return _plan(answers, found, None)


def plan_age(answers: Answers, before_t_us: int) -> Plan:
    """Plan to prune what is from before a moment: whole sweeps, and what is of no sweep."""
    old = [one for one in _sweeps(answers) if one.last_t_us < before_t_us]
    return _plan(answers, old, before_t_us)


def past(answers: Answers) -> Past:
    """What the log says was pruned."""
    sweeps: set[str] = set()
    trials: set[str] = set()
    for row in answers.ask(query("pruned_sweeps").fill({})).rows:
        sweeps.update(map(str, cast("Sequence[object]", row[0])))
        trials.update(map(str, cast("Sequence[object]", row[1])))
    return Past(sweeps=frozenset(sweeps), trials=frozenset(trials))


def _sweeps(answers: Answers) -> list[PrunableSweep]:
    return answers.ask(query("prunable_sweeps").fill({})).to(PrunableSweep)


def _plan(answers: Answers, sweeps: list[PrunableSweep], before_t_us: int | None) -> Plan:
    names: list[Value] = [one.sweep for one in sweeps]
    asked: dict[str, Value] = {"sweeps": names, "before_t_us": before_t_us}
    rows = answers.ask(query("prunable_runs").fill(asked)).rows
    trials = answers.ask(query("prunable_trials").fill({"sweeps": names})).rows
    return Plan(
        sweeps=sweeps,
        before_t_us=before_t_us,
        runs=[(str(row[0]), int(str(row[1])), int(str(row[2]))) for row in rows],
        events=sum(int(str(row[3])) for row in rows),
        trials=[str(trial) for (trial,) in trials],
    )
