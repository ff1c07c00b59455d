r"""Telling plain samples from all other lines, without decoding any of them.

DuckDB's JSON reader is fast because it is lenient: it reads ``"5"`` and ``1.5`` and ``true``
where an integer should stand. What it is given must therefore be known to be right. A
sample's line is a fixed text with numbers in it, so a line without its digits (its
*skeleton*) is one of very few: null or not for each metric, times the letters of ids. A
window of the log is stripped of its digits in one pass, and the set of skeletons in it is
looked up among those that were checked before, each of them once, by a pattern.

What the pattern leaves open, numbers without digits, numbers beyond 64 bits, bad UTF-8,
DuckDB refuses by itself, and ``store.settling`` looks at every line of such a batch.
"""

import re
from itertools import accumulate
from typing import Final

from barograph.log.port import Chunk
from barograph.metrics import METRICS
from store.batch import Batch, Place

_WINDOW_BYTES: Final = 128 << 10
_DIGITS: Final = b"0123456789"
_MOST_SKELETONS: Final = 1 << 16
_TEXT: Final = rb'"[^"\\\x00-\x1f]*"'
_OR_NULL: Final = rb"(?:null|" + _TEXT + rb")"
_PLAIN: Final = re.compile(
    rb'\{"v":,"type":"sample","source":' + _TEXT + rb',"seq":,"t_us":,"mono_us":,'
    rb'"sweep":'
    + _OR_NULL
    + rb',"trial":'
    + _OR_NULL
    + rb',"try":(?:null)?,"target":'
    + _OR_NULL
    +
    # A shorter array is an older writer's; a longer one has metrics that we do not know.
    rb',"data":\[(?:(?:null|-)?,){%d}(?:null|-)?\]\}' % (len(METRICS) - 1)
)


class Splitter:
    """Sorts the lines of chunks into a batch. Remembers the skeletons of plain samples."""

    def __init__(self) -> None:
        """Know none yet. An empty skeleton is what follows the last newline."""
        self._plain = {b""}

    def add(self, batch: Batch, chunk: Chunk) -> None:
        """Put every line of ``chunk`` into ``batch``."""
        number = batch.begin(chunk)
        data = chunk.data
        at = line = 0
        while at < len(data):
            cut = _cut(data, at)
            line += self._window(batch, data[at:cut], Place(number, at, line))
            at = cut
        batch.end(number, line)

    def _window(self, batch: Batch, window: bytes, place: Place) -> int:
        if not window.endswith(b"\n"):
            # A piece of a line that is too long for anybody to hold.
            batch.add_other(window, place)
            return 1
        skeletons = window.translate(None, _DIGITS).split(b"\n")
        lines = len(skeletons) - 1
        unknown = set(skeletons) - self._plain
        if unknown and not self._learn(unknown):
            self._mixed(batch, window, skeletons, place)
        else:
            batch.add_samples(window, lines, place)
        return lines

    def _learn(self, skeletons: set[bytes]) -> bool:
        """Remember those that are plain samples'; whether all of them are."""
        plain = {skeleton for skeleton in skeletons if _PLAIN.fullmatch(skeleton)}
        if len(self._plain) + len(plain) > _MOST_SKELETONS:
            self._plain = {b""}
        self._plain |= plain
        return len(plain) == len(skeletons)

    def _mixed(self, batch: Batch, window: bytes, skeletons: list[bytes], place: Place) -> None:
        """Take a window line by line, moving the plain samples in runs."""
        lines = window.split(b"\n")
        del lines[-1], skeletons[-1]
        starts = list(accumulate((len(line) + 1 for line in lines), initial=place.byte))
        begin = 0
        for index, skeleton in enumerate(skeletons):
            if skeleton and skeleton in self._plain:
                continue
            _move(batch, window, starts, begin, index, place)
            where = Place(place.chunk, starts[index], place.line + index)
            batch.add_other(lines[index], where)
            begin = index + 1
        _move(batch, window, starts, begin, len(lines), place)


def _move(
    batch: Batch, window: bytes, starts: list[int], begin: int, end: int, place: Place
) -> None:
    if begin < end:
        data = window[starts[begin] - place.byte : starts[end] - place.byte]
        where = Place(place.chunk, starts[begin], place.line + begin)
        batch.add_samples(data, end - begin, where)


def _cut(data: bytes, at: int) -> int:
    """Where the window that begins at ``at`` ends: behind its last newline."""
    cut = data.rfind(b"\n", at, at + _WINDOW_BYTES) + 1
    if cut == 0:
        cut = data.find(b"\n", at) + 1
    return cut or len(data)
