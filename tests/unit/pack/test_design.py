"""The pack is built to show an effect; whether it can is known from its stated peaks."""

from dataclasses import replace
from itertools import pairwise

import pytest

from bench.pack.design import AGENTS, SWEEP, expected, foresee, report, taste, way_of
from bench.pack.lab import TASKS, task_names
from bench.pack.peaks import MARKS, README, in_words, stated
from runner.sweeps import load_sweep
from runner.tasks import load_task

PEAKS = stated()
CEILINGS = ("1x", "1.5x", "2x", "3x", "5x", "uncapped")
MARGIN_MB = 2.5
"""Between what a heavy program needs and a ceiling: machines differ a little."""


def test_the_table_covers_every_task_with_its_spec() -> None:
    assert sorted(PEAKS) == task_names()
    for task, row in PEAKS.items():
        assert load_task(TASKS / task).spec.memory_bytes == row.spec_mb << 20


def test_the_readme_shows_the_table() -> None:
    table = README.read_text().partition(MARKS[0])[2].partition(MARKS[1])[0]
    assert table.strip() == in_words(PEAKS).strip()


def test_lean_programs_fit_everywhere_and_heavy_ones_are_spread() -> None:
    multiples = sorted(row.heavy.needs_mb / row.spec_mb for row in PEAKS.values())
    assert all(row.lean.needs_mb < 0.5 * row.spec_mb for row in PEAKS.values())
    steps = (0, 1, 1.5, 2, 3, 5, 100)
    for low, high in pairwise(steps):
        assert any(low < multiple < high for multiple in multiples), (low, high)


def test_no_heavy_program_is_near_a_ceiling() -> None:
    for task, row in PEAKS.items():
        for multiple in (1, 1.5, 2, 3, 5):
            distance = row.heavy.needs_mb - multiple * row.spec_mb
            assert abs(distance) > MARGIN_MB, (task, multiple)


def test_lean_is_right_on_half_of_the_tasks_and_heavy_nearly_always() -> None:
    assert sum(row.lean.right is True for row in PEAKS.values()) == 6
    assert sum(row.heavy.right is True for row in PEAKS.values()) == 10
    assert all(row.solution.right for row in PEAKS.values())


def test_some_kills_at_the_lowest_ceiling_would_have_failed_anyway() -> None:
    killed = [row for row in PEAKS.values() if row.heavy.needs_mb > row.spec_mb]
    wrong = sum(row.heavy.right is False for row in killed)
    assert 0 < wrong < len(killed) / 2


def test_the_effect_is_there_in_expectation() -> None:
    sweep = load_sweep(SWEEP)
    rates = expected(sweep, PEAKS)
    for agent in AGENTS:
        infra = [rates[agent, ceiling].infra for ceiling in CEILINGS]
        assert infra == sorted(infra, reverse=True)
        assert infra[-1] == 0
    assert rates["thrifty", "1x"].score - rates["brute", "1x"].score > 0.2
    assert rates["brute", "uncapped"].score - rates["thrifty", "uncapped"].score > 0.2


@pytest.mark.parametrize("seeds", [range(1, 21)])
def test_the_ranking_turns_for_most_seeds(seeds: range) -> None:
    sweep = load_sweep(SWEEP)
    turned = 0
    for seed in seeds:
        found = foresee(replace(sweep, seed=seed), PEAKS)
        behind = found["brute", "1x"].score < found["thrifty", "1x"].score
        ahead = found["brute", "uncapped"].score > found["thrifty", "uncapped"].score
        turned += behind and ahead
    assert turned >= 0.9 * len(seeds)


def test_agents_take_what_they_prefer_as_often_as_they_say() -> None:
    for agent in AGENTS:
        chosen = [way_of(agent, seed) for seed in range(4_000)]
        share = chosen.count("heavy" if agent == "brute" else "lean") / len(chosen)
        assert share == pytest.approx(taste(agent).preference, abs=0.02)


def test_the_report_names_every_seed() -> None:
    assert report(range(1, 3)).count("seed") == 2
