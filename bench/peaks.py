"""How much of a short peak is seen: interval peaks of the collector, and plain sampling.

``python -m bench.peaks``: a program in a cgroup of its own allocates, touches and frees known
sizes, each held for 20 to 900 ms, while a real collector watches it once a second. Truth
is the kernel's usage read by the program itself while it holds everything. For each spike:
the highest interval peak of the samples whose interval meets it, and the highest usage
of the samples from its beginning to one interval after its end, which is what any tool sees
that reads usage once a second. Runs on cgroup v1 or v2, whichever has the memory.
"""

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from barograph.codec import decode
from barograph.facts import Sample
from barograph.folder import DataFolder
from barograph.log.opening import open_log
from bench import results_file
from collector.client import ensure
from collector.protocol import Watch
from tests.cells import MIB, PYTHON, Cell, cell

PROGRAM: Final = """
import json, mmap, sys, time
usage, plan = open(sys.argv[1], 'rb', 0), json.loads(sys.argv[2])
def read():
    usage.seek(0)
    return int(usage.read())
for size, hold_s, idle_s in plan:
    time.sleep(idle_s)
    began = time.time()
    block = mmap.mmap(-1, size)
    for at in range(0, size, 4096):
        block[at] = 1
    held = read()
    time.sleep(hold_s)
    held = max(held, read())
    block.close()
    print(json.dumps([size, hold_s, began, time.time(), held]), flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spike:
    """One allocation, as the program says it was."""

    hold_s: float
    began_s: float
    ended_s: float
    true_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One sample."""

    at_s: float
    interval_s: float
    usage_bytes: int
    peak_bytes: int


def plan(count: int, largest_mib: int, seed: int) -> list[tuple[int, float, float]]:
    """Size, time held and time idle before, of each spike."""
    draw = random.Random(seed)
    return [
        (
            draw.randint(largest_mib // 12, largest_mib) * MIB,
            draw.uniform(0.020, 0.900),
            draw.uniform(1.1, 2.1),
        )
        for _ in range(count)
    ]


def spike(target: Cell, spikes: list[tuple[int, float, float]]) -> list[Spike]:
    """Run the program in the cgroup."""
    name = "memory.usage_in_bytes" if target.version == 1 else "memory.current"
    files = [f"{folder}/cgroup.procs" for folder in target.folders.values()]
    move = "".join(f"echo $$ > {file}; " for file in files)
    program = [*PYTHON, PROGRAM, str(target.memory / name), json.dumps(spikes)]
    ran = subprocess.run(
        ["/bin/sh", "-c", move + 'exec "$@"', "sh", *program],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    return [
        Spike(hold_s=hold, began_s=began, ended_s=ended, true_bytes=held)
        for _, hold, began, ended, held in rows
    ]


def samples(folder: DataFolder) -> list[Seen]:
    """What the collector wrote."""
    chunks = open_log(folder.log_url).read({})
    events = [decode(line) for chunk in chunks for line in chunk.data.splitlines()]
    return [
        Seen(
            at_s=event.t_us / 1e6,
            interval_s=(event.payload.interval_us or 0) / 1e6,
            usage_bytes=event.payload.usage_bytes or 0,
            peak_bytes=event.payload.peak_bytes or 0,
        )
        for event in events
        if isinstance(event.payload, Sample)
    ]


def shares(spikes: list[Spike], seen: list[Seen]) -> tuple[list[float], list[float]]:
    """Share of each true peak, by interval peaks and by plain sampling."""
    peaks: list[float] = []
    plain: list[float] = []
    for one in spikes:
        meeting = [s for s in seen if one.began_s <= s.at_s <= one.ended_s + s.interval_s]
        peaks.append(max((s.peak_bytes for s in meeting), default=0) / one.true_bytes)
        near = [s for s in seen if one.began_s - 0.2 <= s.at_s <= one.ended_s + 1.0]
        plain.append(max((s.usage_bytes for s in near), default=0) / one.true_bytes)
    return peaks, plain


def row(how: str, values: list[float]) -> dict[str, object]:
    """One line of the result."""
    count = len(values)
    return {
        "how": how,
        "spikes": count,
        "mean share of the true peak": round(statistics.fmean(values), 4),
        "lowest": round(min(values), 4),
        "highest": round(max(values), 4),
        "seen at >= 99%": round(sum(value >= 0.99 for value in values) / count, 3),
        "seen at >= 95%": round(sum(value >= 0.95 for value in values) / count, 3),
    }


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench.peaks", description=__doc__)
    parser.add_argument("--spikes", type=int, default=40)
    parser.add_argument("--largest-mib", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=results_file.RESULTS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, cell() as target:
        folder = DataFolder.create(Path(scratch) / "data")
        with ensure(folder, linger_s=0.5) as client:
            client.watch(
                Watch(
                    target="spikes",
                    cgroups=target.folders,
                    kernel_path=target.kernel_path,
                    ours=True,
                )
            )
            spikes = spike(target, plan(asked.spikes, asked.largest_mib, asked.seed))
            time.sleep(1.2)
            client.finish("spikes")
            client.stop()
        seen = samples(folder)
        version = target.version
    peaks, plain = shares(spikes, seen)
    rows = [row("interval peak, once a second", peaks), row("usage, once a second", plain)]
    details: dict[str, object] = {
        "cgroup version": version,
        "held": f"{min(s.hold_s for s in spikes):.3f} to {max(s.hold_s for s in spikes):.3f} s",
        "samples": len(seen),
        "mean interval, s": statistics.fmean(s.interval_s for s in seen[1:-1]),
    }
    name = f"peaks-v{version}"
    print(results_file.write(name, "bench.peaks", rows, details, folder=asked.results))


if __name__ == "__main__":
    main()
