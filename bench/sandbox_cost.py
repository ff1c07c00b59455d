"""What a sandbox costs the machine, and what it charges to a task before the task does anything.

``python -m bench.sandbox_cost``: creates, uses and destroys local sandboxes one after another
and sixteen at a time; CPU time is that of the runner and of all supervisors (``getrusage`` of
this process and of its children), so a command's own time is in it. Memory is what the
kernel charged to the sandbox's cgroup: standing idle, and at the peak of small commands.
Version 1 charges in batches of 64 pages a core, so its numbers are 256 KiB coarse.
"""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from bench import results_file
from runner.sandboxes.local import LocalDriver
from runner.sandboxes.local_sandbox import LocalSandbox
from runner.sandboxes.port import DriverContext, SandboxRequest

MIB: Final = 1 << 20
AT_ONCE: Final = 16
COMMANDS: Final[dict[str, list[str] | str]] = {
    "true": ["true"],
    "bash -c true": "true",
    "python3 -I -S -c pass": ["python3", "-I", "-S", "-c", "pass"],
    "python3 -c pass": ["python3", "-c", "pass"],
    "python3 -c 'import csv, json, sqlite3'": ["python3", "-c", "import csv, json, sqlite3"],
}


def request(name: str) -> SandboxRequest:
    return SandboxRequest(
        name=name, oom_scope="sandbox", memory_ceiling_bytes=64 * MIB, cpu_ceiling_cores=1.0
    )


def cpu_s() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def live(driver: LocalDriver, name: str) -> tuple[float, float, float]:
    """Seconds to create, to run ``true``, and to destroy."""
    boxes: list[LocalSandbox] = []
    create_s = timed(lambda: boxes.append(driver.create(request(name))))
    return create_s, timed(lambda: boxes[0].exec(["true"])), timed(boxes[0].destroy)


def one_by_one(driver: LocalDriver, count: int) -> dict[str, object]:
    cpu, began = cpu_s(), time.perf_counter()
    steps = list(zip(*(live(driver, f"one-{number}") for number in range(count)), strict=True))
    return _row("one by one", count, cpu, began, steps)


def at_once(driver: LocalDriver, count: int) -> dict[str, object]:
    cpu, began = cpu_s(), time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        lives = [pool.submit(live, driver, f"many-{number}") for number in range(count)]
        steps = list(zip(*(one.result() for one in lives), strict=True))
    return _row(f"{AT_ONCE} at once", count, cpu, began, steps)


def _row(
    how: str, count: int, cpu: float, began: float, steps: list[tuple[float, ...]]
) -> dict[str, object]:
    create, execute, destroy = (1000 * statistics.median(times) for times in steps)
    return {
        "how": how,
        "sandboxes": count,
        "CPU ms each": 1000 * (cpu_s() - cpu) / count,
        "wall ms each": 1000 * (time.perf_counter() - began) / count,
        "create ms": create,
        "exec true ms": execute,
        "destroy ms": destroy,
    }


def charges(driver: LocalDriver) -> dict[str, object]:
    """MiB charged: idle, then the lifetime peak of a fresh sandbox that ran one command."""
    found: dict[str, object] = {}
    for number, (shown, command) in enumerate({"nothing": None, **COMMANDS}.items()):
        box = driver.create(request(f"charge-{number}"))
        if command is not None:
            # Once before, elsewhere: what the page cache then holds is charged to nobody here.
            warm = driver.create(request(f"warm-{number}"))
            warm.exec(command)
            warm.destroy()
            box.exec(command)
        found[f"peak MiB of a sandbox that ran {shown}"] = _peak(box) / MIB
        box.destroy()
    return found


def _peak(box: LocalSandbox) -> int:
    if box.standing.cgroup_version == 1:
        return int((Path(box.standing.cgroups["memory"]) / "memory.max_usage_in_bytes").read_text())
    return int((Path(box.standing.cgroups["unified"]) / "memory.peak").read_text())


def main() -> None:
    """Measure and write ``results/sandbox_cost``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandboxes", type=int, default=48)
    count = parser.parse_args().sandboxes
    load = os.getloadavg()[0]  # wall times mean little where others compute, too
    with tempfile.TemporaryDirectory() as folder:
        context = DriverContext(
            folder_id="bench", scratch=Path(folder) / "trials", records=Path(folder) / "records"
        )
        driver = LocalDriver(context)
        try:
            live(driver, "first")
            rows = [one_by_one(driver, count), at_once(driver, count)]
            details = {"load average before": load, **charges(driver)}
        finally:
            driver.close()
    print(results_file.write("sandbox_cost", "bench.sandbox_cost", rows, details))


if __name__ == "__main__":
    main()
