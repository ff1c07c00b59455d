"""What one check found."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the doctor's."""

    name: str
    state: State
    said: str
    """What is there, as a clause."""
    remedy: str | None = None
    """What would mend it; None for ``ok``."""


def ok(name: str, said: str) -> Check:
    """Nothing to mend."""
    return Check(name=name, state="ok", said=said)


def warn(name: str, said: str, remedy: str) -> Check:
    """Sweeps run, but something will be missing."""
    return Check(name=name, state="warn", said=said, remedy=remedy)


def fail(name: str, said: str, remedy: str) -> Check:
    """Sweeps cannot be run here."""
    return Check(name=name, state="fail", said=said, remedy=remedy)
