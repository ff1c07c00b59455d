"""One sentence and what stands behind it."""

from dataclasses import dataclass

from ui.palette import Hue


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of a story."""

    text: str
    evidence: tuple[str, ...] = ()
    """Events of the trial's try that it was read off, e.g. ``oom.kill 1``: their type, and
    the ordinal, phase or state that tells them apart."""
    t_us: int | None = None
    """When it happened, by the wall clock; None for what has no moment."""
    hue: Hue | None = None
    """The kind of cause, where the sentence tells one."""
