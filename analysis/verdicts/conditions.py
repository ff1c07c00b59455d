"""The condition language of policies: small, closed, and honest about what is unknown.

A condition is one of

* ``{fact = NAME, eq = VALUE}``, ``ge = NUMBER``, ``in = [VALUES]``,
* ``{fact = NAME, present = true}`` or ``absent = true``,
* ``{all = [...]}``, ``{any = [...]}``, ``{unless = [...]}``.

It holds or it is *not known to hold*; there is no third answer and no negation of a
comparison. ``ne = 0`` on an absent fact would have to be either a guess or a surprise;
``unless`` says what is meant: none of these is known to hold. For a fact with several
values (``k8s_reasons``) ``in`` holds when any of them is listed.

Conditions are objects that explain themselves: ``found`` returns the facts that made
them hold, which become the verdict's evidence.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, cast

from analysis.errors import PolicyError
from analysis.verdicts.vocabulary import FACT_NAMES, FactValue, Kind

Facts = Mapping[str, FactValue]
"""Checked evidence: known facts only."""
Found = tuple[tuple[str, FactValue | None], ...]
"""(fact, value) pairs that made a condition hold; None stands for "not known"."""
_NO_NAMES: Final[frozenset[str]] = frozenset()


class Condition(Protocol):
    """Something that is known to hold, or is not."""

    @property
    def names(self) -> frozenset[str]:
        """Facts whose presence can make it hold; empty when it holds without any."""
        ...

    def found(self, facts: Facts) -> Found | None:
        """Return the facts that make it hold, or None when it is not known to hold."""
        ...


@dataclass(frozen=True, slots=True)
class Compare:
    """One fact against one operand."""

    fact: str
    test: Callable[[FactValue], bool]

    @property
    def names(self) -> frozenset[str]:
        """The fact."""
        return frozenset({self.fact})

    def found(self, facts: Facts) -> Found | None:
        """Hold when the fact is known and passes the test."""
        value = facts.get(self.fact)
        if value is None or not self.test(value):
            return None
        return ((self.fact, value),)


@dataclass(frozen=True, slots=True)
class Absent:
    """One fact that nobody knows."""

    fact: str

    @property
    def names(self) -> frozenset[str]:
        """None: it holds for want of a fact."""
        return _NO_NAMES

    def found(self, facts: Facts) -> Found | None:
        """Hold when the fact is not known."""
        return None if self.fact in facts else ((self.fact, None),)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]

    @property
    def names(self) -> frozenset[str]:
        """The facts of the first part that needs any: without them the whole fails."""
        return next((part.names for part in self.parts if part.names), _NO_NAMES)

    def found(self, facts: Facts) -> Found | None:
        """Collect the facts of all parts."""
        collected: Found = ()
        for part in self.parts:
            found = part.found(facts)
            if found is None:
                return None
            collected += found
        return collected


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]

    @property
    def names(self) -> frozenset[str]:
        """The facts of all parts; empty when one of them needs none."""
        names = [part.names for part in self.parts]
        return _NO_NAMES.union(*names) if all(names) else _NO_NAMES

    def found(self, facts: Facts) -> Found | None:
        """Collect the facts of every part that holds: each is a reason of its own."""
        held = [found for part in self.parts if (found := part.found(facts)) is not None]
        if not held:
            return None
        return tuple(dict.fromkeys(pair for found in held for pair in found))


@dataclass(frozen=True, slots=True)
class Unless:
    """No part is known to hold."""

    parts: tuple[Condition, ...]

    @property
    def names(self) -> frozenset[str]:
        """None: it can hold without any fact."""
        return _NO_NAMES

    def found(self, facts: Facts) -> Found | None:
        """Hold without adding evidence: that something is not known proves nothing."""
        if any(part.found(facts) is not None for part in self.parts):
            return None
        return ()


_GROUPS: Final[Mapping[str, Callable[[tuple[Condition, ...]], Condition]]] = {
    "all": AllOf,
    "any": AnyOf,
    "unless": Unless,
}
_OPERATORS: Final = ("eq", "ge", "in", "present", "absent")
_NUMERIC: Final[frozenset[Kind]] = frozenset({"count", "code", "fraction"})


def parse_condition(table: object, *, where: str, field: str) -> Condition:
    """Read one condition from a policy's table.

    Args:
        table: what the file holds.
        where: the file, for errors.
        field: the place in it, such as ``rule 7 (oom_container): when.any[1]``.

    Returns:
        The condition.

    Raises:
        PolicyError: not a condition, an unknown fact or operator, or a wrong operand.

    """
    entries = _as_table(table)
    if not entries:
        remedy = "write {fact = NAME, eq|ge|in|present|absent = ...} or {all|any|unless = [...]}"
        raise PolicyError("not a condition", where=where, field=field, value=table, remedy=remedy)
    if "fact" in entries:
        return _comparison(entries, where=where, field=field)
    word = next(iter(entries))
    parts = entries[word]
    if len(entries) != 1 or word not in _GROUPS or not isinstance(parts, list) or not parts:
        remedy = "write exactly one of all, any, unless with a list that is not empty"
        raise PolicyError("not a condition", where=where, field=field, value=entries, remedy=remedy)
    return _GROUPS[word](
        tuple(
            parse_condition(part, where=where, field=f"{field}.{word}[{index}]")
            for index, part in enumerate(cast("list[object]", parts))
        )
    )


def _as_table(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _comparison(entries: Mapping[str, object], *, where: str, field: str) -> Condition:
    name, words = entries["fact"], [word for word in entries if word != "fact"]
    if not isinstance(name, str) or name not in FACT_NAMES:
        remedy = f"use one of {', '.join(FACT_NAMES)}"
        raise PolicyError("unknown fact", where=where, field=field, value=name, remedy=remedy)
    if len(words) != 1 or words[0] not in _OPERATORS:
        remedy = f"write exactly one of {', '.join(_OPERATORS)}"
        raise PolicyError("not a condition", where=where, field=field, value=words, remedy=remedy)
    word, operand, kind = words[0], entries[words[0]], FACT_NAMES[name].kind
    if word in {"present", "absent"}:
        if operand is not True:
            remedy = f"write {word} = true"
            raise PolicyError("not true", where=where, field=field, value=operand, remedy=remedy)
        return Absent(name) if word == "absent" else Compare(name, lambda _value: True)
    test = _test(word, operand, kind)
    if test is None:
        problem = f"{word} does not fit a {kind} such as {name}"
        remedy = "give an operand of the fact's kind (a list of such for in)"
        raise PolicyError(problem, where=where, field=field, value=operand, remedy=remedy)
    return Compare(name, test)


def _test(word: str, operand: object, kind: Kind) -> Callable[[FactValue], bool] | None:
    """Build the test, or None when the operand does not fit."""
    if word == "eq" and kind != "texts" and _fits(operand, kind):
        return lambda value: value == operand
    if word == "ge" and kind in _NUMERIC and _fits(operand, kind):
        least = cast("float", operand)
        return lambda value: cast("float", value) >= least
    if word == "in" and isinstance(operand, list) and kind != "flag":
        listed = frozenset(cast("Sequence[FactValue]", operand))
        if not listed or not all(_fits(item, kind) for item in listed):
            return None
        if kind == "texts":
            return lambda value: not listed.isdisjoint(cast("tuple[str, ...]", value))
        return lambda value: value in listed
    return None


def _fits(operand: object, kind: Kind) -> bool:
    if kind == "flag":
        return isinstance(operand, bool)
    if kind in {"text", "texts"}:
        return isinstance(operand, str)
    whole = isinstance(operand, int) and not isinstance(operand, bool)
    return whole or (kind == "fraction" and isinstance(operand, float))
