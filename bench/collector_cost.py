"""What the collector costs, and whether it keeps the second.

``python -m bench.collector_cost``: real cgroups with a process in each, watched by one real
collector at 1 Hz. Cost is the collector's own CPU time (``/proc/PID/task/*/schedstat``) over the
measured time, as a share of one core, and its resident memory at the end. Drift is how far
the ticks have moved against start + n seconds from the first tenth of the run to the last,
as medians, so that the lateness of a single tick on a busy machine is not taken for drift.
"""

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from barograph.codec import decode
from barograph.facts import Sample, TickMissed
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from bench import results_file
from collector.client import ensure
from collector.protocol import Watch
from tests.cells import cell

SETTLE_S: Final = 3.0


def cpu_s(pid: int) -> float:
    """CPU time of all threads of a process so far, to the nanosecond."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def resident_mib(pid: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def journal(folder: DataFolder) -> tuple[list[int], int, int]:
    """Monotonic times of the first target's samples, ticks missed, bytes of all lines."""
    times: list[int] = []
    missed = size = 0
    for chunk in open_log(folder.log_url).read({}):
        size += len(chunk.data)
        for line in chunk.data.splitlines():
            event = decode(line)
            if isinstance(event.payload, Sample) and event.belongs.target == "t0":
                times.append(event.mono_us)
            elif isinstance(event.payload, TickMissed):
                missed += event.payload.ticks
    return times, missed, size


def drift_us(times: list[int]) -> float:
    """How far ticks moved against a straight second, first tenth to last tenth."""
    # Ticks are numbered by rounding, so that a missed one is no drift.
    offsets = [at - times[0] - round((at - times[0]) / 1_000_000) * 1_000_000 for at in times[:-1]]
    tenth = max(5, len(offsets) // 10)
    return statistics.median(offsets[-tenth:]) - statistics.median(offsets[:tenth])


def measure(targets: int, seconds: float) -> dict[str, object]:
    """Watch ``targets`` cgroups for so long."""
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        folder = DataFolder.create(Path(scratch) / "data")
        client = stack.enter_context(ensure(folder, linger_s=0.5))
        for number in range(targets):
            target = stack.enter_context(cell(limit_bytes=64 << 20))
            client.watch(Watch(target=f"t{number}", cgroups=target.folders, ours=True))
            process = target.start(["sleep", str(seconds + 600)])
            stack.callback(process.wait)
            stack.callback(process.kill)
        time.sleep(SETTLE_S)
        pid = client.status().pid
        began_s, before_s = time.monotonic(), cpu_s(pid)
        time.sleep(seconds)
        used_s, took_s = cpu_s(pid) - before_s, time.monotonic() - began_s
        resident = resident_mib(pid)
        client.stop()
        time.sleep(0.5)
        times, missed, size = journal(folder)
    return {
        "targets": targets,
        "seconds": round(took_s, 1),
        "% of a core": round(100 * used_s / took_s, 3),
        "RSS MiB": round(resident, 1),
        "drift us": round(drift_us(times)),
        "ticks missed": missed,
        "bytes a sample": round(size / max(1, len(times) * targets)),
    }


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench.collector_cost", description=__doc__)
    parser.add_argument("--targets", type=int, nargs="+", default=[1, 200])
    parser.add_argument("--seconds", type=float, default=40.0, help="of each measurement")
    parser.add_argument("--drift-seconds", type=float, default=0.0, help="600 for ten minutes")
    parser.add_argument("--results", type=Path, default=results_file.RESULTS)
    asked = parser.parse_args()
    rows = [measure(targets, asked.seconds) for targets in asked.targets]
    if asked.drift_seconds:
        rows.append(measure(1, asked.drift_seconds))
    details: dict[str, object] = {
        "load average at the end": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        "bytes a sample": "all journal bytes, host samples included, over samples of targets",
    }
    print(
        results_file.write(
            "collector_cost", "bench.collector_cost", rows, details, folder=asked.results
        )
    )


if __name__ == "__main__":
    main()
