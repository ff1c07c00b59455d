"""Everything that the page Trial shows of one try, gathered once.

Verdicts come from the table that ``serve`` keeps. A try that has just ended may not be in it
yet: then it is judged here, by the same policy from the same evidence, so that the page never
has to say less than the command line.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from analysis.dataset import judge_try
from analysis.judging import evidence_items, judgement
from analysis.verdicts.engine import Verdict
from analysis.verdicts.reading import policy_v1
from barograph.clock import US_PER_S
from store.answers import Answers
from store.pages import trial as asked
from store.pages.trial import JudgedRow
from store.reader import Reader
from store.rows import TrialRow
from store.story import BegunRow, SandboxRow, Story
from ui.explorer.charts.autopsy_shown import Autopsy, Limits
from ui.explorer.data import cached
from ui.stories.trial import Judged, TrialStory, tell

if TYPE_CHECKING:
    from analysis.verdicts.vocabulary import Confidence, CountsAs, Family

SLICES: Final = 1000
NEIGHBOUR_SLICES: Final = 240
_BESIDE_US: Final = 2 * US_PER_S
"""Read on both sides of a window, so that no line begins or ends inside it."""

head = cached(asked.head)
_story = cached(asked.story)
_task_tries = cached(asked.task_tries)
lanes = cached(asked.lanes)
_neighbours = cached(asked.neighbours)
_neighbour_kills = cached(asked.neighbour_kills)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One try."""

    story: Story
    told: TrialStory
    begun: BegunRow
    mine: JudgedRow | None
    """None while it runs."""
    siblings: tuple[JudgedRow, ...]
    """Judged tries of the same task in the sweep, this one among them."""
    judged_here: bool
    """The table of verdicts does not have it yet."""
    start_us: int
    end_us: int
    """When it ended; while it runs, the newest that was heard of it."""

    @property
    def running(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return all(end.try_no != self.begun.try_no for end in self.story.ends)

    @property
    def box(self) -> SandboxRow | None:
        """Its sandbox, once there is one."""
        try_no = self.begun.try_no
        return next((box for box in self.story.sandboxes if box.try_no == try_no), None)


def gather(row: TrialRow, try_no: int | None) -> Facts:
    """The facts of one try; of the one that counts where none, or one unknown, is named."""
    story = _story(row)
    chosen = try_no if try_no in {one.try_no for one in story.begun} else None
    number = chosen or row.standing_try or row.latest_try
    begun = next(one for one in story.begun if one.try_no == number)
    siblings = _task_tries(row.sweep, row.task)
    fresh = _unjudged(story, siblings)
    mine = [one for one in (*siblings, *fresh) if one.row.trial == row.trial]
    told = tell(
        story,
        number,
        [Judged(row=one.row, verdict=verdict(one)) for one in mine],
        [Judged(row=one.row, verdict=verdict(one)) for one in siblings if one.row.outcome],
    )
    return Facts(
        story=story,
        told=told,
        begun=begun,
        mine=next((one for one in mine if one.row.try_no == number), None),
        siblings=(*siblings, *fresh),
        judged_here=any(one.row.try_no == number for one in fresh),
        start_us=begun.started_t_us,
        end_us=_end_us(story, number),
    )


def verdict(one: JudgedRow) -> Verdict:
    """The verdict as the policy gave it."""
    return Verdict(
        cause=one.cause,
        family=cast("Family", one.family),
        confidence=cast("Confidence", one.confidence),
        counts_as=cast("CountsAs", one.counts_as),
        says=one.says,
        ceiling_kill=one.ceiling_kill,
        evidence=evidence_items(one.because),
        also=one.also,
        policy=one.policy,
        policy_version=one.policy_version,
        policy_digest=one.policy_digest,
        evidence_digest=one.evidence_digest,
    )


def autopsy(facts: Facts, window: tuple[int, int] | None) -> Autopsy:
    """What the figure is drawn from, read at the resolution of its span.

    Args:
        facts: of the try.
        window: a part of it; None, or one that lies outside: all of it.

    """
    low_us, high_us = span(facts, window)
    trial, number = facts.story.trial.trial, facts.begun.try_no
    used, box = facts.told.memory, facts.box
    kills = [kill for kill in facts.story.kills if kill.try_no == number]
    # A peak that a ceiling cut off was reached when the kernel had to kill.
    peak_t_us = kills[0].t_us if used.cut_off and kills else used.peak_t_us
    limits = Limits(
        spec_bytes=used.spec_bytes,
        floor_bytes=None if box is None else box.applied_memory_floor_bytes or None,
        ceiling_bytes=used.ceiling_bytes,
        peak_bytes=used.peak_bytes,
        peak_t_us=peak_t_us,
        cut_off=used.cut_off,
    )
    return Autopsy(
        start_us=facts.start_us,
        low_us=low_us,
        high_us=high_us,
        phases=[phase for phase in facts.story.phases if phase.try_no == number],
        commands=[one for one in facts.story.execs if one.try_no == number],
        slices=lanes(
            trial,
            number,
            low_us=low_us - _BESIDE_US,
            high_us=high_us + _BESIDE_US,
            slices=SLICES,
        ),
        kills=kills,
        limits=limits,
        neighbours=_neighbours(
            facts.begun, trial, low_us=low_us, high_us=high_us, slices=NEIGHBOUR_SLICES
        ),
        neighbour_kills=_neighbour_kills(facts.begun, trial, low_us=low_us, high_us=high_us),
    )


def span(facts: Facts, window: tuple[int, int] | None) -> tuple[int, int]:
    """The part of the try that a window means; all of it where they do not meet."""
    if window is not None:
        low, high = max(window[0], facts.start_us), min(window[1], facts.end_us)
        if low < high:
            return low, high
    return facts.start_us, facts.end_us


@cached
def _judged_here(answers: Answers, trial: str) -> tuple[JudgedRow, ...]:
    found: list[JudgedRow] = []
    for row in Reader(answers).tries(trial=trial, outcomes_only=False):
        said = judge_try(policy_v1(), row)
        one = JudgedRow(
            row=row,
            cause=said.cause,
            family=said.family,
            confidence=said.confidence,
            counts_as=said.counts_as,
            says=said.says,
            ceiling_kill=said.ceiling_kill,
            also=said.also,
            because=json.dumps(judgement(said).because),
            policy=said.policy,
            policy_version=said.policy_version,
            policy_digest=said.policy_digest,
            evidence_digest=said.evidence_digest,
        )
        found.append(one)
    return tuple(found)


def _unjudged(story: Story, siblings: Sequence[JudgedRow]) -> tuple[JudgedRow, ...]:
    """Tries of this trial that ended and are not in the table, judged now."""
    trial = story.trial.trial
    kept = {one.row.try_no for one in siblings if one.row.trial == trial}
    if {end.try_no for end in story.ends} <= kept:
        return ()
    return tuple(one for one in _judged_here(trial) if one.row.try_no not in kept)


def _end_us(story: Story, number: int) -> int:
    """When a try ended, or the newest moment that anything was heard of it; at least 1 s in."""
    began = next(one.started_t_us for one in story.begun if one.try_no == number)
    moments = [end.t_us for end in story.ends if end.try_no == number]
    if not moments:
        moments += [one.last_t_us for one in story.usage if one.try_no == number]
        moments += [one.t_us for one in story.kills if one.try_no == number]
        moments += [
            one.started_t_us + round(US_PER_S * one.duration_s)
            for one in story.execs
            if one.try_no == number
        ]
        for phase in story.phases:
            if phase.try_no == number:
                moments += [t for t in (phase.started_t_us, phase.finished_t_us) if t is not None]
    return max([*moments, began + US_PER_S])
