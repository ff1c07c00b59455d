"""Rewards come from the work: who is right with room, who is not, and that 1x is enough."""

from pathlib import Path

import pytest

from bench.pack.lab import MIB, TASKS, WAYS, Desk, Way
from bench.pack.peaks import accepted, stated
from bench.pack.truth import EXPECTED, TRUTHS

PEAKS = stated()


def test_the_oracle_passes_within_the_spec(desk: Desk) -> None:
    """So every task can be solved in the memory that it asks for."""
    ran = desk.solution(ceiling_bytes=PEAKS[desk.task].spec_mb * MIB)
    assert ran.exit_code == 0, ran.output
    assert accepted(desk)


def test_doing_nothing_fails(desk: Desk) -> None:
    assert not accepted(desk)


@pytest.mark.parametrize("way", WAYS)
def test_a_program_with_room_earns_what_is_stated(desk: Desk, way: Way) -> None:
    ran = desk.program(way)
    assert ran.exit_code == 0, ran.output
    row = PEAKS[desk.task]
    assert accepted(desk) is (row.lean if way == "lean" else row.heavy).right


def test_a_program_leaves_its_answer_only_when_it_ends(desk: Desk) -> None:
    """A heavy program that is killed must not have half of an answer accepted."""
    heavy = PEAKS[desk.task].heavy
    ran = desk.program("heavy", ceiling_bytes=int(heavy.needs_mb * 0.8 * MIB))
    assert ran.killed
    assert not accepted(desk)


def test_the_truth_is_right_when_computed_again(desk: Desk) -> None:
    """Also holds the data to what they were: they differ, and so does the truth."""
    text = TRUTHS[desk.task](desk.app)
    name = EXPECTED[text[0] in "{["]
    assert (TASKS / desk.task / "tests" / name).read_text() == text


def test_set_up_makes_the_same_data_again_and_leaves_no_trace(desk: Desk, scratch: Path) -> None:
    again = Desk(scratch / f"{desk.task}-again", desk.task)
    names = sorted(path.name for path in again.app.iterdir())
    assert names == sorted(path.name for path in desk.app.iterdir())
    assert "generate.py" not in names
    for name in names:
        assert (again.app / name).read_bytes() == (desk.app / name).read_bytes(), name


def test_set_up_and_verifier_fit_with_a_margin(desk: Desk) -> None:
    """Their memory must never decide a trial: half of the spec is enough for either."""
    row = PEAKS[desk.task]
    half_bytes = row.spec_mb * MIB // 2 + MIB
    desk.solution()
    assert desk.verify(ceiling_bytes=half_bytes).exit_code == 0
    assert row.setup.needs_mb <= half_bytes / MIB
