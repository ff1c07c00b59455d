"""What each program of the pack needs, how far it goes with room, and what it earns.

The table of ``examples/README.md`` is written from here, by ``python -m bench.pack peaks``;
the tests hold every number in it against a new measurement.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from bench.pack.lab import EXAMPLES, MIB, WAYS, Desk, Ran, task_names
from runner.tasks import load_task

STATED: Final = EXAMPLES / "peaks.json"
README: Final = EXAMPLES / "README.md"
MARKS: Final = ("<!-- peaks: begin -->\n", "<!-- peaks: end -->\n")

_STEP_BYTES: Final = MIB // 4

Program = Literal["setup", "lean", "heavy", "solution", "verifier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """One program of one task."""

    needs_mb: float
    """The smallest ceiling under which it ends well, to a quarter of a MiB."""
    peak_mb: float
    """What the kernel counts at most with no ceiling, page cache included, in MiB."""
    cpu_s: float
    """Of the run with no ceiling, starting the interpreter included."""
    right: bool | None
    """Whether the verifier accepts the answer; None for set-up and verifier themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPeaks:
    """One row of the table."""

    spec_mb: int
    setup: Peak
    lean: Peak
    heavy: Peak
    solution: Peak
    verifier: Peak


def accepted(desk: Desk) -> bool:
    """Whether the verifier accepts what lies in /app now.

    Raises:
        ValueError: it left no reward.

    """
    ran = desk.verify()
    txt, structured = desk.left("reward.txt"), desk.left("reward.json")
    if structured is not None:
        return bool(json.loads(structured)["reward"] == 1)
    if txt is None:
        raise ValueError(f"the verifier of {desk.task} left no reward: {ran.output}")
    return float(txt) == 1


def smallest_ceiling(run: Callable[[int], Ran], enough_bytes: int) -> int:
    """By halving, between nothing and ``enough_bytes``, which must be enough."""
    low, high = 0, enough_bytes
    while high - low > _STEP_BYTES:
        middle = (low + high) // 2
        if run(middle).exit_code == 0:
            high = middle
        else:
            low = middle
    return high


def _peak(run: Callable[[int | None], Ran], right: Callable[[], bool] | None) -> Peak:
    free = run(None)
    if free.exit_code != 0:
        raise ValueError(f"failed with all the room there is: {free.output}")
    accepts = None if right is None else right()
    needs = smallest_ceiling(run, free.peak_bytes + MIB)
    return Peak(
        needs_mb=round(needs / MIB, 1),
        peak_mb=round(free.peak_bytes / MIB, 1),
        cpu_s=round(free.cpu_s, 2),
        right=accepts,
    )


def measure(task: str, scratch: Path) -> TaskPeaks:
    """Measure all programs of a task; ``scratch`` is an empty folder on a disk."""
    folder = Path(tempfile.mkdtemp(prefix=f"{task}-", dir=scratch))

    def set_up(ceiling_bytes: int | None) -> Ran:
        root = Path(tempfile.mkdtemp(prefix="setup-", dir=folder)) / "root"
        return Desk(root, task, ceiling_bytes=ceiling_bytes).setup

    desk = Desk(folder / "root", task)
    found: dict[Program, Peak] = {"setup": _peak(set_up, None)}
    for way in WAYS:
        desk.forget()

        def run(ceiling_bytes: int | None, way: Literal["lean", "heavy"] = way) -> Ran:
            return desk.program(way, ceiling_bytes=ceiling_bytes)

        found[way] = _peak(run, lambda: accepted(desk))
    desk.forget()
    found["solution"] = _peak(
        lambda ceiling: desk.solution(ceiling_bytes=ceiling), lambda: accepted(desk)
    )
    desk.solution()
    found["verifier"] = _peak(lambda ceiling: desk.verify(ceiling_bytes=ceiling), None)
    spec_bytes = load_task(EXAMPLES / "tasks" / task).spec.memory_bytes
    assert spec_bytes is not None
    return TaskPeaks(spec_mb=spec_bytes // MIB, **found)


def stated() -> dict[str, TaskPeaks]:
    """The table as it is kept."""
    table = json.loads(STATED.read_text())
    return {
        task: TaskPeaks(
            spec_mb=row.pop("spec_mb"), **{name: Peak(**peak) for name, peak in row.items()}
        )
        for task, row in table.items()
    }


def in_words(table: dict[str, TaskPeaks]) -> str:
    """The table for people, tasks by what their heavy program needs."""
    lines = [
        "| task | spec | lean needs | right | heavy needs | of spec | right | CPU s lean, heavy |",
        "|---|---:|---:|---|---:|---:|---|---:|",
    ]
    yes_no = {True: "yes", False: "**no**", None: ""}
    for task, row in sorted(table.items(), key=lambda one: one[1].heavy.needs_mb / one[1].spec_mb):
        lean, heavy = row.lean, row.heavy
        lines.append(
            f"| {task} | {row.spec_mb} | {lean.needs_mb} | {yes_no[lean.right]} | {heavy.needs_mb} "
            f"| {heavy.needs_mb / row.spec_mb:.2f}x | {yes_no[heavy.right]} "
            f"| {lean.cpu_s:.2f}, {heavy.cpu_s:.2f} |"
        )
    return "\n".join(lines) + "\n"


def write(scratch: Path, tasks: list[str]) -> None:
    """Measure, and write both the table and its readable form."""
    table = stated() if STATED.exists() else {}
    for task in tasks or task_names():
        table[task] = measure(task, scratch)
        print(task, table[task].lean, table[task].heavy, flush=True)
        _keep({name: table[name] for name in task_names() if name in table})


def _keep(table: dict[str, TaskPeaks]) -> None:
    text = json.dumps({task: asdict(row) for task, row in table.items()}, indent=1)
    STATED.write_text(f"{text}\n")
    before, _, rest = README.read_text().partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    README.write_text(f"{before}{MARKS[0]}\n{in_words(table)}\n{MARKS[1]}{after}")
