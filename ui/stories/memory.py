"""What memory a try asked for, was given and used; a peak at the ceiling is cut off."""

from dataclasses import dataclass
from typing import Final

from barograph.metrics import PeakKind
from barograph.units import format_bytes
from store.story import BegunRow, SandboxEndRow, SandboxRow, Story, UsageRow
from ui.stories.said import Said
from ui.text import UNKNOWN, clock_time

_CUT_OFF_FROM: Final = 0.99
"""A peak this near to the ceiling was held there by it: the rest is the kernel's rounding."""
_PEAK_WORDS: Final = {
    PeakKind.INTERVAL: "the true peak of each second",
    PeakKind.LIFETIME: "the kernel's peak since the sandbox began",
    PeakKind.SAMPLED: "the highest that polling saw: a lower bound",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The numbers behind the sentences."""

    spec_bytes: int | None
    ceiling_bytes: int | None
    """As applied; None: uncapped."""
    parent_cap_bytes: int | None
    peak_bytes: int | None
    peak_t_us: int | None
    cut_off: bool
    """The ceiling held the peak: more was wanted."""
    kills: int
    said: tuple[Said, ...]


def memory(story: Story, try_no: int) -> Memory:
    """Tell asked, applied and used memory of one try."""
    begun = next((row for row in story.begun if row.try_no == try_no), None)
    box = next((row for row in story.sandboxes if row.try_no == try_no), None)
    end = next((row for row in story.sandbox_ends if row.try_no == try_no), None)
    usage = next((row for row in story.usage if row.try_no == try_no), None)
    ceiling = None if box is None else box.applied_memory_ceiling_bytes
    cap = None if box is None else box.parent_cap_bytes
    peaks = [row.peak_bytes for row in (end, usage) if row is not None and row.peak_bytes]
    peak = max(peaks, default=None)
    kills = sum(kill.try_no == try_no for kill in story.kills)
    counted = 0 if end is None else end.oom_kill_total or 0
    limit = ceiling or cap
    cut_off = peak is not None and limit is not None and peak >= _CUT_OFF_FROM * limit
    said: list[Said] = []
    if begun is not None:
        said.append(_asked(begun, box))
    if box is not None:
        said.append(_applied(box))
    said.append(_used(peak, limit, usage, end, cut_off=cut_off))
    said += _flags(box)
    return Memory(
        spec_bytes=None if begun is None else begun.spec_memory_bytes,
        ceiling_bytes=ceiling,
        parent_cap_bytes=cap,
        peak_bytes=peak,
        peak_t_us=None if usage is None else usage.peak_t_us,
        cut_off=cut_off,
        kills=max(kills, counted),
        said=tuple(said),
    )


def _asked(begun: BegunRow, box: SandboxRow | None) -> Said:
    whose = {"task": "the task's own spec", "sweep": "the sweep's default spec"}
    spec = (
        f"{whose.get(begun.spec_from or '', 'a spec')}, {format_bytes(begun.spec_memory_bytes)}"
        if begun.spec_memory_bytes is not None
        else "no spec is stated"
    )
    floor = None if box is None else box.asked_memory_floor_bytes
    ceiling = None if box is None else box.asked_memory_ceiling_bytes
    text = (
        f"Asked: floor {_multiple(floor, begun.memory_floor_multiple, 'none')}, "
        f"ceiling {_multiple(ceiling, begun.memory_ceiling_multiple, 'uncapped')} ({spec})."
    )
    return Said(text=text, evidence=("trial.started", "sandbox.created"))


def _multiple(size: int | None, factor: float | None, nothing: str) -> str:
    if size is None:
        return nothing
    return format_bytes(size) + ("" if factor is None else f" = {factor:g}x")


def _applied(box: SandboxRow) -> Said:
    floor = box.applied_memory_floor_bytes
    ceiling = box.applied_memory_ceiling_bytes
    cap = format_bytes(box.parent_cap_bytes)
    shown = (
        f"none of its own, {cap} for all sandboxes together"
        if ceiling is None
        else (format_bytes(ceiling))
    )
    version = UNKNOWN if box.cgroup_version is None else f"v{box.cgroup_version}"
    text = (
        f"Applied: floor {format_bytes(floor)}, ceiling {shown}; read back from cgroup {version}."
    )
    return Said(text=text, evidence=("sandbox.created",))


def _used(
    peak: int | None,
    limit: int | None,
    usage: UsageRow | None,
    end: SandboxEndRow | None,
    *,
    cut_off: bool,
) -> Said:
    evidence: list[str] = []
    if usage is not None:
        evidence.append(f"sample × {usage.samples}")
    if end is not None:
        evidence.append("sandbox.destroyed")
    if peak is None:
        return Said(text="Used: not known; no sample was taken.", evidence=tuple(evidence))
    when = ""
    if usage is not None and usage.peak_t_us is not None and usage.peak_bytes == peak:
        when = f", in the second before {clock_time(usage.peak_t_us)}"
    kind = None if usage is None or usage.peak_kind is None else PeakKind(usage.peak_kind)
    how = "" if kind is None else f" ({_PEAK_WORDS[kind]})"
    if cut_off:
        text = (
            f"Used: at least {format_bytes(peak)}{when}{how}. The ceiling cut the peak off: "
            "how much more was wanted does not show."
        )
        return Said(text=text, evidence=tuple(evidence), hue="memory")
    share = "" if limit is None else f", {100 * peak / limit:.0f}% of the ceiling"
    return Said(
        text=f"Used: {format_bytes(peak)} at most{share}{when}{how}.", evidence=tuple(evidence)
    )


def _flags(box: SandboxRow | None) -> list[Said]:
    if box is None or not box.flags:
        return []
    text = f"Flags of this sandbox: {', '.join(box.flags)}."
    return [Said(text=text, evidence=("sandbox.created",))]
