"""A killed trial told from rows: every sentence, its evidence, and what it must not claim."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from analysis.plain import to_plain
from store.story import Story
from tests.story_rows import CEILINGS, ELSEWHERE, KILL, KILLED, MIB, command, outcome
from ui.reports import story as report
from ui.stories.trial import TrialStory, tell


def told(story: Story = KILLED) -> TrialStory:
    return tell(story, 1, [outcome()], ELSEWHERE)


def printed(story: TrialStory, width: int = 80) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, markup=False, highlight=False, emoji=False)
    console.print(report.render(story, CEILINGS, width=width))
    return file.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_answer_names_ceiling_command_and_phase() -> None:
    assert told().answer == (
        "The memory ceiling killed the whole sandbox (32 MiB) while 'python3 solve.py' ran, in "
        "phase agent. That counts as an infra error."
    )


def test_the_kill_is_told_in_its_place_with_its_evidence() -> None:
    happened = told().happened
    kill = next(said for said in happened if said.text.startswith("The kernel killed"))
    assert kill.text == (
        "The kernel killed python3 (pid 27028, 31 MiB anonymous, 37 MiB resident), at the "
        "sandbox's own ceiling of 32 MiB, in phase agent, command 4: python3 solve.py."
    )
    assert kill.evidence == ("oom.kill 1", "exec.finished 4")
    assert kill.hue == "memory"
    place = happened.index(kill)
    assert happened[place - 1].text.startswith("$ python3 solve.py")
    assert happened[place + 1].text.startswith("Everything else in the sandbox was killed with it")
    assert all(said.evidence for said in happened)
    assert [said.t_us for said in happened] == sorted(said.t_us or 0 for said in happened)


def test_a_peak_at_the_ceiling_is_cut_off_and_bounds_from_below() -> None:
    story = told()
    assert story.memory.cut_off
    assert "at least 32 MiB" in story.memory.said[2].text
    assert story.enough.at_least_bytes == 32 * MIB
    texts = [said.text for said in story.enough.said]
    assert texts == [
        "More than 32 MiB (1x of the spec): that is where it was cut off.",
        "2 other tries of this task by brute that no ceiling cut off used 70 MiB to 71 MiB = 2.2x.",
        "The tightest ceiling at which none of brute's tries was killed: 3x (96 MiB).",
    ]


def test_what_a_guess_is_is_said_to_be_one() -> None:
    vague = replace(KILL, joined_by="time", exact_time=False, by_parent=None, victim_pid=None)
    story = told(replace(KILLED, kills=[vague]))
    text = next(said.text for said in story.happened if said.hue == "memory")
    assert "command 4 (matched by time)" in text
    assert "between " in text
    assert "own ceiling" not in text
    assert "at the ceiling of 32 MiB" in text


def test_a_kill_without_a_victim_is_still_told() -> None:
    bare = replace(
        KILL,
        victim_pid=None,
        victim_comm=None,
        victim_rss_bytes=None,
        victim_anon_bytes=None,
        command=None,
        exec_ordinal=None,
        joined_by=None,
        phase=None,
    )
    story = told(replace(KILLED, kills=[bare]))
    assert any(said.text.startswith("The kernel killed a process") for said in story.happened)


def test_a_trial_that_runs_has_a_story_without_a_verdict() -> None:
    running = replace(KILLED, ends=[], outcomes=[], kills=[], states=[], sandbox_ends=[], usage=[])
    story = tell(running, 1, [], [])
    assert story.verdict is None
    assert story.answer.startswith("It has not ended")
    assert "Used: not known" in printed(story)


def test_many_commands_are_counted_and_not_all_shown() -> None:
    many = [command(n, n / 10, f"step {n}") for n in range(1, 41)]
    story = told(replace(KILLED, execs=many))
    texts = [said.text for said in story.happened]
    assert "28 more commands." in texts
    assert sum(text.startswith("$ step") for text in texts) == 12


@pytest.mark.parametrize("width", [80, 140])
def test_the_picture_fits_and_shows_every_ceiling(width: int) -> None:
    text = printed(told(), width)
    assert all(len(line) <= width for line in text.splitlines())
    assert text.splitlines()[0].startswith("diff · brute · 1x · attempt 1")
    assert "≥32" in text
    assert "barograph why bbbbbbbbbbbb" in text
    assert "processes killed by the kernel's OOM killer" in flat(text) or "OOM-killed" in flat(text)


def test_the_story_is_plain_data_too() -> None:
    plain = to_plain(report.content(told(), KILLED))
    assert isinstance(plain, dict)
    assert plain["about"] == "trial"
    assert plain["trial"] == "aaaaaaaaaaaa"
