"""The plan is complete, balanced, and nothing but a function of sweep and seed."""

from collections import Counter
from itertools import product
from pathlib import Path
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barograph.ids import trial_id
from runner.plan import Cell, block_order, plan
from runner.sweeps import load_sweep
from tests.sweep_files import SWEEP_TOML, changed, write_sweep

NAMES = st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=7, unique=True)
SEEDS = st.integers(0, 2**63 - 1)


@given(seed=SEEDS, block=st.integers(0, 50), conditions=NAMES, agents=NAMES, tasks=NAMES)
@settings(deadline=None)
def test_a_block_holds_every_cell_once(
    seed: int, block: int, conditions: list[str], agents: list[str], tasks: list[str]
) -> None:
    order = block_order(seed=seed, block=block, conditions=conditions, agents=agents, tasks=tasks)

    assert sorted(order) == sorted(Cell(*cell) for cell in product(conditions, agents, tasks))


@given(seed=SEEDS, conditions=NAMES, agents=NAMES, tasks=NAMES)
@settings(deadline=None)
def test_every_round_is_balanced(
    seed: int, conditions: list[str], agents: list[str], tasks: list[str]
) -> None:
    order = block_order(seed=seed, block=0, conditions=conditions, agents=agents, tasks=tasks)
    pairs = len(agents) * len(tasks)

    for start in range(0, len(order), pairs):
        round_ = order[start : start + pairs]
        assert len({(cell.agent, cell.task) for cell in round_}) == pairs
        counts = Counter(cell.condition for cell in round_)
        assert max(counts.values()) - min(counts[name] for name in conditions) <= 1


@given(seed=SEEDS, block=st.integers(0, 9), names=NAMES, data=st.data())
@settings(deadline=None)
def test_the_order_in_which_things_are_named_does_not_matter(
    seed: int, block: int, names: list[str], data: st.DataObject
) -> None:
    again = data.draw(st.permutations(names))

    first = block_order(seed=seed, block=block, conditions=names, agents=names, tasks=names)
    second = block_order(seed=seed, block=block, conditions=again, agents=again, tasks=again)

    assert first == second


def test_neither_condition_nor_task_leans_to_a_place_in_the_order() -> None:
    # Mean place of each name over 300 seeds; its standard error is about 0.8 of 72 places.
    conditions, tasks = ["a", "b", "c", "d", "e", "f"], ["t", "u", "v", "w"]
    places: dict[str, list[int]] = {name: [] for name in conditions + tasks}
    for seed in range(300):
        cells = block_order(seed=seed, block=0, conditions=conditions, agents="xyz", tasks=tasks)
        for place, cell in enumerate(cells):
            places[cell.condition].append(place)
            places[cell.task].append(place)

    middle = (len(conditions) * len(tasks) * 3 - 1) / 2
    assert all(abs(mean(found) - middle) < 2 for found in places.values())


def test_blocks_and_seeds_have_orders_of_their_own() -> None:
    def order(seed: int, block: int) -> tuple[Cell, ...]:
        cells = block_order(
            seed=seed,
            block=block,
            conditions=["1x", "2x"],
            agents=["a"],
            tasks=["t", "u", "v", "w"],
        )
        return tuple(cells)

    assert len({order(seed, block) for seed in range(5) for block in range(5)}) == 25


def test_the_order_of_a_seed_is_fixed_for_ever() -> None:
    order = block_order(
        seed=7, block=0, conditions=["1x", "2x"], agents=["brute", "thrifty"], tasks=["a", "b"]
    )

    assert ["/".join(cell) for cell in order] == [
        "1x/thrifty/a",
        "1x/thrifty/b",
        "2x/brute/b",
        "2x/brute/a",
        "1x/brute/a",
        "2x/thrifty/b",
        "2x/thrifty/a",
        "1x/brute/b",
    ]


class TestPlan:
    def test_every_cell_comes_exactly_k_times(self, tmp_path: Path) -> None:
        sweep = load_sweep(write_sweep(tmp_path))

        trials = plan(sweep, "s1")

        assert len(trials) == sweep.trials == len({trial.trial for trial in trials})
        assert [trial.order for trial in trials] == list(range(len(trials)))
        counts = Counter((trial.condition, trial.agent, trial.task) for trial in trials)
        assert set(counts.values()) == {sweep.attempts}
        assert len(counts) == 12
        assert all(trial.attempt == trial.block + 1 for trial in trials)
        assert len({trial.seed for trial in trials}) == len(trials)
        assert all(0 <= trial.seed < 2**31 for trial in trials)

    def test_the_sweeps_id_only_names_the_trials(self, tmp_path: Path) -> None:
        sweep = load_sweep(write_sweep(tmp_path))

        first, second = plan(sweep, "s1"), plan(sweep, "s2")

        def essence(trials: tuple[object, ...]) -> list[str]:
            return [repr(trial).split("order=")[1] for trial in trials]

        assert essence(first) == essence(second)
        assert not {trial.trial for trial in first} & {trial.trial for trial in second}
        one = first[3]
        assert one.trial == trial_id(
            sweep="s1",
            condition=one.condition,
            agent=one.agent,
            task=one.task,
            attempt=one.attempt,
        )

    def test_another_seed_is_another_order(self, tmp_path: Path) -> None:
        first = load_sweep(write_sweep(tmp_path / "x"))
        toml = changed(SWEEP_TOML, "seed = 7", "seed = 8")
        second = load_sweep(write_sweep(tmp_path / "y", toml=toml))

        cells = [[trial.trial for trial in plan(sweep, "s")] for sweep in (first, second)]

        assert cells[0] != cells[1]
        assert sorted(cells[0]) == sorted(cells[1])


@pytest.mark.parametrize("attempts", [1, 3])
def test_more_attempts_only_append(tmp_path: Path, attempts: int) -> None:
    """Raising the number of attempts later leaves what was planned before as it was."""
    few = changed(SWEEP_TOML, "attempts = 2", f"attempts = {attempts}")
    first = plan(load_sweep(write_sweep(tmp_path / "x", toml=few)), "s")
    more = changed(SWEEP_TOML, "attempts = 2", f"attempts = {attempts + 1}")
    second = plan(load_sweep(write_sweep(tmp_path / "y", toml=more)), "s")

    assert second[: len(first)] == first
