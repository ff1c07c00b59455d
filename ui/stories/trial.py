"""The whole story of a trial: the sentence that answers, and what stands behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.verdicts.engine import Verdict
from barograph.units import format_bytes, format_duration
from store.rows import TryRow, WordRow
from store.story import KillRow, Story
from ui.palette import hue_of
from ui.stories.enough import Enough, enough
from ui.stories.memory import Memory, memory
from ui.stories.said import Said
from ui.stories.timeline import timeline
from ui.text import shortened

COUNTS_AS: Final = {
    "pass": "a pass",
    "fail": "not solved",
    "timeout": "not solved (time limit)",
    "infra_error": "an infra error",
    "infra_suspect": "a suspect: not solved in the headline, an infra error in the sensitivity run",
    "timeout_infra": "not solved in the headline, an infra error in the sensitivity run",
    "excluded": "nothing: it is in no rate",
}
_COMMAND_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An ended try with its verdict."""

    row: TryRow
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialStory:
    """What ``why TRIAL`` answers."""

    trial: str
    sweep: str
    task: str
    agent: str
    condition: str
    attempt: int
    try_no: int
    tries: int
    answer: str
    """One sentence."""
    verdict: Verdict | None
    """None while the try runs, or when it has no outcome. Always the policy's."""
    overrides: tuple[WordRow, ...]
    """What people say of this try in its place."""
    notes: tuple[WordRow, ...]
    """What else people say: of the trial, its other tries, its host, its time."""
    happened: tuple[Said, ...]
    memory: Memory
    enough: Enough
    mine: tuple[Judged, ...]
    """All ended tries of this trial."""
    elsewhere: tuple[Judged, ...]
    """Standing tries of the same task: all agents, ceilings and attempts."""
    started_t_us: int


def tell(
    story: Story, try_no: int, mine: Sequence[Judged], elsewhere: Sequence[Judged]
) -> TrialStory:
    """Put a trial's story together.

    Args:
        story: the rows of the trial.
        try_no: the try to tell.
        mine: ended tries of the trial with their verdicts.
        elsewhere: standing tries of the same task in the sweep.

    """
    judged = next((one for one in mine if one.row.try_no == try_no), None)
    verdict = None if judged is None else judged.verdict
    used = memory(story, try_no)
    row = None if judged is None else judged.row
    started = next((one.started_t_us for one in story.begun if one.try_no == try_no), None)
    kills = [kill for kill in story.kills if kill.try_no == try_no]
    return TrialStory(
        trial=story.trial.trial,
        sweep=story.trial.sweep,
        task=story.trial.task,
        agent=story.trial.agent,
        condition=story.trial.condition,
        attempt=story.trial.attempt,
        try_no=try_no,
        tries=story.trial.tries,
        answer=_answer(row, verdict, used, kills),
        verdict=verdict,
        overrides=tuple(word for word in story.words if _overrides(word, try_no)),
        notes=tuple(word for word in story.words if not _overrides(word, try_no)),
        happened=tuple(timeline(story, try_no)),
        memory=used,
        enough=enough(row, used, [one.row for one in elsewhere]),
        mine=tuple(mine),
        elsewhere=tuple(elsewhere),
        started_t_us=story.trial.latest_started_t_us if started is None else started,
    )


def _overrides(word: WordRow, try_no: int) -> bool:
    return word.kind == "override" and word.try_no == try_no


def _answer(
    row: TryRow | None, verdict: Verdict | None, used: Memory, kills: Sequence[KillRow]
) -> str:
    if row is None or verdict is None:
        return "It has not ended: it runs, or its runner died and it will be run again."
    if verdict.counts_as == "pass":
        text = f"It passed, after {format_duration(row.duration_s)}"
        if row.kills:
            text += ", although the ceiling killed something on the way"
        return text + "."
    said = verdict.says
    if hue_of(verdict.cause) == "memory" and kills:
        kill = kills[0]
        ceiling = used.ceiling_bytes or kill.limit_bytes or used.parent_cap_bytes
        what = shortened(kill.command or kill.victim_comm or "", _COMMAND_CHARS)
        said += f" ({format_bytes(ceiling)})"
        if what:
            said += f" while '{what}' ran"
        if kill.phase is not None:
            said += f", in phase {kill.phase}"
    sure = "" if verdict.confidence == "certain" else f" ({verdict.confidence})"
    return f"{said[:1].upper()}{said[1:]}{sure}. That counts as {COUNTS_AS[verdict.counts_as]}."
