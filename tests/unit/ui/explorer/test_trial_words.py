"""Trials in words and small pictures, and whom a try is compared with."""

from dataclasses import replace
from urllib.parse import unquote

import pytest

from store.pages.trial import JudgedRow
from store.pages.trials import CauseCount, KillMoment, ListedTrial, SparkSlice
from tests.story_rows import MIB, T0, outcome
from ui.explorer import listing
from ui.explorer.address import View
from ui.explorer.charts.cells import Spark, peak_bar, sparkline
from ui.explorer.telling.pairs import no_pair, pair_of
from ui.explorer.theme import THEMES
from ui.stories.trial import Judged

LIGHT = THEMES["light"]
S = 1_000_000
EVIL = "<script>alert(1)</script>\u202e🔥" + "z" * 300
LISTED = ListedTrial(
    trial="a" * 12,
    try_no=1,
    task="diff",
    contestant="brute",
    condition="1x",
    attempt=1,
    host="vm",
    started_t_us=T0,
    finished_t_us=T0 + 10 * S,
    duration_s=10.0,
    how="sandbox_died",
    reward=None,
    spec_memory_bytes=32 * MIB,
    ceiling_bytes=32 * MIB,
    ceiling_multiple=1.0,
    parent_cap_bytes=8 << 30,
    peak_bytes=32 * MIB,
    kills=1,
    kill_phase="agent",
    kill_command="python3 solve.py",
    kill_victim="python3",
    cause="oom_container",
    confidence="certain",
    counts_as="infra_error",
    says="",
    policy_version=1,
    state="judged",
)
RUNNING = replace(
    LISTED, cause=None, state="running", peak_bytes=None, finished_t_us=None, duration_s=None
)


def line(row: ListedTrial, *sparks: SparkSlice, kills: tuple[int, ...] = ()) -> listing.Line:
    moments = [KillMoment(trial=row.trial, try_no=1, t_us=at) for at in kills]
    (only,) = listing.lines([row], sparks, moments, View(sweep="s1"), LIGHT)
    return only


def spark(slice_no: int, usage: int, peak: int) -> SparkSlice:
    return SparkSlice(trial="a" * 12, try_no=1, slice=slice_no, usage_bytes=usage, peak_bytes=peak)


def svg(picture: str | None) -> str:
    assert picture is not None
    assert picture.startswith("data:image/svg+xml;utf8,")
    return unquote(picture)


def test_a_killed_trial_has_an_open_bar_a_chip_and_a_link() -> None:
    shown = line(LISTED, spark(3, MIB, 32 * MIB), kills=(T0 + 5 * S,))
    assert shown.ended == ["M oom_container"]
    assert shown.peak == "≥ 32"
    assert shown.trial == "trial?sweep=s1&trial=aaaaaaaaaaaa&try=1"
    assert 'stroke-dasharray="3 2.4"' in svg(shown.held)
    assert LIGHT.hues["memory"] in svg(shown.memory)


def test_a_peak_below_the_ceiling_is_a_value() -> None:
    shown = line(replace(LISTED, cause="none", kills=0, kill_victim=None, peak_bytes=16 * MIB))
    assert (shown.ended, shown.peak, shown.victim) == (["✓ pass"], "16", "")
    assert 'stroke-dasharray="3 2.4"' not in svg(shown.held)
    assert shown.memory is None, "nothing was sampled"


def test_an_uncapped_trial_has_no_ceiling_to_be_held_against() -> None:
    shown = line(replace(LISTED, kills=0, ceiling_bytes=None, peak_bytes=16 * MIB))
    assert (shown.peak, "rect" in svg(shown.held)) == ("16", False)


def test_a_running_trial_shows_its_peak_so_far() -> None:
    shown = line(RUNNING, spark(0, MIB, 8 * MIB))
    assert (shown.ended, shown.peak, shown.duration) == (["· running"], "8", None)
    assert line(RUNNING).peak == "–"
    assert line(RUNNING, kills=(T0 + S,)).memory is not None


def test_names_are_cut_and_never_reach_a_picture() -> None:
    shown = line(replace(LISTED, task=EVIL, contestant=EVIL, kill_victim=EVIL), spark(0, 1, 1))
    assert len(shown.task) <= 80
    assert "\u202e" not in shown.task + shown.agent + shown.victim
    assert "script" not in svg(shown.held) + svg(shown.memory)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 7.0, None])
@pytest.mark.parametrize("cut_off", [True, False])
def test_a_bar_stays_in_its_cell(share: float | None, cut_off: bool) -> None:
    picture = peak_bar(share, cut_off=cut_off, theme=LIGHT)
    assert (picture is None) == (share is None)
    if picture is not None:
        assert "<svg" in svg(picture)


def test_a_kill_at_the_very_end_is_within_the_picture() -> None:
    one = Spark(slices=24, usage=[], peak=[], ceiling=None, kills=[0.0, 1.0, 9.0])
    assert svg(sparkline(one, LIGHT)).count("<path") == 3


def test_chip_colours_are_those_of_the_causes() -> None:
    assert listing.chip_colours(["oom_container", "running"], LIGHT) == [
        LIGHT.hues["memory"],
        LIGHT.grid,
    ]


def test_the_sentence_counts_by_what_ended_them() -> None:
    counts = [
        CauseCount(ended_in="none", trials=1_200),
        CauseCount(ended_in="oom_container", trials=60),
        CauseCount(ended_in="oom_host", trials=8),
        CauseCount(ended_in="running", trials=3),
    ]
    assert listing.sentence(counts) == "1,271 trials: 1,200 passed, 68 died for memory, 3 run"


def kept(judged: Judged, *, trial: str, attempt: int = 1) -> JudgedRow:
    said = judged.verdict
    return JudgedRow(
        row=replace(judged.row, trial=trial, attempt=attempt),
        cause=said.cause,
        family=said.family,
        confidence=said.confidence,
        counts_as=said.counts_as,
        says=said.says,
        ceiling_kill=said.ceiling_kill,
        also=said.also,
        because="[]",
        policy=said.policy,
        policy_version=said.policy_version,
        policy_digest=said.policy_digest,
        evidence_digest=said.evidence_digest,
    )


def killed(trial: str, ceiling: int, *, attempt: int = 1, agent: str = "brute") -> JudgedRow:
    one = outcome(trial, condition=f"{ceiling}", ceiling=ceiling * MIB, agent=agent)
    return kept(one, trial=trial, attempt=attempt)


def passed(trial: str, ceiling: int | None, *, attempt: int = 1, agent: str = "brute") -> JudgedRow:
    evidence = replace(outcome().row.evidence, passed=True, oom_kill=0, oom_group_kill=None,
                       pid1_exit=0, verifier_ran=True)  # fmt: skip
    size = None if ceiling is None else ceiling * MIB
    one = outcome(trial, ceiling=size, evidence=evidence, kills=0, agent=agent)
    return kept(one, trial=trial, attempt=attempt)


def test_a_killed_try_is_compared_with_the_smallest_ceiling_that_passed() -> None:
    mine = killed("k", 32)
    others = [passed("u", None), passed("p96", 96), passed("p64", 64), passed("lower", 16)]
    assert pair_of(mine, [mine, *others]) == (mine, others[2])


def test_a_pass_is_compared_with_the_largest_ceiling_that_killed() -> None:
    mine = passed("p", 96)
    others = [killed("k32", 32), killed("k64", 64), killed("k128", 128)]
    assert pair_of(mine, others) == (others[1], mine)


def test_among_equals_the_same_attempt_goes_first() -> None:
    mine = killed("k", 32, attempt=2)
    others = [passed("p1", 64, attempt=1), passed("p2", 64, attempt=2)]
    assert pair_of(mine, others) == (mine, others[1])


def test_without_a_pair_it_is_said_why() -> None:
    mine = killed("k", 32)
    other = passed("p", 64, agent="thrifty")
    assert pair_of(mine, [mine, other]) is None, "another agent is another story"
    assert "none passed" in no_pair(mine, [mine, other])
    lower = passed("p", 16)
    assert pair_of(mine, [mine, lower]) is None
    assert "under a higher ceiling" in no_pair(mine, [mine, lower])
    assert "no ceiling killed any" in no_pair(lower, [lower])
