"""An estimate with its interval as a picture of one line: ``├──●────┤``.

Several lines on one axis are a figure that survives a terminal, a pipe and a chat. The
mark stands for the estimate, the ends for the interval; where the two ends fall into the
cell of the mark, only the mark is drawn, because a point must never look wider than it is
known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

MARK: Final = "●"
_TICKS: Final = 3
_STEPS: Final = (10, 15, 20, 25, 30, 40, 50)
"""Half the span of an axis; the smallest one keeps noise from being blown up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """What the cells of a line stand for."""

    low: float
    high: float
    cells: int

    @classmethod
    def around(cls, values: Sequence[float], *, cells: int) -> "Axis":
        """Choose ends for percentages, so that the middle is a round number too.

        Args:
            values: every number that will be drawn, 0 to 100.
            cells: width of the picture.

        """
        least, most = min(values, default=0.0), max(values, default=100.0)
        for step in _STEPS:
            low = min(math.floor(least / step) * step, 100 - 2 * step)
            if low + 2 * step >= most:
                break
        else:
            low, step = 0, 50
        return cls(low=low, high=low + 2 * step, cells=cells)

    def cell(self, value: float) -> int:
        """The cell that a value falls into, held to the picture."""
        place = (value - self.low) / (self.high - self.low) * (self.cells - 1)
        return min(self.cells - 1, max(0, round(place)))

    def labels(self) -> str:
        """The line below: the two ends and the middle, as whole as they are."""
        line = [" "] * self.cells
        for tick in range(_TICKS):
            value = self.low + (self.high - self.low) * tick / (_TICKS - 1)
            text = f"{value:g}"
            start = round((self.cells - len(text)) * tick / (_TICKS - 1))
            line[start : start + len(text)] = text
        return "".join(line)


def whisker(axis: Axis, estimate: float | None, low: float | None, high: float | None) -> Text:
    """One line of the picture; empty where there is no estimate."""
    line = [" "] * axis.cells
    if estimate is None:
        return Text("".join(line))
    mark = axis.cell(estimate)
    if low is not None and high is not None:
        first, last = axis.cell(low), axis.cell(high)
        line[first : last + 1] = "─" * (last + 1 - first)
        if first < mark:
            line[first] = "├"
        if last > mark:
            line[last] = "┤"
    drawn = Text("".join(line), style="dim")
    text = Text("".join(line[:mark]), style="dim")
    text.append(MARK, style="not dim bold")
    text.append(drawn.plain[mark + 1 :])
    return text
