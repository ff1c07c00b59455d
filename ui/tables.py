"""Tables and headings in the one style that every report uses.

No frames: a rule under the header and white space between columns are enough to read
by, and survive being pasted into a message. Numbers stand on their right edge so that
their digits line up, text stands on its left. Cells do not wrap unless a column says so:
a number broken over two lines cannot be read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ui.palette import BOLD, DIM

Cell = str | Text

_LEAST: Final = 8
"""What a column that gives way keeps at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's head and how it behaves when there is not room enough."""

    head: str
    align: Literal["left", "right"] = "left"
    fold: bool = False
    """Whether long cells go on in the next line; else the end of them is cut."""
    dim: bool = False
    shrink: bool = False
    """Whether this column gives way first when the terminal is narrow."""


def text(head: str, *, fold: bool = False, dim: bool = False, shrink: bool = False) -> Column:
    """A column of words."""
    return Column(head=head, fold=fold, dim=dim, shrink=shrink)


def number(head: str, *, dim: bool = False) -> Column:
    """A column of numbers, right-aligned."""
    return Column(head=head, align="right", dim=dim)


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> Table:
    """Put rows under heads; every row has one cell for each column."""
    made = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style=DIM,
        border_style=DIM,
    )
    listed = [list(row) for row in rows]
    for place, column in enumerate(columns):
        cells = [_plain(row[place]) for row in listed]
        made.add_column(
            column.head,
            justify=column.align,
            no_wrap=not column.fold,
            overflow="fold" if column.fold else "ellipsis",
            style=DIM if column.dim else "",
            # Where room is short, columns of words give way; no number ever does.
            min_width=_LEAST if column.shrink or column.fold else _widest([column.head, *cells]),
        )
    for row in listed:
        made.add_row(*row)
    return made


def pairs(rows: Iterable[tuple[str, Cell | RenderableType]]) -> Table:
    """Names on the left, values on the right, without a header."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, style=DIM)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, value)
    return grid


def answer(sentence: Cell) -> Text:
    """The sentence that answers the question: first, and bold."""
    said = Text(sentence) if isinstance(sentence, str) else sentence.copy()
    said.stylize(BOLD)
    return said


def section(title: str, *content: RenderableType) -> Group:
    """A heading with its content indented below it, and a blank line before."""
    return Group(Text(), Text(title, style=BOLD), *map(indented, content))


def indented(content: RenderableType) -> Padding:
    """Two columns in, as everything below a heading is."""
    return Padding(content, (0, 0, 0, 2), expand=False)


def bullets(lines: Iterable[Cell]) -> Table:
    """Sentences with a dot before each; a long one is folded under itself."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, style=DIM)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row("·", line)
    return grid


def _plain(cell: Cell) -> str:
    return cell.plain if isinstance(cell, Text) else cell


def _widest(texts: Iterable[str]) -> int:
    return max((cell_len(line) for text in texts for line in text.split("\n")), default=0)
