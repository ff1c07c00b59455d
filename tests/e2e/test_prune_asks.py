"""On a terminal ``prune`` asks before it removes: what a person sees, and what each answer does."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from barograph.folder import DataFolder
from tests.e2e.conftest import PROGRAM, TIMEOUT_S, barograph
from tests.ending import gone
from tests.explored import Tried, folder_with
from tests.needs import need_program

QUESTION = "Remove it for good? [y/N]: "


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """A data folder with a small sweep that nobody writes any more."""
    made = folder_with(tmp_path / "made", [Tried(task="sort"), Tried(task="sum")])
    folder = DataFolder.create(tmp_path / "data")
    for path in made.journal.glob("*.jsonl"):
        (folder.journal / path.name).write_bytes(path.read_bytes())
    return folder


@dataclass
class Person:
    """Who sits at a terminal in which a command runs."""

    process: "subprocess.Popen[bytes]"
    keyboard: int
    seen: str = ""

    def sees(self, words: str) -> None:
        """Wait until the screen says something."""
        while words not in self.seen:
            assert self._look(), self.seen

    def types(self, keys: str) -> None:
        """Press keys, once the command waits for them.

        Between its question and that, Python would forget a Ctrl-C until the next key.
        """
        deadline = time.monotonic() + TIMEOUT_S
        while _state(self.process.pid) != "S":
            assert time.monotonic() < deadline, self.seen
            time.sleep(0.01)
        os.write(self.keyboard, keys.encode())

    def ends(self) -> int:
        """Wait for the end; the exit code."""
        while self._look():
            pass
        return self.process.wait(TIMEOUT_S)

    def _look(self) -> bool:
        assert select.select([self.keyboard], [], [], TIMEOUT_S)[0], self.seen
        try:
            shown = os.read(self.keyboard, 4096)
        except OSError:  # so a terminal ends when nobody has it open any more
            return False
        self.seen += shown.decode()
        return True


def _state(pid: int) -> str:
    """What a process does, as ``ps`` says it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@contextmanager
def pruning(
    folder: DataFolder, *, answers: int | None = None, says: int | None = None
) -> Generator[Person]:
    """``prune`` in a terminal of its own, or with another standard output or error."""
    need_program("setsid")  # without a session of its own, Ctrl-C would be for nobody
    keyboard, terminal = pty.openpty()
    command = [PROGRAM, "prune", "--sweep", "tested", "--dir", str(folder.root)]
    process = subprocess.Popen(
        ["setsid", "--ctty", *command],
        stdin=terminal,
        stdout=terminal if answers is None else answers,
        stderr=terminal if says is None else says,
        env=os.environ | {"TERM": "dumb", "COLUMNS": "140"},
    )
    os.close(terminal)
    try:
        yield Person(process, keyboard)
    finally:
        gone(process)
        os.close(keyboard)


def lines(folder: DataFolder) -> list[bytes]:
    return [
        line
        for path in sorted(folder.journal.glob("*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]


def test_a_yes_removes(folder: DataFolder) -> None:
    with pruning(folder) as person:
        person.sees(QUESTION)
        shown = person.seen.replace("\r\n", "\n")
        assert shown.startswith("Would remove 1 sweep.\n")
        assert "tested (s1): 2 trials, 11 events" in shown
        assert shown.endswith(f"the numbers of the events.\n\n{QUESTION}")
        person.types("perhaps\n")
        person.sees("invalid")
        person.types("y\n")
        assert person.ends() == 0
        assert "Removed 1 sweep." in person.seen
    assert [b'"log.pruned"' in line for line in lines(folder)] == [True]
    assert barograph("status", "--dir", folder.root, "--json").answer["sweep"] is None


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("n\n", "nothing was removed"),
        ("\n", "nothing was removed"),
        ("\x04", "interrupted, and nothing was removed"),
        ("\x03", "interrupted, and nothing was removed"),
    ],
    ids=["no", "enter", "Ctrl-D", "Ctrl-C"],
)
def test_anything_else_removes_nothing(folder: DataFolder, keys: str, sentence: str) -> None:
    before = lines(folder)
    with pruning(folder) as person:
        person.sees(QUESTION)
        person.types(keys)
        assert person.ends() == 130
        # In a line of its own, behind what the terminal shows of the keys.
        assert person.seen.endswith(f"\r\nbarograph: {sentence}\r\n")
    assert lines(folder) == before
    assert barograph("status", "--dir", folder.root, "--json").answer["sweep"]["name"] == "tested"


def test_the_answer_may_go_into_a_file(folder: DataFolder, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    with answer.open("wb") as file, pruning(folder, answers=file.fileno()) as person:
        person.sees(QUESTION)
        person.types("yes\n")
        assert person.ends() == 0
    assert answer.read_text().startswith("Removed 1 sweep.\n")


def test_somebody_who_cannot_see_the_question_is_not_asked(
    folder: DataFolder, tmp_path: Path
) -> None:
    before = lines(folder)
    said = tmp_path / "said"
    with said.open("wb") as file, pruning(folder, says=file.fileno()) as person:
        assert person.ends() == 2
        assert person.seen == ""
    sentence = "barograph: --yes: nobody can be asked here; look at --dry-run, then give --yes\n"
    assert said.read_text() == sentence
    assert lines(folder) == before
