"""Writes the reference documents that are lists of what the code holds.

``python -m tests.repo.documented --write`` brings docs/events.md and docs/metrics.md up to
date; without ``--write`` it says whether they are. A test calls the same functions, so a
new event field or metric that nobody described cannot be merged.
"""

import ast
import builtins
import collections.abc
import dataclasses
import inspect
import json
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

from barograph import facts
from barograph.envelope import Belongs, Event
from barograph.facts import FACTS
from barograph.metrics import METRICS
from tests.repo.tree import ROOT

GENERATED = "<!-- Made by `python -m tests.repo.documented --write`; edit the code instead. -->"


def metrics_document() -> str:
    """docs/metrics.md: the metric table."""
    rows = [
        f"| {number} | `{metric.name}` | {metric.unit} | {metric.kind} | {metric.meaning} |"
        for number, metric in enumerate(METRICS, 1)
    ]
    return "\n".join(
        [
            "# What does a sample hold? The metric table",
            "",
            GENERATED,
            "",
            "A `sample` event carries its values as an array in this order.",
            "A value that was not read is `null`, never 0.",
            "Rows are only ever appended, so an old log keeps its meaning.",
            "",
            "- *gauge*: the value at the read",
            "- *delta*: the change of a counter since the last read",
            "- *peak*: the highest value in the interval",
            "- *code*: a small enumeration",
            "",
            "| # | name | unit | kind | meaning |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def events_document() -> str:
    """docs/events.md: the envelope, then every event with its fields."""
    parts = [
        "# What can be said? Events and their fields",
        "",
        GENERATED,
        "",
        "An event is one line of JSON: an envelope, and under `data` what happened.",
        "Types and fields that a version does not know are kept and passed on, never dropped.",
        "A value that is not known is `null`; it is never 0 for want of knowledge.",
        "",
        "## The envelope",
        "",
        "| field | meaning |",
        "|---|---|",
        *_envelope_rows(),
        "",
    ]
    for name, fact in FACTS.items():
        parts += [f"## `{name}`", "", _first_paragraph(fact), ""]
        if name == "sample":
            parts += [
                "`data` is an array; its places are the rows of [metrics.md](metrics.md).",
                "",
            ]
            continue
        parts += ["| field | type | meaning |", "|---|---|---|", *_field_rows(fact), ""]
        parts += _nested(fact)
    return "\n".join(parts)


def _envelope_rows() -> Iterator[str]:
    told = {**_field_docs(Event), **_field_docs(Belongs)}
    meanings = {
        "v": "version of the event's type",
        "type": "one of the headings below",
        "source": "who says it: one incarnation of one process",
        "seq": "0, 1, 2, ... without gaps; (`source`, `seq`) is the event's identity",
        "t_us": told["t_us"],
        "mono_us": told["mono_us"],
        "sweep": "id of the sweep it belongs to",
        "trial": "id of the planned trial",
        "try": told["try_no"],
        "target": told["target"],
        "data": "the fields of the event",
    }
    yield from (f"| `{name}` | {_cell(meaning)} |" for name, meaning in meanings.items())


def _field_rows(fact: type) -> Iterator[str]:
    told, hints = _field_docs(fact), get_type_hints(fact)
    for field in dataclasses.fields(fact):
        if field.name == "extra":
            continue
        kind = _type_name(hints[field.name])
        yield f"| `{field.name}` | {_cell(kind)} | {_cell(told.get(field.name, ''))} |"


def _nested(fact: type) -> Iterator[str]:
    """The fields of values that an event holds, such as ``Raised``."""
    for name, value in sorted(vars(facts).items()):
        if not (isinstance(value, type) and dataclasses.is_dataclass(value)):
            continue
        if value in FACTS.values() or name not in "".join(_field_rows(fact)):
            continue
        yield from (f"`{name}`: {_first_paragraph(value)}", "")
        yield from ("| field | type | meaning |", "|---|---|---|", *_field_rows(value), "")


def _type_name(hint: object) -> str:
    """A type in the words of JSON: ``string or null``."""
    arguments = get_args(hint)
    match get_origin(hint):
        case typing.Literal:
            return " or ".join(f"`{json.dumps(value)}`" for value in arguments)
        case types.UnionType | typing.Union:
            return " or ".join(map(_type_name, arguments))
        case collections.abc.Mapping:
            return f"object of {_type_name(arguments[1])} by name"
        case builtins.list:
            return f"list of {_type_name(arguments[0])}"
        case _:
            return _JSON_NAMES.get(hint, getattr(hint, "__name__", str(hint)))


_JSON_NAMES: Mapping[object, str] = {
    bool: "boolean",
    float: "number",
    int: "integer",
    object: "anything",
    str: "string",
    type(None): "null",
}


def _field_docs(owner: type) -> dict[str, str]:
    """Field -> the string literal that follows it in the source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    if not isinstance(tree, ast.ClassDef):
        return {}
    told: dict[str, str] = {}
    for before, node in zip(tree.body, tree.body[1:], strict=False):
        match before, node:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                told[name] = inspect.cleandoc(text)
            case _:
                pass
    return told


def _first_paragraph(owner: type) -> str:
    paragraph = inspect.cleandoc(owner.__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.replace("``", "`").split())


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").replace("|", "\\|").split())


DOCUMENTS: Mapping[Path, Callable[[], str]] = {
    ROOT / "docs" / "events.md": events_document,
    ROOT / "docs" / "metrics.md": metrics_document,
}


def main() -> int:
    """Write the documents, or say which are out of date."""
    stale = [
        path for path, make in DOCUMENTS.items() if not path.exists() or path.read_text() != make()
    ]
    for path in stale:
        if "--write" in sys.argv[1:]:
            path.write_text(DOCUMENTS[path]())
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    return 0 if "--write" in sys.argv[1:] else len(stale)


if __name__ == "__main__":
    sys.exit(main())
