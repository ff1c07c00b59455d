"""What the process asks of the kernel for itself: to be awake in time, and to be spared.

On cgroup v1 the kernel announces an OOM microseconds before it kills. A victim that lived
for less than a tick can only be placed by looking into its cgroup in that moment, and a
process of ordinary priority on a busy machine is awake some milliseconds too late: of 180 such
kills 9 victims stayed unnamed, 12 had no session; with real-time priority none of 240.
It costs nobody anything, because the collector sleeps. Should it ever not (a defect), the
kernel tells it after half a second of work without a pause, and it gives the priority back.

Being chosen by the OOM killer itself would end the record of whatever caused it.
"""

import contextlib
import os
import resource
import signal
from pathlib import Path
from typing import Final

from collector.probes.port import Gap

_LONGEST_WORK_US: Final = 500_000
_NICE: Final = -15
_SPARED: Final = "-900"


class Priority:
    """The main thread's priority over the trials."""

    def __init__(self) -> None:
        """Ask for real time of the lowest rank, else for a nice value; threads get neither."""
        self.gaps: list[Gap] = []
        try:
            signal.signal(signal.SIGXCPU, self._give_back)
            resource.setrlimit(resource.RLIMIT_RTTIME, (_LONGEST_WORK_US, resource.RLIM_INFINITY))
            policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
            os.sched_setscheduler(0, policy, os.sched_param(1))
        except (OSError, ValueError) as refused:
            try:
                os.setpriority(os.PRIO_PROCESS, 0, _NICE)
            except OSError:
                self._lack(f"no priority over the trials ({refused})")

    def _give_back(self, _number: int, _frame: object) -> None:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        self._lack("real-time priority was given back after half a second without a pause")

    def _lack(self, why: str) -> None:
        reason = f"{why}; short-lived victims may stay unnamed"
        self.gaps.append(Gap(probe="collector.priority", reason=reason))


def ask_to_be_spared() -> None:
    """Be the last choice of the OOM killer, where that is allowed."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_SPARED, encoding="ascii")
