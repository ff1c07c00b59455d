"""A data folder with the golden log, and ways to meet its server."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

import store
from barograph.codec import encode
from barograph.envelope import Belongs, Event
from barograph.facts import PhaseStarted
from barograph.folder import DataFolder
from store.serving.client import Served
from tests.stores import golden_lines


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    data = DataFolder.create(tmp_path / "data")
    (data.journal / "golden.000000.jsonl").write_bytes(b"\n".join([*golden_lines(), b""]))
    return data


@pytest.fixture
def served(folder: DataFolder) -> Generator[Served]:
    with store.connect(folder) as opened:
        opened.load()
        yield opened


def run_program(*arguments: str | Path) -> "subprocess.Popen[str]":
    """The program as a user starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write_more(folder: DataFolder, events: int, *, source: str = "rmore") -> int:
    """Append events of a source to the journal; how many it has now."""
    path = folder.journal / f"{source}.000000.jsonl"
    before = len(path.read_bytes().splitlines()) if path.exists() else 0
    lines: list[bytes] = []
    for seq in range(before, before + events):
        payload = PhaseStarted(phase="agent", limit_s=None)
        belongs = Belongs(sweep="s1", trial=f"t{seq}", try_no=1)
        event = Event(
            source=source, seq=seq, t_us=seq, mono_us=seq, belongs=belongs, payload=payload
        )
        lines.append(encode(event))
    # In one piece: tests count what is there meanwhile.
    with path.open("ab", buffering=0) as file:
        file.write(b"".join(lines))
    return before + events


def count_of(served: Served, source: str = "rmore") -> int:
    """How many events of the source are in the tables."""
    rows = served.ask("SELECT source FROM phase_started").rows
    return sum(row == (source,) for row in rows)
