"""``python -m collector --dir DIR``: take the folder's lock, then serve until nobody is left.

Plain argparse: the collector starts with every sweep and has no use for a framework.
"""

import argparse
import sys
from pathlib import Path
from typing import Final, TextIO

from barograph.clock import SystemClock
from barograph.daemons import locked
from barograph.errors import BarographError, InputError
from barograph.folder import DEFAULT_FOLDER, DataFolder
from barograph.ids import new_source
from barograph.log.journal import JournalLog
from barograph.writer import Writer
from collector.attach import foreign
from collector.errors import CollectorBusyError
from collector.probes.held import raise_file_limit
from collector.recorder import Recorder
from collector.service import Options, Service
from collector.standing import Priority, ask_to_be_spared

_SHORTEST_INTERVAL_S: Final = 0.05


def main(arguments: list[str] | None = None) -> int:
    """Run a collector; the return value is the exit code."""
    given = _parser().parse_args(arguments)
    try:
        _serve(given)
    except BarographError as error:
        print(f"collector: {error}", file=sys.stderr)  # noqa: T201 - the program's own main
        return int(error.exit_code)
    return 0


def _serve(given: argparse.Namespace) -> None:
    options = _options(given)
    cgroups: list[str] = given.cgroup
    watches = [foreign(path, reset_peaks=given.reset_peaks) for path in cgroups]
    folder = DataFolder.create(given.dir)
    with _locked(folder.collector_lock):
        raise_file_limit()
        ask_to_be_spared()
        clock = SystemClock()
        log = JournalLog(folder.journal)
        recorder = Recorder(Writer(log, source=new_source("c"), clock=clock), clock)
        service = Service(folder, log, recorder, clock, options, Priority().gaps)
        for watch in watches:
            service.watchlist.watch(watch, None)
        service.run()
        log.close()


def _options(given: argparse.Namespace) -> Options:
    if not given.interval_s >= _SHORTEST_INTERVAL_S:
        raise InputError(
            "too short",
            field="--interval-s",
            value=given.interval_s,
            remedy=f"at least {_SHORTEST_INTERVAL_S}",
        )
    if not given.linger_s >= 0:
        raise InputError("below 0", field="--linger-s", value=given.linger_s)
    return Options(interval_s=given.interval_s, linger_s=given.linger_s)


def _locked(path: Path) -> TextIO:
    """Take the lock (held while the file is open) and leave our pid in it.

    Raises:
        CollectorBusyError: another collector holds it.

    """
    held = locked(path)
    if isinstance(held, str):
        raise CollectorBusyError(
            f"the collector with pid {held} has this folder",
            where=path.parent.parent,
            remedy="use it, or stop it first",
        )
    return held


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m collector",
        description="Watch cgroups each second and write what is seen to a data folder.",
    )
    parser.add_argument("--dir", default=DEFAULT_FOLDER, help="data folder (%(default)s)")
    parser.add_argument(
        "--interval-s", type=float, default=1.0, help="seconds between samples (%(default)s)"
    )
    parser.add_argument(
        "--linger-s",
        type=float,
        default=10.0,
        help="seconds to stay without target and client (%(default)s)",
    )
    parser.add_argument(
        "--cgroup",
        action="append",
        default=[],
        metavar="PATH",
        help="watch this cgroup, which somebody else made; may be given again",
    )
    parser.add_argument(
        "--reset-peaks",
        action="store_true",
        help="reset the peak of those cgroups each second (v1: every other reader sees that)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
