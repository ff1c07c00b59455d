"""Where answers go: one JSON document, or something for people to read.

Standard output carries the answer and nothing else. Whatever is said on the way
(progress, what was loaded) goes to standard error, so that an answer can be piped
while a person still sees that something happens.
"""

import json
import sys
from collections.abc import Mapping
from typing import Final

from rich.console import Console, RenderableType

from analysis.plain import to_plain
from ui.cli.config import Config

JSON_VERSION: Final = 1
"""Version of every ``--json`` shape; a field that changes its meaning raises it."""


class _Printer(Console):
    """Leaves a reader that went away to ``ui.cli.main``, as every other failure."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(config: Config) -> Console:
    """Standard output for people: colour on a terminal only, at the config's width."""
    return _Printer(width=config.width, highlight=False, markup=False, emoji=False)


def notices(config: Config) -> Console:
    """Standard error for people, for what is said before the answer is there."""
    return _Printer(stderr=True, width=config.width, highlight=False, markup=False, emoji=False)


def show(on: Console, shown: RenderableType) -> None:
    """Print without the spaces that fill lines up: nobody sees them, but a pipe carries them."""
    with on.capture() as captured:
        on.print(shown)
    for line in captured.get().splitlines():
        on.file.write(f"{line.rstrip(' ')}\n")


def answer(config: Config, kind: str, content: object, shown: RenderableType) -> None:
    """Give one answer, in the way that was asked for.

    Args:
        config: whether JSON is wanted.
        kind: the command's name; becomes ``kind`` in the document.
        content: a mapping or dataclass of results; its fields follow ``kind`` and ``v``.
        shown: the same for people.

    """
    if not config.as_json:
        show(console(config), shown)
        return
    plain = to_plain(content)
    if not isinstance(plain, Mapping):
        raise TypeError(f"an answer is an object, not {type(plain).__name__}")
    document = {"kind": kind, "v": JSON_VERSION, **plain}
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write("\n")
