"""A verifier that accepts a damaged answer measures nothing; one that breaks gives no reward."""

import re
from collections.abc import Callable
from pathlib import Path

from bench.pack.lab import MIB, Desk
from bench.pack.peaks import accepted
from bench.pack.truth import EXPECTED

_KNOWN: dict[str, tuple[str, bytes]] = {}


def _answer(desk: Desk) -> Path:
    """The right answer, by the task's own solution, which is asked once."""
    if desk.task not in _KNOWN:
        before = set(desk.app.iterdir())
        ran = desk.solution()
        assert ran.exit_code == 0, ran.output
        (made,) = set(desk.app.iterdir()) - before
        _KNOWN[desk.task] = (made.name, made.read_bytes())
    name, content = _KNOWN[desk.task]
    (desk.app / name).write_bytes(content)
    return desk.app / name


def _one_digit_other(text: str) -> str:
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), text, count=1)


def _last_line_gone(text: str) -> str:
    return text[: text.rstrip().rfind("\n") + 1]


def _first_line_twice(text: str) -> str:
    return text[: text.find("\n") + 1] + text


def _two_lines_swapped(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(lines[1:2] + lines[:1] + lines[2:])


DAMAGE: dict[str, Callable[[str], str]] = {
    "one digit other": _one_digit_other,
    "last line gone": _last_line_gone,
    "first line twice": _first_line_twice,
    "garbage behind": lambda text: f"{text}\x00\ufffd\n",
    "empty": lambda _: "",
    "far too long": lambda text: text + "x" * (6 * MIB),
    "deeply nested": lambda _: "[" * 50_000,
    "a huge number": lambda _: "[" + "9" * 400 + "]\n" + "9" * 400 + ",1e999\n",
}


def test_damaged_answers_are_rejected(desk: Desk) -> None:
    answer = _answer(desk)
    assert accepted(desk)
    right = answer.read_text(encoding="utf-8")
    damage = dict(DAMAGE)
    if desk.task != "knapsack":  # a load has no order
        damage["two lines swapped"] = _two_lines_swapped
    for name, damaged in damage.items():
        text = damaged(right)
        if text == right:  # a single line has no second to be swapped with
            continue
        answer.write_text(text, encoding="utf-8")
        assert not accepted(desk), name
    answer.write_bytes(b"\xff\xfe" * 1000)
    assert not accepted(desk)


def test_an_answer_must_be_a_file_of_its_own(desk: Desk) -> None:
    """A link to the truth, which appears after the agent has gone, is no answer."""
    answer = _answer(desk)
    for expected in EXPECTED:
        answer.unlink()
        answer.symlink_to(f"/tests/{expected}")
        assert not accepted(desk)
    answer.unlink()
    answer.mkdir()
    try:
        assert not accepted(desk)
    finally:
        answer.rmdir()


def test_changed_input_does_not_change_the_truth(desk: Desk) -> None:
    """An agent may write to the input; the verifier must not take its word for it."""
    _answer(desk)
    for path in desk.app.iterdir():
        if path.name in {"old.txt", "parcels.json"}:
            content = path.read_bytes()
            path.write_bytes(content.replace(b"1", b"2"))
            try:
                assert not accepted(desk)
            finally:
                path.write_bytes(content)


def test_a_killed_verifier_leaves_no_reward(desk: Desk) -> None:
    """A reward of 0 would blame the agent for what the ceiling did."""
    _answer(desk)
    ran = desk.verify(ceiling_bytes=2 * MIB)
    assert ran.exit_code != 0
    assert desk.left("reward.txt") is None
    assert desk.left("reward.json") is None


def test_a_broken_verifier_leaves_no_reward(desk: Desk) -> None:
    _answer(desk)
    ran = desk.verify(without=EXPECTED)
    assert ran.exit_code != 0
    assert desk.left("reward.txt") is None
    assert desk.left("reward.json") is None
