"""Tools of the pack: ``python -m bench.pack truth | peaks | design``, then tasks (default: all)."""

import argparse
import tempfile
from pathlib import Path

from bench.pack import design, peaks
from bench.pack.lab import TASKS, Desk, task_names
from bench.pack.truth import EXPECTED, TRUTHS


def write_truth(scratch: Path, tasks: list[str]) -> None:
    """Compute the right answers and put them where the verifiers read them."""
    for task in tasks or task_names():
        desk = Desk(scratch / task, task)
        text = TRUTHS[task](desk.app)
        name = EXPECTED[text[0] in "{["]
        (TASKS / task / "tests" / name).write_text(text)
        print(f"{task}: {name}, {len(text)} bytes")


def main() -> None:
    """Run one of the tools."""
    parser = argparse.ArgumentParser(prog="python -m bench.pack", description=__doc__)
    parser.add_argument("--scratch", type=Path, help="folder on a disk (default: a temporary one)")
    parser.add_argument("tool", choices=("truth", "peaks", "design"))
    parser.add_argument("tasks", nargs="*", help="default: all")
    asked = parser.parse_args()
    if asked.tool == "design":
        print(design.report())
        return
    with tempfile.TemporaryDirectory(prefix="bgpack-", dir=asked.scratch) as folder:
        tool = {"truth": write_truth, "peaks": peaks.write}[asked.tool]
        tool(Path(folder), asked.tasks)


if __name__ == "__main__":
    main()
