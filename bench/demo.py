"""How long the demo takes, and whether the kernel's own count of kills agrees with it.

``python -m bench.demo``: runs ``barograph demo`` in a new folder with nothing left out, then
asks the program itself (``report --json``, ``verify --json``). The host's counter in
``/proc/vmstat`` is read before and after; kills that the kernel log puts into other
cgroups are told apart by ``verify``.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench import results_file

VMSTAT: Final = Path("/proc/vmstat")


def host_kills() -> int:
    """The kernel's count of OOM kills since boot."""
    lines = dict(line.split() for line in VMSTAT.read_text().splitlines())
    return int(lines["oom_kill"])


def barograph(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user would."""
    program = Path(sys.executable).with_name("barograph")
    return subprocess.run([program, *arguments], check=True, text=True, capture_output=True)


def answer(*arguments: str) -> dict[str, Any]:
    """The JSON document of one command."""
    document: dict[str, Any] = json.loads(barograph(*arguments, "--json").stdout)
    return document


def run(folder: Path) -> str:
    """Run the demo and write ``results/demo``."""
    kills_before, began = host_kills(), time.monotonic()
    barograph("demo", "--dir", str(folder))
    took_s = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = answer("report", "--dir", str(folder))
    verified = answer("verify", "--dir", str(folder))
    rows = [
        {
            "ceiling": row["condition"],
            "trials": row["trials"],
            "infra errors %": 100 * row["infra_rate"],
            "95% CI": f"{100 * row['infra_ci_low']:.1f} to {100 * row['infra_ci_high']:.1f}",
            "p (Holm)": row["infra_p_holm"],
            "score %": 100 * row["score"],
            "score 95% CI": f"{100 * row['score_ci_low']:.1f} to {100 * row['score_ci_high']:.1f}",
        }
        for row in report["curve"]
    ]
    details = {
        "wall s": took_s,
        "CPU s of runner and report": used.ru_utime + used.ru_stime,
        "load average at the end": f"{os.getloadavg()[0]:.1f}",
        "oom_kill of /proc/vmstat over the demo": host_kills() - kills_before,
        "kills by the sandboxes' own counters": verified["kills_counted"],
        "kills with an event": verified["kills_told"],
        "kills of other cgroups": sum(host["foreign"] for host in verified["hosts"]),
        "kills nobody claims": sum(host["unclaimed"] for host in verified["hosts"]),
        "events": verified["log"]["events_in_log"],
        "everything accounted for": verified["ok"],
        "verdict": report["verdict"],
    }
    return results_file.write("demo", "bench.demo", rows, details)


def main() -> None:
    """Measure."""
    argparse.ArgumentParser(prog="python -m bench.demo", description=__doc__).parse_args()
    with tempfile.TemporaryDirectory(prefix="barograph-demo-") as folder:
        print(run(Path(folder) / "data"))


if __name__ == "__main__":
    main()
