"""Running trials for a bench, in a process of their own, and what it counts with."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from barograph.folder import DataFolder

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


class Feeding:
    """Trials that run in a data folder for the length of a block; see ``bench.synthetic.live``."""

    def __init__(self, folder: DataFolder, *, trials: int = 1_000, seconds: int = 7_200) -> None:
        """Begin at the start of the block."""
        command = [sys.executable, "-m", "bench.synthetic.live", str(folder.root)]
        self._command = [*command, "--trials", str(trials), "--seconds", str(seconds)]
        self._process: subprocess.Popen[str] | None = None
        self.samples = 0
        """Written, when the block is over."""
        self.latest_tick_s = math.nan
        """The most that a tick was late: a feeder that is late feeds less than it says."""

    def __enter__(self) -> Self:
        """Begin."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End; the trials are left running, as after a ``kill -9``."""
        assert self._process is not None
        out, _ = self._process.communicate(timeout=60)
        told = json.loads(out)
        self.samples, self.latest_tick_s = int(told["samples"]), float(told["latest_tick_s"])


def quantile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of them do not exceed (nearest rank)."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def p50(values: Sequence[float]) -> float:
    """The median."""
    return quantile(values, 0.5)


def p95(values: Sequence[float]) -> float:
    """The value that 19 in 20 do not exceed."""
    return quantile(values, 0.95)


def rss_mb(pid: int) -> float:
    """Resident memory of a process."""
    resident = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    return int(resident) * _PAGE_BYTES / 1e6
