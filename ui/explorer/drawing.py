"""Draw one Vega-Lite specification: ``python -m ui.explorer.drawing svg|png``.

Reads the specification as JSON from standard input and writes the picture to standard
output; run as a child so that the renderer's memory goes with it (``downloads``). Nothing
is fetched: the renderer may reach no address at all.
"""

import json
import sys
from typing import Final

import vl_convert

_SCALE: Final = 2.0  # twice the pixels: sharp on a slide


def main(arguments: list[str]) -> int:
    """Draw; see the module's docstring."""
    spec = json.load(sys.stdin)
    if arguments == ["svg"]:
        sys.stdout.write(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
        return 0
    if arguments == ["png"]:
        png = vl_convert.vegalite_to_png(spec, scale=_SCALE, allowed_base_urls=[])
        sys.stdout.buffer.write(png)
        return 0
    sys.stderr.write("which form: svg or png\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
