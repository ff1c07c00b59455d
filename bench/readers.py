"""People with a page open each: a process of page-query readers, for benches of what serves.

``python -m bench.readers DIR --pages Live Trials ...``: a thread a page asks that page's
queries (``bench.asking``) through a client of its own, waits ``--think-s``, and asks again,
until standard input is closed. Then it prints how long each page took.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from barograph.folder import DataFolder
from bench.asking import PAGES, view_of
from store.serving.client import connect

FOUR: Final = ("Live", "Trials", "Trial, killed", "Live, weather of the sweep")


class Readers:
    """Such a process for the length of a block."""

    def __init__(
        self, folder: DataFolder, *, pages: Sequence[str] = FOUR, think_s: float = 1.0
    ) -> None:
        """Begin at the start of the block."""
        command = [sys.executable, "-m", "bench.readers", str(folder.root)]
        self._command = [*command, "--think-s", str(think_s), "--pages", *pages]
        self._process: subprocess.Popen[str] | None = None
        self.times_s: dict[str, list[float]] = {}
        """Page -> how long its queries took, each time; when the block is over."""

    def __enter__(self) -> Self:
        """Begin, and wait until all have read once."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "reading"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        assert self._process is not None
        out, _ = self._process.communicate(timeout=120)
        self.times_s = json.loads(out)


def main() -> None:
    """Read until standard input is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--think-s", type=float, default=1.0)
    parser.add_argument("--pages", nargs="+", choices=list(PAGES), default=FOUR)
    options = parser.parse_args()
    folder = DataFolder.existing(options.folder)
    over = threading.Event()
    begun = threading.Barrier(len(options.pages) + 1)
    times: dict[str, list[float]] = {page: [] for page in options.pages}

    def read(page: str) -> None:
        try:
            with connect(folder) as served:
                view = view_of(served)
                PAGES[page](served, view)
                begun.wait()
                while not over.wait(options.think_s):
                    began = time.perf_counter()
                    PAGES[page](served, view)
                    times[page].append(time.perf_counter() - began)
        except BaseException:  # noqa: BLE001 - whatever it was
            # One reader less would be a better figure: all end.
            traceback.print_exc()
            os._exit(1)

    threads = [threading.Thread(target=read, args=(page,)) for page in options.pages]
    for thread in threads:
        thread.start()
    begun.wait()
    print("reading", flush=True)
    sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join()
    print(json.dumps(times))


if __name__ == "__main__":
    main()
