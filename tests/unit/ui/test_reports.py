"""Renderers on built data: what they say, that every number of theirs is there, and widths."""

import io
from collections.abc import Sequence

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from analysis.cells import Outcomes
from analysis.failures import group_failures
from analysis.plain import to_plain
from analysis.result import Frame
from analysis.rows import JudgedTrial, TrialRow, judge_rows
from analysis.sweep_report import analyse
from analysis.verdicts.reading import policy_v1
from runner.plan import PlannedTrial
from runner.progress import Progress, Running
from ui.checks.check import fail, ok, warn
from ui.reports import doctor, failures, outcomes, progress, sweep
from ui.reports.whisker import MARK, Axis, whisker

CEILINGS = ("1x", "2x", "uncapped")
_TASKS = tuple(f"task-{number:02d}" for number in range(12))
_PASSED = {"passed": True, "verifier_ran": True}
_FAILED = {"passed": False, "verifier_ran": True}
_KILLED = {"passed": False, "oom_kill": 1, "oom_group_kill": 1, "oom_phase": "agent"}


def judged() -> tuple[JudgedTrial, ...]:
    """Two agents; brute is killed at 1x on every other task and wins where it has room."""
    rows: list[TrialRow] = []
    for place, task in enumerate(_TASKS):
        for agent in ("brute", "thrifty"):
            for condition in CEILINGS:
                for attempt in (1, 2):
                    killed = agent == "brute" and condition == "1x" and place % 2 == 0
                    solved = place < (9 if agent == "brute" else 6)
                    rows.append(
                        TrialRow(
                            sweep="s1",
                            trial=f"{len(rows):012x}",
                            task=task,
                            agent=agent,
                            condition=condition,
                            attempt=attempt,
                            evidence=_KILLED if killed else _PASSED if solved else _FAILED,
                            oom_phase="agent" if killed else None,
                            oom_command="python3 heavy.py" if killed else None,
                        )
                    )
    return judge_rows(policy_v1(), rows)


def printed(shown: RenderableType, width: int = 80) -> str:
    """What a pipe of that many columns would get."""
    file = io.StringIO()
    Console(file=file, width=width, markup=False, highlight=False, emoji=False).print(shown)
    return file.getvalue()


def assert_fits(text: str, width: int) -> None:
    assert "…" not in text
    for line in text.splitlines():
        assert len(line) <= width, line


@pytest.mark.parametrize("frame", ["these_tasks", "tasks_like_these"])
@pytest.mark.parametrize("width", [80, 140])
def test_a_report_says_the_verdict_first_and_cuts_nothing(frame: Frame, width: int) -> None:
    found = analyse(judged(), conditions=CEILINGS)
    text = printed(sweep.render(found, name="small", frame=frame, width=width), width)
    assert text.startswith("Infra errors fall from 25.0% at 1x to 0.0% at uncapped")
    assert_fits(text, width)
    for title in (
        "What became of the trials",
        "Each ceiling",
        "Each agent, and who leads",
        "Tasks that changed from 1x to uncapped",
        "would have failed at uncapped too",
        "How this was computed",
    ):
        assert title in text


def test_a_report_of_one_agent_ranks_nobody() -> None:
    alone = [entry for entry in judged() if entry.row.agent == "brute"]
    found = analyse(alone, conditions=CEILINGS)
    assert "leads" not in printed(sweep.render(found, name="a", frame="these_tasks", width=80))


def test_a_report_of_three_agents_stacks_them() -> None:
    rows = [entry.row for entry in judged()]
    third = [
        TrialRow(
            sweep=row.sweep,
            trial=f"f{row.trial[1:]}",
            task=row.task,
            agent="third",
            condition=row.condition,
            attempt=row.attempt,
            evidence=_FAILED,
        )
        for row in rows
        if row.agent == "brute"
    ]
    found = analyse(judge_rows(policy_v1(), [*rows, *third]), conditions=CEILINGS)
    text = printed(sweep.render(found, name="a", frame="these_tasks", width=80))
    assert_fits(text, 80)
    assert "Agent third" in text
    assert "Ranking" in text


def test_a_report_of_one_trial_is_described_and_not_tested() -> None:
    found = analyse(judged()[:1], conditions=("1x",))
    text = printed(sweep.render(found, name="a", frame="these_tasks", width=80))
    assert_fits(text, 80)
    assert to_plain(found)


def test_failures_are_grouped_with_what_to_open_next() -> None:
    found = group_failures(judged())
    text = printed(failures.render(found, CEILINGS))
    assert text.startswith("64 of 144 trials (44.4%) did not pass: 52 model failure and 12 memory.")
    assert "M oom_container" in text
    assert "12 × python3 heavy.py" in text
    assert "barograph why 000000000000" in text
    assert_fits(text, 80)


def test_no_failures_and_no_trials_have_sentences_of_their_own() -> None:
    passed = [entry for entry in judged() if entry.verdict.counts_as == "pass"]
    assert printed(failures.render(group_failures(passed))).startswith("All 80 trials passed.")
    assert printed(failures.render(group_failures([]))).startswith("No trial has ended yet.")


def test_a_strip_has_its_width_and_every_part_in_proportion() -> None:
    parts = outcomes.parts_of(Outcomes(passed=24, infra=12, killed=12, fail=8, timeout=4))
    assert sum(parts.values()) == 48
    text = outcomes.strip(parts, 24).plain
    assert text == "✓" * 12 + "M" * 6 + "T" * 2 + "✗" * 4


@pytest.mark.parametrize(
    ("estimate", "low", "high", "drawn"),
    [
        (50, 25, 75, "     ├────●────┤"),
        (50, 50, 50, " " * 10 + MARK),
        (0, 0, 10, "●─┤"),
        (100, 90, 100, " " * 18 + "├─●"),
        (None, None, None, ""),
    ],
)
def test_whiskers(
    estimate: float | None, low: float | None, high: float | None, drawn: str
) -> None:
    axis = Axis(low=0, high=100, cells=21)
    line = whisker(axis, estimate, low, high).plain
    assert len(line) == 21
    assert line.rstrip() == drawn


@pytest.mark.parametrize("values", [[0.0], [3.0, 9.0], [41.0, 88.5], [0.0, 100.0], [99.0], []])
def test_an_axis_holds_its_values_and_has_round_ticks(values: Sequence[float]) -> None:
    axis = Axis.around(values, cells=30)
    assert 0 <= axis.low < axis.high <= 100
    assert all(axis.low <= value <= axis.high for value in values)
    assert len(axis.labels()) == 30
    assert "." not in axis.labels()


def test_progress_in_a_line_and_in_a_view() -> None:
    planned = PlannedTrial(
        trial="t",
        order=0,
        block=0,
        condition="1x",
        agent="brute",
        task="diff",
        attempt=2,
        seed=1,
    )
    running = Running(planned=planned, try_no=2, phase="agent", phase_since_us=1_000_000)
    now = Progress(
        planned=24,
        done=12,
        done_here=12,
        running=(running,),
        gave={"passed": 7, "sandbox_died": 5},
        elapsed_s=30.0,
        per_minute=24.0,
        left_s=30.0,
    )
    said = progress.line("small", now).plain
    assert said == (
        "small: 12 of 24, 1 running, 24.0/min · 30.0 s left: ✓ 7 passed, M 5 sandbox died"
    )
    view = printed(progress.render("small", now, now_us=4_200_000))
    assert "12 of 24" in view
    assert "diff #2, try 2" in view
    assert "3.2 s" in view


def test_a_doctor_says_the_worst_first() -> None:
    checks = [ok("a", "fine"), warn("b", "so so", "mend b"), fail("c", "broken", "mend c")]
    text = printed(doctor.render(checks))
    assert text.startswith("This machine cannot run local sweeps: 1 check failed, with 1 warning.")
    assert "→ mend c" in text
    assert doctor.content(checks)["can_run_sweeps"] is False
    assert doctor.content(checks[:2])["can_run_sweeps"] is True


def test_text_of_others_is_never_read_as_markup() -> None:
    assert "[bold]" in printed(Text("[bold]"))
