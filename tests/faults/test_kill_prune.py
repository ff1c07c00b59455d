"""Whoever kills a pruning, at whatever step: the same command ends it, and nothing comes back."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import store
from barograph.facts import NoteAdded
from barograph.folder import DataFolder
from barograph.log.segments import segments
from tests.copies import Teller
from tests.servers import stop_servers

PRUNE = ("prune", "--sweep", "s1", "--yes", "--json")
CHILD = """
import os, signal, sys
kind, left, below = sys.argv[1], int(sys.argv[2]), sys.argv[3]
CHANGES = {"os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}

def hear(event, arguments):
    global left
    if kind == "talk":
        step = event == "socket.connect"
    else:
        what = str(arguments[0]) if arguments else ""
        step = below in what and (event in CHANGES or event == "open" and what.endswith(".draft"))
    if step:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(hear)
from ui.cli.main import run
code = run(sys.argv[4:])
print("steps", left, file=sys.stderr)
raise SystemExit(code)
"""
"""Kills itself before the n-th step: something that it changes in the data folder, or something
that it asks of the store's server, among which is to say that something is pruned."""
AT_ONCE = 2


def told(path: Path) -> DataFolder:
    """A folder with two sweeps, words on both by one person, and what trials printed."""
    told = Teller()
    told.sweep("s1")
    told.sweep("s2")
    for sweep in ("s1", "s2", None):
        told.say("p1", NoteAdded(author="a", text=f"on {sweep}", host="h1"), sweep)
    folder = DataFolder.create(path)
    for line in told.lines:
        name = f"{json.loads(line)['source']}.000000.jsonl"
        with (folder.journal / name).open("ab") as file:
            file.write(line + b"\n")
    for trial in ("s1-t", "s2-t"):
        output = folder.try_folder(trial, 1)
        output.mkdir(parents=True)
        (output / "agent.txt").write_text("hello")
    return folder


def pruned(folder: DataFolder, kind: str, step: int) -> subprocess.CompletedProcess[str]:
    """Prune; killed before a step (0: not at all)."""
    command = [sys.executable, "-c", CHILD, kind, str(step), str(folder.root)]
    return subprocess.run(
        [*command, *PRUNE, "--dir", str(folder.root)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ,
    )


def state(folder: DataFolder) -> tuple[list[bytes], list[str]]:
    """The lines of the journal but for prunings, and what trials printed."""
    lines = [
        line
        for path in segments(folder.journal)
        for line in path.read_bytes().splitlines()
        if b'"log.pruned"' not in line
    ]
    return sorted(lines), sorted(path.name for path in folder.trials.iterdir())


def in_the_database(folder: DataFolder, words: bytes) -> bool:
    """Whether its file still has these bytes, in whatever row or none."""
    return any(words in path.read_bytes() for path in folder.root.glob("barograph.duckdb*"))


def steps_of_a_whole_one(folder: DataFolder, kind: str) -> int:
    """How many steps it takes when nobody kills it."""
    ended = pruned(folder, kind, 0)
    assert ended.returncode == 0, ended.stderr
    return -int(ended.stderr.split()[-1])


def test_a_pruning_that_is_killed_before_any_step_is_ended_by_the_next(tmp_path: Path) -> None:
    whole = told(tmp_path / "whole")
    changes = steps_of_a_whole_one(whole, "change")
    talks = steps_of_a_whole_one(told(tmp_path / "talks"), "talk")
    assert changes > 10
    lines, outputs = state(whole)
    assert outputs == ["s2-t"]
    assert not any(b'"s1"' in line for line in lines)
    assert sum(b'"note.added"' in line for line in lines) == 2

    def killed_and_ended(kind: str, step: int) -> None:
        folder = told(tmp_path / f"{kind}{step}")
        killed = pruned(folder, kind, step)
        assert killed.returncode == -signal.SIGKILL, (kind, step, killed.stderr)
        again = pruned(folder, kind, 0)
        assert again.returncode == 0, (kind, step, again.stderr)
        assert state(folder) == (lines, outputs), (kind, step)
        with store.connect(folder) as served:
            served.load()
            assert served.audit().ok, (kind, step)
        stop_servers(folder.root)
        assert in_the_database(folder, b"on s2")
        assert not in_the_database(folder, b"on s1"), (kind, step)

    # The last that it asks: to load, to say what goes, to make the tables anew. What it asks
    # before only finds the server.
    steps = [("talk", talks - back) for back in range(3)]
    steps += [("change", step) for step in range(1, changes + 1)]
    with ThreadPoolExecutor(AT_ONCE) as hands:
        for done in [hands.submit(killed_and_ended, *one) for one in steps]:
            done.result()
