"""Names and commands inside a chart: one line, cut, and unable to turn what stands beside them.

A canvas lays text out by Unicode's rules, so a name with a right-to-left override would
mirror the words after it; such marks are left out, and right-to-left text is isolated.
"""

import re
from typing import Final

from ui.text import shortened

_MARKS: Final = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\x00-\x08\x0e-\x1f\x7f-\x9f]"
)


def name(text: str, most: int = 40) -> str:
    """A name of at most ``most`` characters."""
    line = shortened(_MARKS.sub("", text), most)
    return line if line.isascii() else f"\u2068{line}\u2069"
