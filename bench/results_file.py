"""Results of a benchmark, side by side for people and programs, with how they were got."""

import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

RESULTS: Final = Path(__file__).parent / "results"


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows of equal keys as a Markdown table."""
    keys = list(rows[0])
    lines = ["| " + " | ".join(keys) + " |", "|" + " --- |" * len(keys)]
    lines += ["| " + " | ".join(_cell(row[key]) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def write(
    name: str,
    module: str,
    rows: Sequence[Mapping[str, object]],
    details: Mapping[str, object],
    *,
    folder: Path = RESULTS,
) -> str:
    """Keep a result as ``NAME.md`` and ``NAME.json``; returns the Markdown.

    Args:
        name: of the files.
        module: what was run, as ``python -m`` takes it.
        rows: the table.
        details: settings and single numbers.
        folder: where to.

    """
    command = shlex.join(["python", "-m", module, *sys.argv[1:]])
    machine = f"{os.cpu_count()} cores, Linux {platform.release()}, Python {sys.version.split()[0]}"
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    notes = "\n".join(f"- {key}: {_cell(value)}" for key, value in details.items())
    text = f"# {name}\n\n`{command}`, {when}, {machine}\n\n{table(rows)}\n\n{notes}\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    record = {"command": command, "when": when, "machine": machine, "rows": rows, **details}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return text


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
