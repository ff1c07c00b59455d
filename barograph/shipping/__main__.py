"""``python -m barograph.shipping --dir DIR``: ship a folder's journal until all is shipped."""

import argparse
import sys

from barograph.errors import BarographError
from barograph.folder import DataFolder
from barograph.shipping.process import LINGER_S, ship


def main(arguments: list[str] | None = None) -> int:
    """Ship; the return value is the exit code."""
    parser = argparse.ArgumentParser(prog="python -m barograph.shipping", description=__doc__)
    parser.add_argument("--dir", required=True, help="data folder")
    parser.add_argument(
        "--linger-s", type=float, default=LINGER_S, help="seconds to stay after the last event"
    )
    given = parser.parse_args(arguments)
    try:
        ship(DataFolder.existing(given.dir), linger_s=given.linger_s)
    except BarographError as error:
        print(f"shipper: {error}", file=sys.stderr)  # noqa: T201 - the program's own main
        return int(error.exit_code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
